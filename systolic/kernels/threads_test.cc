#include "systolic/kernels/threads.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using testing::FfiFrame;

int threads_for(int64_t threads, int64_t replicas) {
  FfiFrame frame;
  frame.attribute("replicas", replicas).attribute("threads", threads);
  return threads_of(pjrt::FfiCall(*frame.frame()));
}

TEST(ThreadsTest, CoresAreSharedAmongReplicas) {
  const int cores = omp_get_num_procs();
  FfiFrame none;
  EXPECT_EQ(threads_of(pjrt::FfiCall(*none.frame())), cores);
  EXPECT_EQ(threads_for(0, 1), cores);
  EXPECT_EQ(threads_for(0, 2), std::max(1, cores / 2));
  EXPECT_EQ(threads_for(0, 1000000), 1);
}

TEST(ThreadsTest, ThreadsMayBeGiven) {
  EXPECT_EQ(threads_for(3, 8), 3);
  EXPECT_EQ(threads_for(-1, 1), 1);
}

TEST(ThreadsTest, AScopeEndsWithThePreviousNumber) {
  const int before = omp_get_max_threads();
  {
    ThreadScope scope(before + 3);
    EXPECT_EQ(omp_get_max_threads(), before + 3);
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace
}  // namespace systolic::internal::kernels
