#include "systolic/io/arrow_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>

#include "systolic/base/build_info.h"
#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"

namespace systolic::io::detail {
namespace {

namespace fs = std::filesystem;

// The path that SYSTOLIC_ARROW names, else the first there is of: beside the
// program, in the build, in the installation. Empty where there is none.
std::string find_library() {
  const std::string chosen = internal::environment("SYSTOLIC_ARROW");
  std::error_code none;
  if (!chosen.empty()) {
    return fs::is_regular_file(chosen, none) ? chosen : "";
  }
  std::vector<fs::path> paths;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (!program.empty()) {
    const fs::path folder = program.parent_path();
    paths.push_back(folder / internal::kArrowFile);
    paths.push_back(folder.parent_path() / "lib" / internal::kArrowFile);
  }
  paths.emplace_back(internal::kArrowBuildPath);
  paths.emplace_back(internal::kArrowInstallPath);
  for (const fs::path& path : paths) {
    if (fs::is_regular_file(path, none)) return path.string();
  }
  return "";
}

// The module, or why there is none.
struct Loaded {
  ArrowModule* module = nullptr;
  std::string problem;
};

Loaded load() {
  const std::string path = find_library();
  if (path.empty()) return {nullptr, "this build has none"};
  // Never closed: its objects live on in ours.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return {nullptr, dlerror()};
  void* function = dlsym(library, "systolic_arrow_module");
  if (function == nullptr) return {nullptr, path + " is something else"};
  ArrowModule* module = reinterpret_cast<ArrowModuleFunction*>(function)(
      internal::kVersion, storage_options);
  if (module == nullptr) return {nullptr, path + " is of another version"};
  return {module, ""};
}

const Loaded& loaded() {
  static const Loaded result = load();
  return result;
}

}  // namespace

ArrowModule& arrow_module(const std::string& who, const std::string& path) {
  const Loaded& result = loaded();
  if (result.module != nullptr) return *result.module;
  internal::Message(who)
      .expected("the part of Systolic that links Apache Arrow")
      .got(result.problem)
      .detail("path", path)
      .hint("run scripts/install-arrow and build again")
      .raise<StorageError>();
}

bool has_arrow_module() { return loaded().module != nullptr; }

}  // namespace systolic::io::detail
