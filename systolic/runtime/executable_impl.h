// What an Executable holds, for this room.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/pjrt/executable.h"
#include "systolic/runtime/executable.h"
#include "systolic/runtime/usage.h"
#include "systolic/stablehlo/work.h"

namespace systolic::internal::runtime {

struct Executable::Impl {
  Client* client = nullptr;
  pjrt::LoadedExecutable program;
  std::vector<Device> devices;  // by replica; empty: portable
  std::vector<int64_t> donated;
  size_t num_outputs = 0;
  double compile_seconds = 0;
  stablehlo::Work work;
  // Of one run, as the compiler estimates it; nothing where it does not.
  std::optional<double> bytes_accessed;
  ProgramUsage* usage = nullptr;
  std::atomic<bool> was_launched{false};
};

// The options as bytes for a key: those of the caller and all settings of the
// platform, also the ones that the plugin turns out not to know.
std::string encode_for_key(Client& client, const CompileOptions& options);

}  // namespace systolic::internal::runtime
