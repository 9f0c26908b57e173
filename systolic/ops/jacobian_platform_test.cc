#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using internal::ops::begins;
using internal::ops::message_of;

TEST(Jacobian, HasTheShapesOfTargetAndSource) {
  const Tensor x = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = sum(x * x, {.axis = 1});
  const Tensor jacobian = tape.jacobian(y, x);
  EXPECT_EQ(jacobian.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(jacobian.numpy().to_string(),
            "[[[ 2.  4.  6.]\n  [ 0.  0.  0.]]\n\n [[ 0.  0.  0.]\n  [ 8. 10. "
            "12.]]]");
}

TEST(Jacobian, OfAMatrixProductIsTheMatrix) {
  Variable w(constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}));
  const Tensor x = constant({{0.5, 1.0}});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = matmul(x, transpose(w));
  EXPECT_TRUE(
      array_equal(reshape(tape.jacobian(y, x), {3, 2}).numpy(), w.numpy()));
  const auto both = tape.jacobian(y, {x, w});
  EXPECT_EQ(both[1].shape(), (Shape{1, 3, 3, 2}));
  const Tensor part = both[1][{0, 2}];
  EXPECT_EQ(part.numpy().to_string(), "[[0.  0. ]\n [0.  0. ]\n [0.5 1. ]]");
}

TEST(Jacobian, OfAScalarIsItsGradient) {
  const Tensor x = constant({1.0, 2.0});
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.jacobian(sum(x * x), x).numpy().to_string(), "[2. 4.]");
}

// The Hessian: the Jacobian of a gradient.
TEST(Jacobian, NestsInAnotherTape) {
  const Tensor x = constant({1.0, 2.0, 3.0});
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Tensor gradient = inner.gradient(x[0] * x[1] * x[2], x);
  EXPECT_EQ(outer.jacobian(gradient, x).numpy().to_string(),
            "[[0. 3. 2.]\n [3. 0. 1.]\n [2. 1. 0.]]");
}

TEST(Jacobian, IsDifferentiable) {
  const Tensor x = constant({1.0, 2.0});
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Tensor jacobian = inner.jacobian(x * x * x, x);
  EXPECT_EQ(outer.gradient(jacobian, x).numpy().to_string(), "[ 6. 12.]");
}

TEST(Jacobian, OfEachRowOfABatch) {
  const Tensor x = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  GradientTape tape;
  tape.watch(x);
  const Tensor first = x[{all, 0}], second = x[{all, 1}];
  const Tensor y = stack({first * second, second * second}, 1);
  const Tensor jacobian = tape.batch_jacobian(y, x);
  EXPECT_EQ(jacobian.shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(jacobian.numpy().to_string(),
            "[[[ 2.  1.]\n  [ 0.  4.]]\n\n [[ 4.  3.]\n  [ 0.  8.]]\n\n [[ 6. "
            " 5.]\n  [ 0. 12.]]]");
}

TEST(Jacobian, UnconnectedSources) {
  const Tensor x = constant({1.0, 2.0}), other = constant({3.0});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  tape.watch(other);
  const Tensor y = x * x;
  EXPECT_FALSE(tape.jacobian(y, {x, other})[1].is_defined());
  EXPECT_EQ(tape.jacobian(y, other,
                          {.unconnected_gradients = UnconnectedGradients::zero})
                .numpy()
                .to_string(),
            "[[0.]\n [0.]]");
}

TEST(Jacobian, BatchSizesMustAgree) {
  const Tensor x = constant({{1.0, 2.0}});
  GradientTape tape;
  tape.watch(x);
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] { tape.batch_jacobian(sum(x * x), x); }),
      "GradientTape.batch_jacobian: expected a target and a source of one "
      "batch size, got float32[] and float32[1, 2]\n"));
}

}  // namespace
}  // namespace systolic
