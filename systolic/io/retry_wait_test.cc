#include "systolic/io/retry_wait.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systolic::io::detail {
namespace {

TEST(RetryWaitTest, DoublesUpToTheLongest) {
  const StorageOptions limits{.first_retry_wait = 0.25,
                              .longest_retry_wait = 1};
  const double waits[] = {0.25, 0.5, 1, 1, 1};
  for (int64_t tries = 1; tries <= 5; ++tries) {
    double least = 1e9;
    double most = 0;
    for (int i = 0; i < 16; ++i) {
      const double wait = retry_wait(limits, tries);
      least = std::min(least, wait);
      most = std::max(most, wait);
    }
    EXPECT_DOUBLE_EQ(least, waits[tries - 1] / 2) << tries;
    EXPECT_DOUBLE_EQ(most, waits[tries - 1]) << tries;
  }
  EXPECT_LE(retry_wait(limits, int64_t{1} << 62), 1);
  EXPECT_EQ(retry_wait({.first_retry_wait = 0}, 7), 0);
}

}  // namespace
}  // namespace systolic::io::detail
