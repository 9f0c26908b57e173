#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/slicing.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::manipulation_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {1, 2, 3});
  const auto all_of = contracts::any_dtype();
  return {{.op = "reshape",
           .call =
               [](const Tensors& in) {
                 return Tensors{reshape(in[0], {3, -1}), expand_dims(in[0], -1),
                                squeeze(in[0])};
               },
           .inputs = {x},
           .dtypes = all_of},
          {.op = "transpose",
           .call =
               [](const Tensors& in) {
                 return Tensors{transpose(in[0]), transpose(in[0], {2, 0, 1})};
               },
           .inputs = {x},
           .dtypes = all_of},
          {.op = "flip",
           .call =
               [](const Tensors& in) {
                 return Tensors{flip(in[0]), flip(in[0], -1)};
               },
           .inputs = {x},
           .dtypes = all_of},
          {.op = "concatenate",
           .call =
               [](const Tensors& in) {
                 return Tensors{concatenate({in[0], in[1], in[0]}, 1),
                                stack({in[0], in[0]}, -1)};
               },
           .inputs = {x, Array::from({4., 0.5, -1.}, {1, 1, 3})},
           .dtypes = all_of},
          {.op = "pad",
           .call =
               [](const Tensors& in) {
                 return Tensors{pad(in[0], {{0, 0}, {2, 0}, {1, 3}}, in[1])};
               },
           .inputs = {x, Array::from({0.5}, Shape::scalar())},
           .dtypes = all_of,
           .error = 2},
          {.op = "pad",
           .name = "trimmed and spread",
           .call =
               [](const Tensors& in) {
                 return Tensors{pad_edges(in[0], in[1], {0, -1, 2}, {1, 0, -2},
                                          {0, 2, 1})};
               },
           .inputs = {x, Array::from({0.5}, Shape::scalar())}}};
}

namespace {

using internal::ops::begins;
using internal::ops::Comparisons;
using internal::ops::message_of;

const Array kX = Array::from({1, 2, 3, 4, 5, 6}, {2, 1, 3});

TEST(Manipulation, OpsAreThoseOfArrays) {
  Comparisons list;
  const Tensor x = constant(kX);
  for (const Shape& shape : {Shape{6}, Shape{3, -1}, Shape{-1, 1, 2, 1}}) {
    list.add("reshape", reshape(x, shape), reshape(kX, shape));
  }
  for (int axis : {0, 2, -1, -4}) {
    list.add("expand_dims", expand_dims(x, axis), expand_dims(kX, axis));
  }
  list.add("squeeze", squeeze(x), squeeze(kX));
  list.add("squeeze -2", squeeze(x, -2), squeeze(kX, -2));
  list.add("transpose", transpose(x), transpose(kX));
  list.add("transpose (1, -1, 0)", transpose(x, {1, -1, 0}),
           transpose(kX, {1, -1, 0}));
  list.add("broadcast_to", broadcast_to(x, {4, 2, 2, 3}),
           broadcast_to(kX, {4, 2, 2, 3}));
  const Array half = cast(kX, DType::bfloat16);
  for (int axis : {0, 1, -1}) {
    list.add("concatenate", concatenate({x, constant(half)}, axis),
             concatenate({kX, half}, axis));
    list.add("concat", concat({x, x, x}, axis), concat({kX, kX, kX}, axis));
    list.add("stack", stack({x, x}, axis), stack({kX, kX}, axis));
  }
  list.add("concatenate one", concatenate({x}, 0), kX);
}

// Keras joins along the last axis if none is named; stack puts a first one.
TEST(Manipulation, DefaultAxes) {
  const Tensor x = constant(kX);
  EXPECT_EQ(concatenate({x, x}).shape(), (Shape{2, 1, 6}));
  EXPECT_EQ(stack({x, x}).shape(), (Shape{2, 2, 1, 3}));
}

TEST(Manipulation, PaddingAndTurning) {
  Comparisons list;
  const Tensor x = constant(Array::from({1, 2, 3}));
  list.add("pad", pad(x, {{1, 2}}), Array::from({0, 1, 2, 3, 0, 0}));
  list.add("pad with a number", pad(x, {{0, 1}}, -7),
           Array::from({1, 2, 3, -7}));
  list.add("pad with a Tensor", pad(x, {{1, 0}}, x[2]),
           Array::from({3, 1, 2, 3}));
  list.add("flip", flip(x), Array::from({3, 2, 1}));
  list.add("flip one axis", flip(reshape(x, {3, 1}), 1),
           Array::from({1, 2, 3}, {3, 1}));
}

TEST(Manipulation, NewValues) {
  Comparisons list;
  list.add("zeros", zeros({2, 1}), Array::zeros({2, 1}));
  list.add("ones of int8", ones({2}, DType::int8),
           Array::ones({2}, DType::int8));
  list.add("full", full({2}, 2.5), Array::full({2}, 2.5));
  list.add("full of a Tensor", full({3}, constant(Array::scalar(4))),
           Array::from({4, 4, 4}));
  list.add("zeros_like", zeros_like(constant(kX)),
           Array::zeros({2, 1, 3}, DType::int32));
  list.add("ones_like", ones_like(constant(cast<float>(kX))),
           Array::ones({2, 1, 3}));
  list.add("no elements", zeros({0, 3}), Array::zeros({0, 3}));
}

TEST(Manipulation, ShapesThatDoNotFitAreTold) {
  const Tensor x = constant(kX);
  const int line = __LINE__ + 1;
  const auto wrong = [&] { reshape(x, {4, -1}); };
  EXPECT_EQ(message_of<ShapeError>(wrong),
            "reshape: expected the sizes beside -1 to divide 6 elements, got "
            "(4, None)\n"
            "  input: int32[2, 1, 3]\n"
            "  at: manipulation_platform_test.cc:" +
                std::to_string(line));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] { reshape(x, {5}); }),
      "reshape: expected a shape of 6 elements, got (5,), which has 5\n"));
  EXPECT_NE(message_of<ShapeError>([&] { reshape(x, {-1, -1}); }), "");
  EXPECT_NE(message_of<ShapeError>([&] { squeeze(x, 0); }), "");
  EXPECT_NE(message_of<ShapeError>([&] { transpose(x, {0, 1}); }), "");
  EXPECT_NE(message_of<OutOfRangeError>([&] { expand_dims(x, 4); }), "");
  EXPECT_NE(message_of<ShapeError>([&] { pad(x, {{1, 1}}); }), "");
  EXPECT_NE(message_of<ValueError>([&] {
              pad(x, {{0, 0}, {-1, 0}, {0, 0}});
            }),
            "");
}

TEST(Manipulation, WhatCanNotBeJoinedIsTold) {
  const Tensor x = constant(kX);
  const int line = __LINE__ + 1;
  const auto wrong = [&] { concatenate({x, constant(Array::from({1}))}, 0); };
  EXPECT_EQ(message_of<ShapeError>(wrong),
            "concatenate: expected inputs that agree but for axis 0, got "
            "(2, 1, 3) and (1,)\n"
            "  input 0: int32[2, 1, 3]\n"
            "  input 1: int32[1]\n"
            "  at: manipulation_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<ShapeError>([&] { stack({x, squeeze(x)}); }), "");
  EXPECT_NE(message_of<ValueError>([] { concatenate({}); }), "");
  EXPECT_NE(message_of<ValueError>([] { stack({}); }), "");
}

}  // namespace
}  // namespace systolic
