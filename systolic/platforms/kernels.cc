#include "systolic/platforms/kernels.h"

#include <dlfcn.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "systolic/base/build_info.h"
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/pjrt/ffi_abi.h"

namespace systolic::internal::platforms {
namespace {

namespace fs = std::filesystem;

std::string kernels_variable(const PlatformRow& row) {
  std::string name = "SYSTOLIC_KERNELS_";
  for (char letter : row.name) {
    name += static_cast<char>(std::toupper(letter));
  }
  return name;
}

// The build knows one name, the CPU's; the others differ in the platform.
std::string with_platform(std::string_view path, const PlatformRow& row) {
  constexpr std::string_view kBuilt = "kernels_cpu";
  std::string changed(path);
  const size_t at = changed.rfind(kBuilt);
  if (at != std::string::npos) {
    changed.replace(at, kBuilt.size(), "kernels_" + std::string(row.name));
  }
  return changed;
}

std::string find_library(const PlatformRow& row) {
  std::error_code none;
  for (const std::string& path : kernel_candidates(row)) {
    if (fs::is_regular_file(path, none)) return path;
  }
  return "";
}

void register_all(void* library, const PlatformRow& row,
                  const pjrt::Plugin& plugin, KernelLibrary& result) {
  void* symbol = dlsym(library, "systolic_kernels");
  if (symbol == nullptr) {
    result.problem = result.path + " has no function systolic_kernels";
    return;
  }
  size_t count = 0;
  const SystolicKernel* kernels =
      reinterpret_cast<SystolicKernelsFunction*>(symbol)(&count);
  for (size_t i = 0; i < count; ++i) {
    plugin.register_ffi_handler(kernels[i].name, kernels[i].handler,
                                row.ffi_platform);
    result.names.emplace_back(kernels[i].name);
  }
}

}  // namespace

std::vector<std::string> kernel_candidates(const PlatformRow& row) {
  const char* chosen = std::getenv(kernels_variable(row).c_str());
  if (chosen != nullptr && *chosen != '\0') {
    if (std::string_view(chosen) == "off") return {};
    return {chosen};
  }
  const std::string file = with_platform(kKernelsFile, row);
  std::vector<std::string> paths;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (!program.empty()) {
    const fs::path folder = program.parent_path();
    paths.push_back((folder / file).string());
    paths.push_back((folder.parent_path() / "lib" / file).string());
  }
  paths.push_back(with_platform(kKernelsBuildPath, row));
  paths.push_back(with_platform(kKernelsInstallPath, row));
  return paths;
}

KernelLibrary load_kernels(const PlatformRow& row, const pjrt::Plugin& plugin) {
  KernelLibrary result;
  if (row.ffi_platform.empty()) {
    result.problem = "the platform has no custom calls";
    return result;
  }
  if (!plugin.has_ffi()) {
    result.problem = "the plugin is too old for typed custom calls";
    return result;
  }
  result.path = find_library(row);
  if (result.path.empty()) {
    result.problem =
        "no kernel library was found, or " + kernels_variable(row) + " is off";
    return result;
  }
  void* library =
      dlopen(result.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    result.problem = reason == nullptr ? result.path : reason;
    log(LogLevel::warning, std::string(row.name) +
                               ": the kernel library does not load, "
                               "convolutions will be slow: " +
                               result.problem);
    return result;
  }
  try {
    register_all(library, row, plugin, result);
  } catch (const PlatformError& error) {
    result.names.clear();
    result.problem = error.what();
    log(LogLevel::warning, std::string(row.name) + ": " + result.problem);
  }
  return result;
}

}  // namespace systolic::internal::platforms
