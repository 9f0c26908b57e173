// Products, rows by position, one-hot rows.
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/program.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

namespace {

// 1, 2, ... in an order without a pattern, in steps of a quarter.
Array some(const Shape& shape, int start = 0) {
  Array x = Array::uninitialized({DType::float64, shape});
  int i = start;
  for (double& value : x.mutable_span<double>()) {
    value = (i++ * 7 % 23 - 11) * 0.25;
  }
  return x;
}

OpSample product(std::string name, const Shape& a, const Shape& b) {
  return {
      .op = "matmul",
      .name = std::move(name),
      .call = [](const Tensors& in) { return Tensors{matmul(in[0], in[1])}; },
      .inputs = {some(a), some(b, 5)},
      .dtypes = contracts::kInexact,
      .error = 3};
}

}  // namespace

std::vector<OpSample> internal::ops::linear_samples() {
  const Array x = some({3, 2});
  const Array table = some({2, 4, 3});
  const Array places = Array::from({3, 0, 3}, {3});
  OpSample whole = product("of whole numbers", {2, 3}, {3, 2});
  whole.inputs = {abs(whole.inputs[0]) * 4, abs(whole.inputs[1]) * 4};
  whole.dtypes = contracts::kIntegers;
  whole.gradient = false;
  return {product("", {2, 3}, {3, 2}),
          product("of vectors", {3}, {3}),
          product("row", {3}, {3, 2}),
          product("column", {2, 3}, {3}),
          product("of batches", {2, 2, 3}, {2, 3, 2}),
          product("with one matrix", {2, 2, 3}, {3, 2}),
          product("of broadcast batches", {2, 1, 2, 3}, {3, 3, 1}),
          product("of a vector and batches", {3}, {2, 3, 2}),
          whole,
          {.op = "take",
           .call =
               [](const Tensors& in) {
                 return Tensors{take(in[0], in[1], {.axis = 1}),
                                gather(in[2], reshape(in[1] - 1, {3, 1}) * 0)};
               },
           .inputs = {table, places, x},
           .dtypes = contracts::any_dtype()},
          {.op = "scatter_add_rows",
           .call =
               [](const Tensors& in) {
                 GradientTape tape;
                 tape.watch(in[0]);
                 const Tensor rows = take(in[0], in[1], {.axis = 1});
                 return Tensors{tape.gradient(sum(rows * in[2]), in[0])};
               },
           .inputs = {table, places, some({2, 3, 3}, 3)},
           .dtypes = contracts::kInexact},
          {.op = "arange",
           .call =
               [](const Tensors& in) {
                 return Tensors{arange(5, in[0].dtype()) + in[0]};
               },
           .inputs = {Array::from({1.})},
           .dtypes = contracts::numbers()}};
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Linear, ProductsAreThoseOfArrays) {
  const std::pair<Shape, Shape> shapes[] = {
      {{2, 3}, {3, 4}},    {{3}, {3}},          {{3}, {3, 2}},
      {{2, 3}, {3}},       {{2, 2, 3}, {3, 4}}, {{5, 2, 3}, {5, 3, 1}},
      {{2, 3}, {5, 3, 2}}, {{5, 2, 3}, {3}},    {{4, 1, 2, 3}, {2, 3, 2}},
      {{3}, {2, 3, 4}},    {{0, 3}, {3, 2}},    {{2, 0}, {0, 2}}};
  Comparisons list;
  for (const auto& [a, b] : shapes) {
    const Array x = cast<float>(some(a)), y = cast<float>(some(b, 5));
    const std::string name = a.to_string() + " times " + b.to_string();
    list.add(name, matmul(constant(x), constant(y)), matmul(x, y));
    const Array n = cast<int>(x * 4);
    list.add(name + " promoted", matmul(constant(n), constant(y)),
             matmul(n, y));
    list.add(name + " of ints", matmul(constant(n), constant(cast<int>(y))),
             matmul(n, cast<int>(y)));
  }
}

// Large products by a transposed matrix, which gradients of weights are, go
// through our kernel where the platform has it; the rest is the platform's.
TEST(Linear, GradientsOfLargeWeights) {
  using namespace internal::graph;
  const Placement* placement = Placement::current_default();
  const bool kernel = placement->client().has_kernel("systolic_matmul");
  const Array x = cast<float>(some({200, 784})),
              dy = cast<float>(some({200, 64}));
  const auto gradient = [&](const Tensor& input, const Tensor& w) {
    GradientTape tape;
    tape.watch(w);
    return tape.gradient(sum(matmul(input, w) * constant(dy)), w);
  };
  const auto calls = [&](int64_t inputs, DType dtype) {
    const Tensor dw =
        gradient(cast(constant(x[{Slice(), Slice(0, inputs)}]), dtype),
                 constant(Array::zeros({inputs, 64}, dtype)));
    const Root root{dw.ref(), {}};
    return Program(std::span(&root, 1), placement)
               .emit({})
               .find("systolic_matmul") != std::string::npos;
  };
  EXPECT_EQ(calls(784, DType::float32), kernel);
  EXPECT_FALSE(calls(500, DType::float32));
  EXPECT_FALSE(calls(784, DType::float64));
  Comparisons list;
  list.add("matmul", gradient(constant(x), constant(Array::zeros({784, 64}))),
           matmul(transpose(x, {1, 0}), dy));
}

TEST(Linear, OneHotIsThatOfArrays) {
  const Array labels = Array::from({0, 2, 5, -1}, {2, 2});
  Comparisons list;
  for (int axis : {-1, 0, 1}) {
    const OneHotOptions options{.axis = axis, .dtype = DType::int32};
    list.add("one_hot", one_hot(constant(labels), 3, options),
             one_hot(labels, 3, options));
  }
  const Array bytes = Array::from(std::vector<uint8_t>{9, 1});
  list.add("of bytes", one_hot(constant(bytes), 10), one_hot(bytes, 10));
  list.add("of a scalar", one_hot(constant(Array::scalar(1)), 2),
           one_hot(Array::scalar(1), 2));
}

// As Keras: negative positions count from the end.
TEST(Linear, RowsByPosition) {
  const Tensor x = constant(Array::from({1, 2, 3, 4, 5, 6}, {3, 2}));
  Comparisons list;
  list.add("take", take(x, constant(Array::from({2, 0}))),
           Array::from({5, 6, 1, 2}, {2, 2}));
  list.add("take along the last axis",
           take(x, constant(Array::from({1, 1, 0}, {3, 1})), {.axis = -1}),
           Array::from({2, 2, 1, 4, 4, 3, 6, 6, 5}, {3, 3, 1}));
  list.add("take one", take(x, 1), Array::from({3, 4}));
  list.add("take with int64",
           take(x, constant(Array::from(std::vector<int64_t>{1}))),
           Array::from({3, 4}, {1, 2}));
  list.add("take from the end", take(x, constant(Array::from({-1, -3}))),
           Array::from({5, 6, 1, 2}, {2, 2}));
  list.add("gather", gather(x, constant(Array::from({0}))),
           Array::from({1, 2}, {1, 2}));
  list.add("dynamic_index", dynamic_index(x, constant(Array::scalar(2))),
           Array::from({5, 6}));
  list.add("arange", arange(3), Array::from({0, 1, 2}));
}

TEST(Linear, GradientsOfRowsAddUp) {
  GradientTape tape;
  const Tensor x = constant(Array::zeros({3, 1}));
  tape.watch(x);
  const Tensor rows = take(x, constant(Array::from({2, -1, 0})));
  const Tensor total =
      sum(rows * constant(Array::from({1.f, 10.f, 100.f}, {3, 1})));
  EXPECT_TRUE(array_equal(tape.gradient(total, x).numpy(),
                          Array::from({100.f, 0.f, 11.f}, {3, 1})));
}

TEST(Linear, InnerSizesThatDifferAreTold) {
  const Tensor x = constant(Array::zeros({32, 10}));
  const Tensor y = constant(Array::zeros({8, 4}));
  const int line = __LINE__ + 1;
  const auto wrong = [&] { matmul(x, y); };
  EXPECT_EQ(message_of<ShapeError>(wrong),
            "matmul: expected inner sizes to agree, got (32, 10) and (8, 4)\n"
            "  input 0: float32[32, 10]\n"
            "  input 1: float32[8, 4]\n"
            "  hint: (..., m, k) times (..., k, n) gives (..., m, n)\n"
            "  at: linear_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<ShapeError>([&] { matmul(x, 2); }), "");
  EXPECT_NE(message_of<ShapeError>([] {
              matmul(constant(Array::zeros({2, 2, 3})),
                     constant(Array::zeros({3, 3, 2})));
            }),
            "");
}

TEST(Linear, PositionsAreIntegers) {
  const Tensor x = constant(Array::zeros({2, 2}));
  const int line = __LINE__ + 1;
  const auto wrong = [&] { take(x, constant(Array::from({0.5f}))); };
  EXPECT_EQ(message_of<TypeError>(wrong),
            "take: expected integer positions, got float32\n"
            "  at: linear_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<TypeError>([&] { one_hot(x, 3); }), "");
  EXPECT_NE(message_of<OutOfRangeError>([&] { take(x, 0, {.axis = 2}); }), "");
}

}  // namespace
}  // namespace systolic
