#include "systolic/plan/units.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

TEST(Units, Bytes) {
  EXPECT_EQ(bytes_text(96), "96 B");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(12.0 * (1 << 20)), "12.0 MiB");
  EXPECT_EQ(bytes_text(int64_t{3} << 30), "3.00 GiB");
}

TEST(Units, Seconds) {
  EXPECT_EQ(seconds_text(1.234), "1.23 s");
  EXPECT_EQ(seconds_text(0.1405), "140 ms");
  EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
  EXPECT_EQ(seconds_text(4.56e-6), "4.56 us");
  EXPECT_EQ(seconds_text(0), "0 s");
}

TEST(Units, Shares) {
  EXPECT_EQ(percent_text(0.427), "43 %");
  EXPECT_EQ(percent_text(0.004), "0.4 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(1), "100 %");
}

TEST(Units, Numbers) {
  EXPECT_EQ(number_text(12.34), "12.3");
  EXPECT_EQ(number_text(4474), "4,474");
  EXPECT_EQ(number_text(1234567), "1,234,567");
  EXPECT_EQ(number_text(0.00123), "0.00123");
}

}  // namespace
}  // namespace systolic::internal::plan
