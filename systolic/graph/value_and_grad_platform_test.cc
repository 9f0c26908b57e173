#include <gmock/gmock.h>

#include "systolic/graph/test_fixture.h"
#include "systolic/graph/value_and_grad.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using ValueAndGradTest = GraphTest;

using Floats = std::vector<float>;

TEST_F(ValueAndGradTest, GivesBothForTheFirstArgument) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    return sum(x * x * y);
  };
  const auto [value, gradient] =
      value_and_grad(f)(vector({1, 2}), vector({3, 4}));
  EXPECT_EQ(value.item<float>(), 19);
  EXPECT_EQ(floats(gradient), (Floats{6, 16}));
}

TEST_F(ValueAndGradTest, OfTheArgumentsThatAreNamed) {
  const auto f = [](const Tensor& x, const Tensor& y, const Tensor&) {
    return sum(x * y);
  };
  const auto gradients =
      grad(f, {1, 2})(vector({1, 2}), vector({3, 4}), vector({5, 6, 7}));
  EXPECT_EQ(floats(gradients[0]), (Floats{1, 2}));
  EXPECT_EQ(floats(gradients[1]), (Floats{0, 0, 0}));
}

TEST_F(ValueAndGradTest, OfVariables) {
  Variable w(vector({1, 2})), b(vector({3, 4}));
  const auto loss = [&](const Tensor& x) { return sum(square(x * w + b)); };
  const auto [value, gradients] = value_and_grad(loss, {w, b})(vector({1, -1}));
  EXPECT_EQ(value.item<float>(), 16 + 4);
  EXPECT_EQ(floats(gradients[0]), (Floats{8, -4}));
  EXPECT_EQ(floats(gradients[1]), (Floats{8, 4}));
}

TEST_F(ValueAndGradTest, Nests) {
  const auto f = [](const Tensor& x) { return x * x * x * x; };
  EXPECT_EQ(grad(f)(2.0).item<float>(), 32);
  EXPECT_EQ(grad(grad(f))(2.0).item<float>(), 48);
  EXPECT_EQ(grad(grad(grad(f)))(Variable(2.0)).item<float>(), 48);
}

TEST_F(ValueAndGradTest, TheValueMustBeOneNumber) {
  const Tensor x = vector({1, 2});
  const std::string what = message_of<ValueError>(
      [&] { grad([](const Tensor& v) { return v * v; })(x); });
  EXPECT_THAT(what, HasSubstr("value_and_grad: expected a function that gives "
                              "one number, got float32[2]\n  hint: "));
  EXPECT_THAT(what, HasSubstr("at: value_and_grad_platform_test.cc:"));
}

TEST_F(ValueAndGradTest, ArgumentsMustBeThere) {
  const Tensor x = vector({1, 2});
  EXPECT_THAT(
      message_of<ValueError>(
          [&] { grad([](const Tensor& v) { return sum(v); }, {1})(x); }),
      HasSubstr("value_and_grad: expected argnums from 0 to 0 for a call with "
                "1 argument(s), got 1"));
}

}  // namespace
}  // namespace systolic::internal::graph
