#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/math.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using contracts::Tensors;
using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Rearrange, IsKerasAndNumPys) {
  const auto one = [](Tensor (*make)(const Tensor&)) {
    return [make](const Tensors& in) { return Tensors{make(in[0])}; };
  };
  internal::ops::compare_with_goldens(
      "ops_array", "rearrange",
      Calls{
          {"ravel", one([](const Tensor& x) { return ravel(x); })},
          {"moveaxis", one([](const Tensor& x) { return moveaxis(x, 0, -1); })},
          {"moveaxis several", one([](const Tensor& x) {
             return moveaxis(x, {0, 2}, {1, 0});
           })},
          {"swapaxes", one([](const Tensor& x) { return swapaxes(x, -1, 0); })},
          {"rot90", one([](const Tensor& x) { return rot90(x); })},
          {"rot90 2", one([](const Tensor& x) { return rot90(x, 2); })},
          {"rot90 -1", one([](const Tensor& x) {
             return rot90(x, -1, {1, 2});
           })},
          {"roll", one([](const Tensor& x) { return roll(x, 5); })},
          {"roll 1", one([](const Tensor& x) { return roll(x, -1, 1); })},
          {"roll several", one([](const Tensor& x) {
             return roll(x, {1, -2}, {0, 1});
           })},
          {"tile", one([](const Tensor& x) {
             return tile(x, {2, 1});
           })},
          {"tile more axes", one([](const Tensor& x) {
             return tile(x, {2, 1, 2});
           })},
          {"tile fewer axes",
           one([](const Tensor& x) { return tile(x, {2}); })},
          {"repeat", one([](const Tensor& x) { return repeat(x, 2); })},
          {"repeat 1", one([](const Tensor& x) { return repeat(x, 3, 1); })},
          {"repeat each", one([](const Tensor& x) {
             return repeat(x, std::vector<int64_t>{2, 0, 1}, 0);
           })},
          {"split", [](const Tensors& in) { return split(in[0], 2, 1); }},
          {"split at",
           [](const Tensors& in) {
             return split(in[0], {1, 3});
           }},
          {"unstack", [](const Tensors& in) { return unstack(in[0], 1); }},
          {"hstack", [](const Tensors& in) { return Tensors{hstack(in)}; }},
          {"vstack", [](const Tensors& in) { return Tensors{vstack(in)}; }},
          {"pad reflect", one([](const Tensor& x) {
             return pad(x, {{1, 2}, {3, 0}}, {.mode = "reflect"});
           })},
          {"pad symmetric", one([](const Tensor& x) {
             return pad(x, {{3, 1}, {0, 2}}, {.mode = "symmetric"});
           })},
          {"pad edge", one([](const Tensor& x) {
             return pad(x, {{2, 0}, {1, 4}}, {.mode = "edge"});
           })},
          {"space_to_depth",
           one([](const Tensor& x) { return space_to_depth(x, 2); })},
          {"depth_to_space",
           one([](const Tensor& x) { return depth_to_space(x, 2); })}});
}

// Each element gets back what its copies have.
TEST(Rearrange, GradientsComeBack) {
  const Tensor x = constant({1., 2., 3.});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const auto gradient = [&](const Tensor& y) {
    const Tensor place = cast(arange(y.shape()[0]), DType::float32);
    return tape.gradient(sum(y * place), {x})[0];
  };
  Comparisons list;
  list.add("roll", gradient(roll(x, 1)), Array::from({1.f, 2.f, 0.f}));
  list.add("tile", gradient(tile(x, {2})), Array::from({3.f, 5.f, 7.f}));
  list.add("repeat", gradient(repeat(x, 2)), Array::from({1.f, 5.f, 9.f}));
  list.add("reflect", gradient(pad(x, {{2, 1}}, {.mode = "reflect"})),
           Array::from({2.f, 9.f, 4.f}));
  list.add("edge", gradient(pad(x, {{1, 2}}, {.mode = "edge"})),
           Array::from({1.f, 2.f, 12.f}));
  list.add("split", tape.gradient(sum(split(x, {1})[1]), {x})[0],
           Array::from({0.f, 1.f, 1.f}));
}

// Starts are numbers or values of the program.
TEST(Rearrange, BlocksAreCutAndReplaced) {
  const Tensor x = reshape(arange(12), {3, 4});
  const Tensor row = constant(1) * 1, both = stack({row, row + 1});
  const Array wanted = Array::from({6, 7, 10, 11}, {2, 2});
  Comparisons list;
  list.add("numbers", slice(x, {1, 2}, {2, 2}), wanted);
  list.add("a number and a value", slice(x, {row, 2}, {2, 2}), wanted);
  list.add("a vector", slice(x, both, {2, 2}), wanted);
  list.add("update", slice_update(x, {row, 0}, full({1, 4}, -1)),
           Array::from({0, 1, 2, 3, -1, -1, -1, -1, 8, 9, 10, 11}, {3, 4}));
  list.add("update at a vector", slice_update(x, both, full({1, 1}, -1)),
           Array::from({0, 1, 2, 3, 4, 5, -1, 7, 8, 9, 10, 11}, {3, 4}));
}

TEST(Rearrange, WrongCallsAreTold) {
  const Tensor x = zeros({3, 4});
  EXPECT_TRUE(begins(message_of<ValueError>([&] { split(x, 2); }),
                     "split: expected a number of sections that divides 3, "
                     "got 2\n"));
  EXPECT_TRUE(begins(
      message_of<ValueError>([&] {
        pad(x, {{3, 0}, {0, 0}}, {.mode = "reflect"});
      }),
      "pad: expected widths of at most 2 in mode \"reflect\", got (3, 0) for "
      "axis 0\n"));
  EXPECT_TRUE(begins(message_of<ValueError>([&] {
                       pad(x, {{1, 0}, {0, 0}}, {.mode = "wrap"});
                     }),
                     "pad: expected \"constant\", \"edge\", \"reflect\" or "
                     "\"symmetric\", got \"wrap\""));
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       repeat(x, std::vector<int64_t>{1, 2}, 0);
                     }),
                     "repeat: expected one number for each of 3 elements "
                     "along axis 0, got 2\n"));
  EXPECT_TRUE(begins(message_of<ShapeError>([&] { space_to_depth(x, 2); }),
                     "space_to_depth: expected images (n, h, w, c) and a "
                     "block size that divides h and w, got (3, 4) and 2"));
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       slice(x, {0}, {1, 1});
                     }),
                     "slice: expected a start for each axis and a block that "
                     "fits into the input, got 1 starts and a block of shape "
                     "(1, 1)\n"));
  EXPECT_TRUE(begins(message_of<OutOfRangeError>([&] {
                       slice(x, {2, 0}, {2, 1});
                     }),
                     "slice: expected starts in 0 ... 1, got 2"));
}

}  // namespace
}  // namespace systolic
