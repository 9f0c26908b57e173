// How many threads a kernel call may use, and the loops that use them. Work is
// cut into slices that the caller and helpers take one by one: nobody waits
// for a thread that the system does not run, as OpenMP's barriers do.
//   parallel(images, threads_of(call), [&](int64_t image) { ... });
#pragma once

#include <functional>

#include "systolic/pjrt/ffi.h"

namespace systolic::internal::kernels {

/// Returns the `threads` attribute of the call or, where that is absent or 0,
/// max(1, cores / replicas), for the cores that this process may run on.
int threads_of(const pjrt::FfiCall& call);

/// Calls `body(i)` for each i in [0, count) on at most `threads` threads, the
/// calling one included. Rethrows the first exception of a body.
void parallel(int64_t count, int threads,
              const std::function<void(int64_t)>& body);

/// Sets the calling thread's number of OpenMP threads, which oneDNN uses,
/// until destruction.
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
