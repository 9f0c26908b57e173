#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/ops.h"
#include "systolic/regularizers/regularizer.h"

namespace systolic::regularizers {
namespace {

TEST(Regularizers, PenaltiesByHand) {
  const Tensor x = constant(Array::from({1.f, -2.f, 3.f}));
  EXPECT_FLOAT_EQ(L1()(x).item<float>(), 0.06f);
  EXPECT_FLOAT_EQ(L2()(x).item<float>(), 0.14f);
  EXPECT_FLOAT_EQ(L1L2({.l1 = 0.5, .l2 = 0.25})(x).item<float>(), 6.5f);
  EXPECT_FLOAT_EQ(L1L2()(x).item<float>(), 0.f);
  EXPECT_FLOAT_EQ(Regularizer("l2")(x).item<float>(), 0.14f);
  EXPECT_EQ(L2()(cast(x, DType::bfloat16)).spec(),
            (TensorSpec{DType::bfloat16, Shape::scalar()}));
}

TEST(Regularizers, GradientsByHand) {
  const Tensor x = constant(Array::from({1.f, -2.f}));
  GradientTape tape;
  tape.watch(x);
  const Tensor penalty = L1L2({.l1 = 1, .l2 = 0.5})(x);
  EXPECT_EQ(tape.gradient(penalty, x).numpy().to_string(), "[ 2. -3.]");
}

TEST(Regularizers, AnUnsetOneHasNoPenalty) {
  EXPECT_THROW(Regularizer()(1.f), ValueError);
}

}  // namespace
}  // namespace systolic::regularizers
