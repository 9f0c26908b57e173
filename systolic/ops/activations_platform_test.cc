#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/ops/activations.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using contracts::OpSample;
using contracts::Tensors;
using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::message_of;

// The others are compared in activations/functions_platform_test.cc.
TEST(OpActivations, AreKerass) {
  const auto one = [](Tensor (*make)(const Tensor&)) {
    return [make](const Tensors& in) { return Tensors{make(in[0])}; };
  };
  internal::ops::compare_with_goldens(
      "ops_nn", "activations",
      Calls{
          {"glu", one([](const Tensor& x) { return nn::glu(x); })},
          {"glu 0", one([](const Tensor& x) { return nn::glu(x, 0); })},
          {"sparsemax", one([](const Tensor& x) { return nn::sparsemax(x); })},
          {"sparsemax 0",
           one([](const Tensor& x) { return nn::sparsemax(x, 0); })},
          {"threshold",
           one([](const Tensor& x) { return nn::threshold(x, 0.25, -1); })},
          {"swish", one([](const Tensor& x) { return nn::swish(x); })}});
}

TEST(OpActivations, GradientsAreTheFiniteDifferences) {
  const Array x = Array::from({1.5, -2.25, 0.75, 2.5, -0.75, 2.}, {1, 6});
  const std::vector<OpSample> samples{
      {.op = "multiply",
       .name = "in activations",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::glu(in[0]),         nn::celu(in[0], 0.5),
                            nn::hard_silu(in[0]),   nn::soft_shrink(in[0]),
                            nn::tanh_shrink(in[0]), nn::squareplus(in[0])};
           },
       .inputs = {x},
       .error = 2},
      {.op = "sort",
       .name = "in sparsemax",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::sparsemax(in[0] * 0.25)};
           },
       .inputs = {x},
       .error = 2}};
  contracts::check_ops(samples, {}, internal::ops::catalog());
}

TEST(OpActivations, HalvesHaveToBeThere) {
  EXPECT_TRUE(begins(message_of<ShapeError>([] {
                       nn::glu(zeros({2, 3}));
                     }),
                     "glu: expected an even size along axis 1, got 3\n"));
}

}  // namespace
}  // namespace systolic
