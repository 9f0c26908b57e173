#include <gtest/gtest.h>

#include <string>

#include "systolic/graph/step.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/positions.h"
#include "systolic/ops/test_ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::internal::ops {
namespace {

std::string problem(const Tensor& positions) {
  return text_of<OutOfRangeError>([&] {
    check_positions("take", positions, {-3, 2}, SourceLocation::current());
  });
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

constexpr const char* kNone = "nothing was thrown";

TEST(PositionsPlatformTest, EndsOfTheRange) {
  EXPECT_EQ(problem(constant({-3, 0, 2})), kNone);
  EXPECT_EQ(first_line(problem(constant({{0, 1}, {2, 3}}))),
            "take: expected positions in -3 ... 2, got 3 at (1, 1)");
  EXPECT_EQ(first_line(problem(constant({-4}))),
            "take: expected positions in -3 ... 2, got -4 at (0,)");
}

TEST(PositionsPlatformTest, ScalarsHaveNoPlace) {
  EXPECT_EQ(first_line(problem(Arg(7).tensor())),
            "take: expected positions in -3 ... 2, got 7");
}

TEST(PositionsPlatformTest, ValuesOnADeviceAreNotFetched) {
  const Tensor computed = constant({7}) + 1;
  EXPECT_EQ(problem(computed), kNone);
  EXPECT_EQ(computed.numpy().to_string(), "[8]");
  EXPECT_EQ(problem(computed), kNone);
}

TEST(PositionsPlatformTest, ValuesOfAStepAreNotLookedAt) {
  const Tensor data = constant({7});
  const graph::Step step(graph::Placement::current_default(), "a step");
  EXPECT_EQ(problem(data), kNone);
}

TEST(PositionsPlatformTest, FractionsAreAnothersMistake) {
  EXPECT_EQ(problem(constant({7.5})), kNone);
}

}  // namespace
}  // namespace systolic::internal::ops
