#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/gather.h"
#include "systolic/ops/image.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

namespace {

const Array kPlaces = Array::from({0, 1, 2, 0, 2, -1}, {3, 2});

}  // namespace

std::vector<OpSample> internal::ops::gather_samples() {
  const Array x =
      Array::from({1.5, -2.25, 0.75, 3., -0.5, 2., 0.25, 1., -4.}, {3, 3});
  const Array values = Array::from({0.5, 4., -1.});
  return {{.op = "gather_nd",
           .call =
               [](const Tensors& in) {
                 return Tensors{gather_nd(in[0], kPlaces),
                                gather_nd(in[0], Array::from({1, 1}, {2, 1}))};
               },
           .inputs = {x},
           .dtypes = contracts::any_dtype()},
          {.op = "gather_nd",
           .name = "along an axis",
           .call =
               [](const Tensors& in) {
                 return Tensors{
                     take_along_axis(in[0], Array::from({2, 0, 1}, {3, 1}))};
               },
           .inputs = {x}},
          {.op = "gather_nd",
           .name = "in crop_and_resize",
           .call =
               [](const Tensors& in) {
                 const Array boxes = Array::from(
                     {0.f, 0.25f, 1.f, 0.75f, 1.f, -0.5f, 0.f, 0.5f}, {2, 4});
                 const Tensor image = reshape(in[0], {1, 3, 3, 1});
                 return Tensors{image::crop_and_resize(
                     image, boxes, Array::from({0, 0}), {4, 1})};
               },
           .inputs = {x},
           // float32 of every dtype.
           .gradient = false},
          {.op = "scatter_nd",
           .call =
               [](const Tensors& in) {
                 return Tensors{tensor_scatter_nd_update(in[0], kPlaces, in[1]),
                                tensor_scatter_nd_add(in[0], kPlaces, in[1]),
                                tensor_scatter_nd_sub(in[0], kPlaces, in[1]),
                                scatter_nd(kPlaces, in[1], {3, 2})};
               },
           .inputs = {x, values},
           .dtypes = contracts::numbers()},
          {.op = "scatter_nd_extreme",
           .call =
               [](const Tensors& in) {
                 return Tensors{tensor_scatter_nd_max(in[0], kPlaces, in[1]),
                                tensor_scatter_nd_min(in[0], kPlaces, in[1])};
               },
           .inputs = {x, values},
           .dtypes = contracts::floats_and_integers()}};
}

namespace {

using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Gather, IsKerasAndTensorFlows) {
  const auto nd = [](const Tensors& in) {
    return Tensors{gather_nd(in[0], in[1])};
  };
  internal::ops::compare_with_goldens(
      "ops_array", "gather",
      Calls{{"gather_nd", nd},
            {"gather_nd rows", nd},
            {"gather_nd of rows of rows",
             [](const Tensors& in) {
               return Tensors{gather_nd(in[0], constant({{{0, 1}, {1, 2}}}))};
             }},
            {"update",
             [](const Tensors& in) {
               return Tensors{tensor_scatter_nd_update(in[0], in[1], in[2])};
             }},
            {"add",
             [](const Tensors& in) {
               return Tensors{tensor_scatter_nd_add(in[0], in[1], in[2])};
             }},
            {"sub",
             [](const Tensors& in) {
               return Tensors{tensor_scatter_nd_sub(in[0], in[1], in[2])};
             }},
            {"max",
             [](const Tensors& in) {
               return Tensors{tensor_scatter_nd_max(in[0], in[1], in[2])};
             }},
            {"min",
             [](const Tensors& in) {
               return Tensors{tensor_scatter_nd_min(in[0], in[1], in[2])};
             }},
            {"scatter_nd",
             [](const Tensors& in) {
               return Tensors{scatter(in[0], in[1], {4})};
             }},
            {"take_along_axis",
             [](const Tensors& in) {
               return Tensors{take_along_axis(in[0], in[1])};
             }},
            {"take_along_axis 0",
             [](const Tensors& in) {
               return Tensors{take_along_axis(in[0], in[1], 0)};
             }},
            {"take_along_axis broadcast",
             [](const Tensors& in) {
               return Tensors{take_along_axis(in[0], in[1], 2)};
             }},
            {"take_along_axis flat", [](const Tensors& in) {
               return Tensors{take_along_axis(in[0], in[1], std::nullopt)};
             }}});
}

TEST(Gather, NegativePositionsCountFromTheEnd) {
  Comparisons list;
  const Tensor x = constant({1, 2, 3});
  const Array last = Array::from({-1, -3}, {2, 1});
  list.add("gather_nd", gather_nd(x, last), Array::from({3, 1}));
  list.add("scatter_update", scatter_update(x, last, constant({7, 8})),
           Array::from({8, 2, 7}));
  list.add("put_along_axis",
           put_along_axis(constant({{1, 2}, {3, 4}}),
                          Array::from({-1, 0}, {2, 1}), 9),
           Array::from({1, 9, 9, 4}, {2, 2}));
}

TEST(Gather, NothingIsTaken) {
  Comparisons list;
  const Array none = Array::zeros({0, 1}, DType::int32);
  const Tensor x = constant({1., 2.});
  list.add("gather_nd", gather_nd(x, none), Array::zeros({0}, DType::float32));
  list.add("add", tensor_scatter_nd_add(x, none, zeros({0})),
           Array::from({1.f, 2.f}));
}

// Both updates and what was there share the gradient of a tie.
TEST(Gather, TiesShareTheGradient) {
  const Tensor x = constant({1., 5.}), y = constant({5., 5., 0.});
  GradientTape tape;
  tape.watch(x);
  tape.watch(y);
  const Tensor z = tensor_scatter_nd_max(x, Array::from({1, 1, 0}, {3, 1}), y);
  const auto grads = tape.gradient(sum(z * constant({2., 3.})), {x, y});
  Comparisons list;
  list.add("x", grads[0], Array::from({2.f, 1.f}));
  list.add("y", grads[1], Array::from({1.f, 1.f, 0.f}));
}

TEST(Gather, WrongCallsAreTold) {
  const Tensor x = zeros({3, 4});
  EXPECT_TRUE(begins(message_of<OutOfRangeError>([&] {
                       gather_nd(x, Array::from({0, 1, 3, 0}, {2, 2}));
                     }),
                     "gather_nd: expected positions in -3 ... 2 for axis 0, "
                     "got 3 at (1, 0)\n"));
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       gather_nd(x, Array::from({0, 1, 3}, {1, 3}));
                     }),
                     "gather_nd: expected indices whose last axis names 1 to "
                     "2 axes, got indices of shape (1, 3)\n"));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] {
        tensor_scatter_nd_add(x, Array::from({0, 1}, {2, 1}), zeros({2}));
      }),
      "scatter_nd: expected updates of shape (2, 4), got (2,)\n"));
  EXPECT_TRUE(begins(message_of<TypeError>([&] {
                       scatter_nd(Array::from({0.5f}, {1, 1}), zeros({1}), {2});
                     }),
                     "scatter_nd: expected integer indices, got float32"));
  EXPECT_TRUE(begins(message_of<OutOfRangeError>([&] {
                       take_along_axis(x, Array::from({4}, {1, 1}));
                     }),
                     "take_along_axis: expected positions in -4 ... 3, got 4 "
                     "at (0, 0)"));
}

}  // namespace
}  // namespace systolic
