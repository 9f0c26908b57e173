#include "systolic/kernels/threads.h"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "systolic/base/thread_pool.h"

namespace systolic::internal::kernels {

int threads_of(const pjrt::FfiCall& call) {
  int64_t threads = call.has("threads") ? call.int64("threads") : 0;
  if (threads == 0) {
    int64_t replicas = call.has("replicas") ? call.int64("replicas") : 1;
    threads = omp_get_num_procs() / std::max<int64_t>(1, replicas);
  }
  return static_cast<int>(std::clamp<int64_t>(threads, 1, 1024));
}

void parallel(int64_t count, int threads,
              const std::function<void(int64_t)>& body) {
  if (threads <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<int64_t> next{0};
  ThreadPool::global().parallel_for(
      std::min<int64_t>(threads, count), 1, [&](int64_t, int64_t) {
        for (int64_t i = next++; i < count; i = next++) body(i);
      });
}

ThreadScope::ThreadScope(int threads) : previous_(omp_get_max_threads()) {
  if (threads != previous_) omp_set_num_threads(threads);
}

ThreadScope::~ThreadScope() {
  if (omp_get_max_threads() != previous_) omp_set_num_threads(previous_);
}

}  // namespace systolic::internal::kernels
