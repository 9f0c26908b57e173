#include "systolic/base/free_memory.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>

namespace systolic::internal {
namespace {

// The number in a file of one number; nothing for "max" or no file.
std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// The sum of the numbers behind the keys.
int64_t sum_of(const std::string& path,
               std::initializer_list<const char*> keys) {
  std::ifstream file(path);
  std::string key;
  int64_t value = 0;
  int64_t sum = 0;
  while (file >> key >> value) {
    if (std::ranges::find(keys, key) != keys.end()) sum += value;
  }
  return sum;
}

int64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  int64_t kib = 0;
  while (file >> key >> kib >> unit) {
    if (key == "MemAvailable:") return kib << 10;
  }
  return int64_t{4} << 30;
}

int64_t left(int64_t limit, const std::string& used, int64_t files) {
  const int64_t taken =
      std::max<int64_t>(number_in(used).value_or(0) - files, 0);
  return std::max<int64_t>(limit - taken, 0);
}

}  // namespace

std::optional<int64_t> control_group_memory(const std::string& folder) {
  if (const auto limit = number_in(folder + "/memory.max")) {
    return left(
        *limit, folder + "/memory.current",
        sum_of(folder + "/memory.stat", {"inactive_file", "active_file"}));
  }
  const std::string first = folder + "/memory/memory.";
  if (const auto limit = number_in(first + "limit_in_bytes")) {
    return left(
        *limit, first + "usage_in_bytes",
        sum_of(first + "stat", {"total_inactive_file", "total_active_file"}));
  }
  return std::nullopt;
}

int64_t available_memory() {
  const int64_t bytes = system_memory();
  return std::min(bytes,
                  control_group_memory("/sys/fs/cgroup").value_or(bytes));
}

}  // namespace systolic::internal
