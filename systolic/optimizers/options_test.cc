#include "systolic/optimizers/options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::internal {
namespace {

std::string problem(double value, const OptionRange& range) {
  return text_of<ValueError>(
      [&] { check_option("Adam", "beta_1", value, range); });
}

TEST(OptimizerOptions, EndsOfTheRanges) {
  check_option("Adam", "epsilon", 0, kNotNegative);
  check_option("SGD", "momentum", 0, kShare);
  check_option("SGD", "momentum", 1, kShare);
  check_option("Adam", "beta_1", 0, kDecay);
  check_option("Adam", "beta_1", 0.999999, kDecay);
}

TEST(OptimizerOptions, OutsideIsRefused) {
  EXPECT_EQ(problem(1, kDecay), "Adam: expected beta_1 in [0, 1), got 1");
  EXPECT_EQ(problem(-0.5, kShare),
            "Adam: expected beta_1 in 0 ... 1, got -0.5");
  EXPECT_EQ(problem(-1, kNotNegative), "Adam: expected beta_1 >= 0, got -1");
}

TEST(OptimizerOptions, NeitherNaNNorInfinity) {
  for (const OptionRange& range : {kNotNegative, kShare, kDecay}) {
    EXPECT_NE(problem(NAN, range), "nothing was thrown");
    EXPECT_NE(problem(HUGE_VAL, range), "nothing was thrown");
  }
}

}  // namespace
}  // namespace systolic::internal
