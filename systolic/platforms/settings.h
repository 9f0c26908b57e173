// What a platform needs done in this process before its plugin is loaded.
//
//   apply_environment(row.environment);
//   keep_freed_memory();
#pragma once

#include <array>
#include <csignal>
#include <span>
#include <string>

#include "systolic/platforms/table.h"

namespace systolic::internal::platforms {

// Sets the variables that the user has not set.
void apply_environment(std::span<const EnvironmentSetting> settings);

// The variables that the user has set otherwise than the table does, a line
// each: what was compiled under them is not taken for what was not.
std::string own_settings(std::span<const EnvironmentSetting> settings);

// Makes malloc keep freed memory for the next allocation: XLA:CPU maps and
// unmaps its temporaries at every launch otherwise, which costs half of a
// convolution's time. glibc only; SYSTOLIC_CPU_MALLOC=default leaves malloc
// alone, one_heap has all threads share one heap.
void keep_freed_memory();

// Keeps the program's answers to the signals that end it while a plugin is
// loaded: some bring handlers that print where a program should simply end.
class KeptSignals {
 public:
  KeptSignals();
  ~KeptSignals();  // puts back those that were changed
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array kSignals{SIGHUP, SIGINT,  SIGTERM,
                                       SIGILL, SIGTRAP, SIGABRT,
                                       SIGBUS, SIGFPE,  SIGSEGV};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Whether a TPU of Google's is on this machine's PCI bus.
bool has_tpu_hardware();
// The opposite: where libtpu would wait for Google Cloud's metadata server.
bool lacks_tpu_hardware();

}  // namespace systolic::internal::platforms
