#include "systolic/runtime/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

namespace systolic::internal::runtime {
namespace {

// Of x86 and of ARM. Others, such as the clock, change by themselves.
constexpr std::array<std::string_view, 10> kFields{
    "vendor_id",   "cpu family", "model",           "model name",
    "flags",       "Features",   "CPU implementer", "CPU architecture",
    "CPU variant", "CPU part"};
constexpr std::array<std::string_view, 3> kVariables{"XLA_", "TF_XLA_",
                                                     "LIBTPU_"};

std::string usable_processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof(usable), &usable) == 0) {
    return std::to_string(CPU_COUNT(&usable));
  }
  return std::to_string(std::thread::hardware_concurrency());
}

std::string plugin_variables() {
  std::vector<std::string> set;
  for (char** next = environ; next != nullptr && *next != nullptr; ++next) {
    const std::string_view variable = *next;
    const auto begins = [&](std::string_view name) {
      return variable.starts_with(name);
    };
    if (std::ranges::any_of(kVariables, begins)) set.emplace_back(variable);
  }
  std::ranges::sort(set);
  std::string text;
  for (const std::string& variable : set) text += variable + "\n";
  return text;
}

}  // namespace

std::string processor_identity(std::istream& cpuinfo) {
  std::string identity;
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
    const size_t end = line.find_last_not_of(" \t", line.find(':') - 1);
    const std::string_view field = std::string_view(line).substr(0, end + 1);
    if (std::ranges::find(kFields, field) != kFields.end()) {
      identity += line + "\n";
    }
  }
  return identity;
}

std::string machine_identity() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  return processor_identity(cpuinfo) + "processors: " + usable_processors() +
         "\n" + plugin_variables();
}

}  // namespace systolic::internal::runtime
