// How many threads a kernel call may use, and the scope in which it uses them.
//   ThreadScope scope(threads_of(call));   // OpenMP threads of this caller
#pragma once

#include "systolic/pjrt/ffi.h"

namespace systolic::internal::kernels {

/// Returns the `threads` attribute of the call or, where that is absent or 0,
/// max(1, cores / replicas), for the cores that this process may run on.
int threads_of(const pjrt::FfiCall& call);

/// Sets the calling thread's number of OpenMP threads until destruction.
class ThreadScope {
 public:
  /// Starts a scope of `threads` threads, at least 1.
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int previous_;
};

}  // namespace systolic::internal::kernels
