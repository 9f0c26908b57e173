#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/products.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::products_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  const Array y = Array::from({0.5, 1.25, -1.75, 2., -0.25, 1.}, {3, 2});
  struct Row {
    const char* name;
    Tensor (*f)(const Tensors&);
    std::vector<Array> inputs;
  };
  const Row rows[] = {
      {"matmul",
       [](const Tensors& in) {
         return matmul(in[0], in[1], {.transpose_a = true, .adjoint_b = true});
       },
       {x, y}},
      {"tensordot",
       [](const Tensors& in) {
         return tensordot(in[0], in[1], {.axes = {{0, 1}, {1, 0}}});
       },
       {x, y}},
      {"dot", [](const Tensors& in) { return dot(in[0], in[1]); }, {x, y}},
      {"inner", [](const Tensors& in) { return inner(in[0], in[1]); }, {x, x}},
      {"kron", [](const Tensors& in) { return kron(in[0], in[1]); }, {x, y}},
      {"cross", [](const Tensors& in) { return cross(in[0], in[1]); }, {x, x}}};
  std::vector<OpSample> samples;
  for (const Row& row : rows) {
    samples.push_back(
        {.op = "",
         .name = row.name,
         .call = [f = row.f](const Tensors& in) { return Tensors{f(in)}; },
         .inputs = row.inputs,
         .dtypes = contracts::kInexact,
         .error = 4});
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Products, ValuesAreNumPys) {
  const Tensor x = constant(Array::from({1, 2, 3, 4, 5, 6}, {2, 3}));
  const Tensor y = constant(Array::from({1, 0, 2, 1, 0, 3}, {3, 2}));
  const Tensor v = constant({1, 2, 3}), w = constant({4, 5, 6});
  Comparisons all;
  all.add("transposed", matmul(x, x, {.transpose_b = true}),
          Array::from({14, 32, 32, 77}, {2, 2}));
  all.add("tensordot 1", tensordot(x, y, {.axes = 1}),
          Array::from({5, 11, 14, 23}, {2, 2}));
  all.add("tensordot 0", tensordot(v, constant({1, 2}), {.axes = 0}),
          Array::from({1, 2, 2, 4, 3, 6}, {3, 2}));
  all.add("tensordot pairs", tensordot(x, y, {.axes = {{0, 1}, {1, 0}}}),
          Array::scalar(28));
  all.add("tensordot of all", tensordot(x, x), Array::scalar(91));
  all.add("dot of vectors", dot(v, w), Array::scalar(32));
  all.add("dot of a matrix", dot(x, v), Array::from({14, 32}));
  all.add("dot of a number", dot(v, 2), Array::from({2, 4, 6}));
  all.add("vdot", vdot(x, transpose(y)), Array::scalar(28));
  all.add("inner", inner(x, v), Array::from({14, 32}));
  all.add("outer", outer(v, constant({1, 10})),
          Array::from({1, 10, 2, 20, 3, 30}, {3, 2}));
  all.add("kron", kron(constant({1, 10}), v),
          Array::from({1, 2, 3, 10, 20, 30}));
  all.add("kron of a matrix", kron(constant({{1, 2}}), constant({{1}, {10}})),
          Array::from({1, 2, 10, 20}, {2, 2}));
  all.add("cross", cross(v, w), Array::from({-3, 6, -3}));
  all.add("cross in a plane", cross(constant({1, 2}), constant({3, 4})),
          Array::scalar(-2));
  all.add("cross of both", cross(constant({1, 2}), w),
          Array::from({12, -6, -3}));
}

TEST(Products, MistakesAreNamed) {
  const Tensor x = ones({2, 3});
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)tensordot(x, x, {.axes = 1});
            }).find("pairs of axes of equal sizes"),
            std::string::npos);
  EXPECT_NE(message_of<ShapeError>([&] { (void)cross(ones({4}), ones({4})); }),
            "");
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)matmul(ones({3}), x, {.transpose_a = true});
            }).find("a matrix to transpose"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
