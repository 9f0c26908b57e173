// Our kernel library of a platform: found, loaded, registered with its plugin.
//
//   KernelLibrary kernels = load_kernels(row, plugin);
//   if (kernels.names.empty()) std::cout << kernels.problem;
#pragma once

#include <string>
#include <vector>

#include "systolic/pjrt/plugin.h"
#include "systolic/platforms/table.h"

namespace systolic::internal::platforms {

// What became of a kernel library.
struct KernelLibrary {
  std::string path;
  // The custom calls that programs of this platform can use.
  std::vector<std::string> names;
  // Why there are none; empty if there are.
  std::string problem;
};

// Loads libsystolic_kernels_<name>.so and registers its handlers. Looked for
// at SYSTOLIC_KERNELS_<NAME> ("off": not at all), beside the program, in
// ../lib, where it was built and where it is installed. A platform works
// without: what fails is said in `problem`.
KernelLibrary load_kernels(const PlatformRow& row, const pjrt::Plugin& plugin);

// The files that load_kernels tries, in order.
std::vector<std::string> kernel_candidates(const PlatformRow& row);

}  // namespace systolic::internal::platforms
