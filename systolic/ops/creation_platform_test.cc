#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/creation.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using contracts::Tensors;
using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Creation, RangesAreKerass) {
  const auto none = [](Tensor (*make)()) {
    return [make](const Tensors&) { return Tensors{make()}; };
  };
  const auto one = [](Tensor (*make)(const Tensor&)) {
    return [make](const Tensors& in) { return Tensors{make(in[0])}; };
  };
  internal::ops::compare_with_goldens(
      "ops_array", "creation",
      Calls{
          {"arange", none([] { return arange(2, 11, 3); })},
          {"arange down", none([] { return arange(5, 0, -2); })},
          {"arange real", none([] { return arange(0.5, 2, 0.25); })},
          {"linspace", none([] { return linspace(0, 1, 7); })},
          {"linspace open",
           none([] { return linspace(2, 3, 5, {.endpoint = false}); })},
          {"linspace of vectors",
           [](const Tensors& in) {
             return Tensors{linspace(in[0], in[1], 3, {.axis = 1})};
           }},
          {"logspace", none([] { return logspace(0, 2, 3); })},
          {"full_like", one([](const Tensor& x) { return full_like(x, 2); })},
          {"eye", none([] { return eye(3, {.columns = 4, .k = 1}); })},
          {"eye below",
           none([] { return eye(3, {.k = -2, .dtype = DType::int32}); })},
          {"identity", none([] { return identity(2); })},
          {"tri", none([] { return tri(3, {.columns = 4, .k = 1}); })},
          {"diag", one([](const Tensor& x) { return diag(x); })},
          {"diag 1", one([](const Tensor& x) { return diag(x, 1); })},
          {"diag -2", one([](const Tensor& x) { return diag(x, -2); })},
          {"diag of a matrix", one([](const Tensor& x) { return diag(x, 1); })},
          {"diagflat", one([](const Tensor& x) { return diagflat(x, 1); })},
          {"diagonal", one([](const Tensor& x) { return diagonal(x); })},
          {"diagonal 1", one([](const Tensor& x) {
             return diagonal(x, {.offset = 1, .axis1 = 2, .axis2 = 1});
           })},
          {"trace", one([](const Tensor& x) {
             return trace(x, {.offset = -1, .axis1 = 1, .axis2 = 2});
           })},
          {"tril", one([](const Tensor& x) { return tril(x); })},
          {"triu", one([](const Tensor& x) { return triu(x, 1); })},
          {"meshgrid",
           [](const Tensors& in) {
             return meshgrid({in[0], in[1]});
           }},
          {"meshgrid ij", [](const Tensors& in) {
             return meshgrid({in[0], in[1]}, "ij");
           }}});
}

TEST(Creation, DtypesAreKept) {
  EXPECT_EQ(arange(0, 3, 1, DType::int64).dtype(), DType::int64);
  EXPECT_EQ(arange(0., 1., 0.5, DType::bfloat16).dtype(), DType::bfloat16);
  EXPECT_EQ(linspace(0, 1, 3, {.dtype = DType::int32}).dtype(), DType::int32);
  const Tensor x = zeros({2, 2}, DType::float16);
  EXPECT_EQ(triu(x).dtype(), DType::float16);
  EXPECT_EQ(diag(x).dtype(), DType::float16);
  Comparisons list;
  list.add("no steps", arange(3, 0), Array::zeros({0}, DType::int32));
  list.add("one number", linspace(2, 5, 1), Array::from({2.f}));
  list.add("bool", tril(ones({2, 2}, DType::boolean)),
           Array::from({true, false, true, true}, {2, 2}));
}

// What is not on a diagonal or in a triangle has no gradient.
TEST(Creation, GradientsAreThoseOfWhatIsKept) {
  const Tensor x = ones({2, 2}), line = ones({2});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  tape.watch(line);
  const Tensor weights = constant({{1., 2.}, {3., 4.}});
  const Tensor lower = sum(tril(x) * weights);
  const Tensor middle = sum(diagonal(x) * constant({5., 6.}));
  const Tensor matrix = sum(diag(line) * weights);
  Comparisons list;
  list.add("tril", tape.gradient(lower, {x})[0],
           Array::from({1.f, 0.f, 3.f, 4.f}, {2, 2}));
  list.add("diagonal", tape.gradient(middle, {x})[0],
           Array::from({5.f, 0.f, 0.f, 6.f}, {2, 2}));
  list.add("diag", tape.gradient(matrix, {line})[0], Array::from({1.f, 4.f}));
}

TEST(Creation, WrongCallsAreTold) {
  EXPECT_EQ(message_of<ValueError>([] { arange(0, 3, 0); }),
            "arange: expected a step that is not 0, got 0");
  EXPECT_TRUE(begins(message_of<ValueError>([] { linspace(0, 1, -1); }),
                     "linspace: expected num of at least 0, got -1"));
  EXPECT_TRUE(begins(message_of<ShapeError>([] { tril(ones({3})); }),
                     "tril: expected an input of at least 2 axes, got "));
  EXPECT_TRUE(begins(message_of<ShapeError>([] {
                       diag(ones({1, 1, 1}));
                     }),
                     "diag: expected a vector or a matrix, got "));
  EXPECT_EQ(message_of<ValueError>([] { meshgrid({ones({2})}, "xyz"); }),
            "meshgrid: expected indexing \"xy\" or \"ij\", got \"xyz\"");
}

}  // namespace
}  // namespace systolic
