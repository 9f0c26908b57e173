// What can be said of a platform to a person: found or not, versions, devices.
//
//   std::cout << to_text(make_report(find_row("cpu")));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/platforms/kernels.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/table.h"

namespace systolic::internal::platforms {

// One device.
struct DeviceReport {
  std::string kind;
  std::optional<int64_t> memory_bytes = {};
};

// One platform; parts that are not known are empty.
struct PlatformReport {
  const PlatformRow* row = nullptr;
  SearchResult search;
  std::string api_version;        // "0.115"
  std::string stablehlo_version;  // "1.20.0"
  std::vector<DeviceReport> devices;
  // Why there are none, if that is no problem.
  std::string no_devices;
  KernelLibrary kernels;
  // What the self-test found of the plugin: "passed 40 checks on ...".
  std::string checked;
  // Why it cannot be used although it was found.
  std::string problem;
};

// Looks for a platform's plugin, loads it and asks it. Throws nothing that
// the plugin throws: that is the report's problem.
PlatformReport make_report(const PlatformRow& row);

// Several lines for a terminal, without a newline at the end.
std::string to_text(const PlatformReport& report);

// "16.0 GiB", "512 MiB".
std::string memory_text(int64_t bytes);

}  // namespace systolic::internal::platforms
