#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::slicing_samples() {
  const Array x = Array::from(
      {1.5, -2.25, 0.75, 3., -0.5, 2., 0.25, 1., -3., 4., 0.5, -1.25}, {4, 3});
  // A start that is a value of the program, not of C++.
  const auto moving = [](const Tensors& in) {
    return Tensors{dynamic_index(in[0], in[1]),
                   dynamic_index(in[0], in[1] - 1)};
  };
  return {
      {.op = "slice",
       .call =
           [](const Tensors& in) {
             return Tensors{slice(in[0], {Slice(1, 3), -1}),
                            slice(in[0], {Slice({}, {}, -2)}),
                            in[0][{ellipsis, Slice(0, 3, 2), newaxis}],
                            in[0][2], slice(in[0], {Slice(3, 3)})};
           },
       .inputs = {x},
       .dtypes = contracts::any_dtype()},
      {.op = "slice",
       .name = "at a value",
       .call = moving,
       .inputs = {x, Array::scalar(2)},
       .dtypes = contracts::any_dtype()},
      {.op = "scatter_slice",
       .call =
           [](const Tensors& in) {
             GradientTape tape;
             tape.watch(in[0]);
             const Tensor part = slice(in[0], {Slice(0, 3, 2), Slice(1, 3)});
             return Tensors{tape.gradient(sum(part * in[1]), in[0])};
           },
       .inputs = {x, Array::from({1., -2., 3., 0.5}, {2, 2})},
       .dtypes = contracts::kInexact},
      {.op = "scatter_slice",
       .name = "at a value",
       .call =
           [](const Tensors& in) {
             GradientTape tape;
             tape.watch(in[0]);
             const Tensor row = dynamic_index(in[0], in[2]);
             return Tensors{tape.gradient(sum(row * in[1]), in[0])};
           },
       .inputs = {x, Array::from({1., -2., 3.}), Array::scalar(3)}},
      {.op = "update_slice",
       .call =
           [](const Tensors& in) {
             return Tensors{dynamic_update(in[0], in[2], in[1])};
           },
       .inputs = {x, Array::from({1., -2., 3.}), Array::scalar(1)},
       .dtypes = contracts::any_dtype()}};
}

namespace {

using internal::graph::ProgramCache;
using internal::ops::begins;
using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Slicing, RowsAreReplaced) {
  const Tensor x = constant(Array::from({1, 2, 3, 4, 5, 6}, {3, 2}));
  const Tensor row = constant(Array::from({7, 8}));
  Comparisons list;
  list.add("the last", dynamic_update(x, constant(Array::scalar(2)), row),
           Array::from({1, 2, 3, 4, 7, 8}, {3, 2}));
  list.add("a number of a vector",
           dynamic_update(constant(Array::from({1.f, 2.f})), 0, 9.f),
           Array::from({9.f, 2.f}));
  EXPECT_TRUE(
      begins(message_of<ShapeError>([&] { dynamic_update(x, 0, x); }),
             "dynamic_update: expected a row as x has them along its first "
             "axis, got (3, 2)\n"
             "  x: int32[3, 2]\n"
             "  row: int32[3, 2]"));
}

TEST(Slicing, IsThatOfArrays) {
  Array x = Array::uninitialized({DType::int32, Shape{4, 5, 3}});
  int next = 0;
  for (int& value : x.mutable_span<int>()) value = next++;
  const Tensor t = constant(x);
  const std::vector<std::vector<Index>> cases{
      {2},
      {-1},
      {0, 1, 2},
      {all, -5},
      {Slice(1, 3)},
      {Slice(2)},
      {Slice(-3, -1), Slice(1, {})},
      {Slice({}, {}, 2), Slice({}, {}, 3)},
      {Slice({}, {}, -1)},
      {Slice({}, {}, -2), Slice({}, {}, -3), Slice({}, {}, -1)},
      {Slice(3, 0, -1)},
      {Slice(3, {}, -2)},
      {Slice(-2, -4, -1), 1},
      {Slice(100), Slice(-100, 100)},
      {Slice(10, 20)},
      {Slice(3, 1)},
      {Slice(1, 3, -1)},
      {ellipsis, 0},
      {ellipsis, Slice({}, {}, -1)},
      {1, ellipsis, newaxis},
      {newaxis, all, newaxis, 2, newaxis},
      {newaxis, 0, 0, 0},
      {ellipsis},
      {0, Slice({}, {}, -1), Slice(1)},
  };
  Comparisons list;
  for (const auto& indices : cases) {
    std::string name;
    for (const Index& index : indices) name += index.to_string() + ", ";
    list.add("[" + name + "]", slice(t, indices),
             x.slice(std::span<const Index>(indices)));
  }
}

// The first other start makes a program that takes any.
TEST(Slicing, StartsBecomeArguments) {
  const Array x = Array::from({0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f});
  const Tensor t = constant(x);
  t[0].numpy();
  t[3].numpy();
  const auto before = ProgramCache::instance().statistics().compiles;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(t[i].item<float>(), static_cast<float>(i));
    EXPECT_EQ(t[{i - 8}].item<float>(), static_cast<float>(i));
  }
  for (int i = 0; i < 5; ++i) {
    const Array part = t[Slice(i, i + 4, 2)].numpy();
    EXPECT_TRUE(array_equal(part, x[Slice(i, i + 4, 2)])) << i;
  }
  EXPECT_LE(ProgramCache::instance().statistics().compiles, before + 2);
}

TEST(Slicing, GradientsGoWhereTheElementsCameFrom) {
  const Tensor x = constant(Array::zeros({5}));
  for (int start : {0, 1, 2}) {  // a literal at first, then an argument
    GradientTape tape;
    tape.watch(x);
    const Tensor part = slice(x, {Slice(start, start + 3, 2)});
    const Tensor total = sum(part * constant(Array::from({1.f, 10.f})));
    Array wanted = Array::zeros({5});
    wanted.mutable_span<float>()[static_cast<size_t>(start)] = 1;
    wanted.mutable_span<float>()[static_cast<size_t>(start) + 2] = 10;
    EXPECT_TRUE(array_equal(tape.gradient(total, x).numpy(), wanted));
  }
}

TEST(Slicing, WrongIndicesAreToldWhereTheyStand) {
  const Tensor x = constant(Array::zeros({4, 3}));
  EXPECT_TRUE(begins(message_of<OutOfRangeError>([&] {
                       x[{0, 3}];
                     }),
                     "slice: "));
  EXPECT_NE(message_of<OutOfRangeError>([&] { x[-5]; }), "");
  EXPECT_NE(message_of<ValueError>([&] { x[{0, 0, 0}]; }), "");
  EXPECT_NE(message_of<ValueError>([&] { x[{ellipsis, ellipsis}]; }), "");
  EXPECT_NE(message_of<ValueError>([&] { x[Slice({}, {}, 0)]; }), "");
}

}  // namespace
}  // namespace systolic
