#include "systolic/kernels/threads.h"

#include <omp.h>

#include <algorithm>

namespace systolic::internal::kernels {

int threads_of(const pjrt::FfiCall& call) {
  int64_t threads = call.has("threads") ? call.int64("threads") : 0;
  if (threads == 0) {
    int64_t replicas = call.has("replicas") ? call.int64("replicas") : 1;
    threads = omp_get_num_procs() / std::max<int64_t>(1, replicas);
  }
  return static_cast<int>(std::clamp<int64_t>(threads, 1, 1024));
}

ThreadScope::ThreadScope(int threads) : previous_(omp_get_max_threads()) {
  if (threads != previous_) omp_set_num_threads(threads);
}

ThreadScope::~ThreadScope() {
  if (omp_get_max_threads() != previous_) omp_set_num_threads(previous_);
}

}  // namespace systolic::internal::kernels
