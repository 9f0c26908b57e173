#include "systolic/runtime/counters.h"

#include <gtest/gtest.h>

#include <thread>

namespace systolic::internal::runtime {
namespace {

TEST(Counters, AreTheProcesssAndSafeFromThreads) {
  const uint64_t before = counters().launches;
  std::thread other([] {
    for (int i = 0; i < 1000; ++i) counters().launches += 1;
  });
  for (int i = 0; i < 1000; ++i) counters().launches += 1;
  other.join();
  EXPECT_EQ(counters().launches, before + 2000);
}

}  // namespace
}  // namespace systolic::internal::runtime
