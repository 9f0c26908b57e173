// Tested by: systolic/kernels/decompositions_test.cc
#include "systolic/kernels/lapack.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace systolic::internal::kernels {
namespace {

template <class Function>
bool find(void* library, char type, const char* name, Function& function) {
  const std::string symbol = type + std::string(name) + "_";
  function = reinterpret_cast<Function>(dlsym(library, symbol.c_str()));
  return function != nullptr;
}

template <class T>
bool find_all(void* library, char type, Lapack<T>& all) {
  return find(library, type, "potrf", all.potrf) &&
         find(library, type, "getrf", all.getrf) &&
         find(library, type, "getrs", all.getrs) &&
         find(library, type, "syevd", all.syevd) &&
         find(library, type, "gesdd", all.gesdd);
}

// OpenBLAS for one thread has no locks: two threads that call it at once get
// wrong numbers. Of its kinds only the one with threads of its own is for many.
bool takes_threads(void* library) {
  using GetKind = int (*)();
  const auto kind =
      reinterpret_cast<GetKind>(dlsym(library, "openblas_get_parallel"));
  constexpr int kPthreads = 1;
  return kind == nullptr || kind() == kPthreads;
}

// Threads of its own would be as many for each replica; our batches are spread
// over ours.
void use_one_thread(void* library) {
  using SetThreads = void (*)(int);
  const auto set =
      reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"));
  if (set != nullptr) set(1);
}

struct Library {
  Lapack<float> single;
  Lapack<double> twice;
  bool is_there = false;
};

Library load() {
  Library library;
  for (const std::string& path : lapack_candidates()) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) continue;
    library.is_there = takes_threads(handle) &&
                       find_all(handle, 's', library.single) &&
                       find_all(handle, 'd', library.twice);
    if (!library.is_there) continue;
    use_one_thread(handle);
    break;
  }
  return library;
}

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace

std::vector<std::string> lapack_candidates() {
  const char* chosen = std::getenv("SYSTOLIC_LAPACK");
  if (chosen != nullptr && *chosen != '\0') {
    if (std::string_view(chosen) == "off") return {};
    return {chosen};
  }
  // Debian's and Ubuntu's folders of the package libopenblas0-pthread.
  std::vector<std::string> files;
  for (const char* machine : {"x86_64", "aarch64"}) {
    files.push_back(std::string("/usr/lib/") + machine +
                    "-linux-gnu/openblas-pthread/libopenblas.so.0");
  }
  files.emplace_back("libopenblas.so.0");
  return files;
}

template <>
const Lapack<float>* lapack<float>() {
  return library().is_there ? &library().single : nullptr;
}

template <>
const Lapack<double>* lapack<double>() {
  return library().is_there ? &library().twice : nullptr;
}

}  // namespace systolic::internal::kernels
