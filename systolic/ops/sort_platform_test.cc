#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/sort.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::sort_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  return {{.op = "sort",
           .call =
               [](const Tensors& in) {
                 return Tensors{sort(in[0]), sort(in[0], {.axis = 0}),
                                sort(in[0], {.axis = std::nullopt}),
                                argsort(in[0])};
               },
           .inputs = {x},
           .dtypes = contracts::any_real()},
          {.op = "sort",
           .name = "descending",
           .call =
               [](const Tensors& in) {
                 const TopK top = top_k(in[0], 2);
                 return Tensors{sort(in[0], {.descending = true}), top.values,
                                top.indices};
               },
           .inputs = {x},
           .dtypes = contracts::any_real()}};
}

namespace {

using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::Comparisons;
using internal::ops::message_of;

Tensors both(const TopK& top) { return {top.values, top.indices}; }
Tensors both(const Histogram& h) { return {h.hist, h.bin_edges}; }

TEST(Sort, OrderIsKerasAndTensorFlows) {
  internal::ops::compare_with_goldens(
      "ops_array", "sort",
      Calls{
          {"sort", [](const Tensors& in) { return Tensors{sort(in[0])}; }},
          {"sort 0",
           [](const Tensors& in) { return Tensors{sort(in[0], {.axis = 0})}; }},
          {"sort flat",
           [](const Tensors& in) {
             return Tensors{sort(in[0], {.axis = std::nullopt})};
           }},
          {"sort descending",
           [](const Tensors& in) {
             return Tensors{sort(in[0], {.descending = true})};
           }},
          {"argsort",
           [](const Tensors& in) { return Tensors{argsort(in[0])}; }},
          {"argsort descending",
           [](const Tensors& in) {
             return Tensors{argsort(in[0], {.descending = true})};
           }},
          {"top_k", [](const Tensors& in) { return both(top_k(in[0], 4)); }},
          {"top_k rows",
           [](const Tensors& in) { return both(top_k(in[0], 2)); }},
          {"in_top_k",
           [](const Tensors& in) {
             return Tensors{in_top_k(in[0], in[1], 2)};
           }},
          {"searchsorted",
           [](const Tensors& in) {
             return Tensors{searchsorted(in[0], in[1])};
           }},
          {"searchsorted right",
           [](const Tensors& in) {
             return Tensors{searchsorted(in[0], in[1], {.side = "right"})};
           }},
          {"searchsorted rows",
           [](const Tensors& in) {
             return Tensors{searchsorted(in[0], in[1])};
           }},
          {"digitize",
           [](const Tensors& in) { return Tensors{digitize(in[0], in[1])}; }},
          {"unique",
           [](const Tensors& in) {
             return Tensors{unique(in[0], {.size = 4})};
           }},
          {"unique filled",
           [](const Tensors& in) {
             return Tensors{unique(in[0], {.size = 9, .fill_value = -1})};
           }},
          {"unique_with_counts",
           [](const Tensors& in) {
             const auto found = unique_with_counts(in[0], {.size = 6});
             return Tensors{found.y, found.idx, found.count};
           }},
          {"argwhere",
           [](const Tensors& in) {
             return Tensors{argwhere(in[0], {.size = 11})};
           }},
          {"bincount",
           [](const Tensors& in) {
             return Tensors{bincount(in[0], {.size = 7})};
           }},
          {"bincount weights",
           [](const Tensors& in) {
             return Tensors{bincount(in[0], {.weights = in[1], .size = 5})};
           }},
          {"histogram",
           [](const Tensors& in) {
             return both(histogram(in[0], {.bins = 4}));
           }},
          {"histogram range", [](const Tensors& in) {
             return both(
                 histogram(in[0], {.bins = 3, .range = std::pair(0., 3.)}));
           }}});
}

TEST(Sort, NanIsTheLargest) {
  const float nan = NAN;
  const Tensor x = constant(Array::from({2.f, nan, -1.f, INFINITY}));
  Comparisons list;
  list.add("rising", argsort(x), Array::from({2, 0, 3, 1}));
  list.add("falling", argsort(x, {.descending = true}),
           Array::from({1, 3, 0, 2}));
}

TEST(Sort, WhereThereIsLessThanAskedFor) {
  Comparisons list;
  const auto found = unique_with_counts(Array::from({7, 7, 2}), {.size = 4});
  list.add("y", found.y, Array::from({2, 7, 2, 2}));
  list.add("idx", found.idx, Array::from({1, 1, 0}));
  list.add("count", found.count, Array::from({1, 2, 0, 0}));
  list.add("argwhere",
           argwhere(Array::from({0, 3, 0, 1}), {.size = 5, .fill_value = -1}),
           Array::from({1, 3, -1, -1, -1}, {5, 1}));
  list.add("bincount", bincount(Array::from({0, 9, -1, 0}), {.size = 2}),
           Array::from({2, 0}));
  const Histogram flat = histogram(Array::from({2.f, 2.f}), {.bins = 2});
  list.add("histogram of one value", flat.hist, Array::from({0, 2}));
  list.add("its edges", flat.bin_edges, Array::from({1.5f, 2.f, 2.5f}));
}

TEST(Sort, WrongCallsAreTold) {
  EXPECT_TRUE(begins(message_of<ValueError>([] { top_k(zeros({2}), 3); }),
                     "top_k: expected k from 0 to the size of the last axis, "
                     "got k = 3\n"));
  EXPECT_TRUE(begins(message_of<ValueError>([] { unique(zeros({2}), {}); }),
                     "unique: expected the number of results as .size, got "
                     "none\n"));
  EXPECT_TRUE(begins(message_of<ValueError>([] {
                       searchsorted(zeros({2}), 1., {.side = "middle"});
                     }),
                     "searchsorted: expected side \"left\" or \"right\", got "
                     "\"middle\""));
  EXPECT_TRUE(begins(message_of<ShapeError>([] {
                       in_top_k(zeros({2}), zeros({3, 4}), 1);
                     }),
                     "in_top_k: expected targets (n) and predictions (n, "
                     "classes), got (2,) and (3, 4)"));
}

}  // namespace
}  // namespace systolic
