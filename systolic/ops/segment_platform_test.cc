#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/segment.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::segment_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2., 1., 4.}, {4, 2});
  const Array ids = Array::from({2, 0, 2, -1});
  struct Row {
    const char* op;
    Tensor (*f)(const Arg&, const Arg&, const SegmentOptions&);
  };
  std::vector<OpSample> samples;
  std::vector<DType> real{DType::float32, DType::float64, DType::bfloat16,
                          DType::float16, DType::int32,   DType::int64};
  std::vector<DType> all = real;
  all.insert(all.end(), contracts::kComplex.begin(), contracts::kComplex.end());
  for (const Row& row :
       {Row{"segment_sum", segment_sum}, Row{"segment_prod", segment_prod},
        Row{"segment_max", segment_max}, Row{"segment_min", segment_min}}) {
    samples.push_back(
        {.op = row.op,
         .call =
             [f = row.f](const Tensors& in) {
               const Tensor y = f(in[0], in[1], {.num_segments = 3});
               // Finite where a segment has no rows.
               return Tensors{take(y, constant({0, 2}))};
             },
         .inputs = {x, ids},
         .dtypes = row.f == segment_sum || row.f == segment_prod ? all : real});
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

// The examples of TensorFlow's and Keras's documentation.
TEST(Segment, ValuesAreTensorFlows) {
  const Tensor c =
      constant(Array::from({1, 2, 3, 4, 4, 3, 2, 1, 5, 6, 7, 8}, {3, 4}));
  const Tensor ids = constant({0, 0, 1});
  Comparisons all;
  all.add("sum", segment_sum(c, ids),
          Array::from({5, 5, 5, 5, 5, 6, 7, 8}, {2, 4}));
  all.add("mean", segment_mean(cast<float>(c), ids),
          Array::from({2.5f, 2.5f, 2.5f, 2.5f, 5.f, 6.f, 7.f, 8.f}, {2, 4}));
  all.add("max", segment_max(c, ids),
          Array::from({4, 3, 3, 4, 5, 6, 7, 8}, {2, 4}));
  all.add("min", segment_min(c, ids, {.sorted = true}),
          Array::from({1, 2, 2, 1, 5, 6, 7, 8}, {2, 4}));
  all.add("prod", segment_prod(c, ids),
          Array::from({4, 6, 6, 4, 5, 6, 7, 8}, {2, 4}));
  const Tensor scattered = constant({2, 0, 2});
  const Tensor x = constant({1.0, 2.0, 4.0});
  all.add("unsorted sum", unsorted_segment_sum(x, scattered, 4),
          Array::from({2.f, 0.f, 5.f, 0.f}));
  all.add("unsorted mean", unsorted_segment_mean(x, scattered, 3),
          Array::from({2.f, 0.f, 2.5f}));
  all.add("unsorted sqrt_n", unsorted_segment_sqrt_n(x, scattered, 3),
          Array::from({2.f, 0.f, 5 / std::sqrt(2.f)}));
  all.add("unsorted prod", unsorted_segment_prod(x, scattered, 3),
          Array::from({2.f, 1.f, 4.f}));
  all.add("unsorted max", unsorted_segment_max(x, scattered, 3),
          Array::from({2.f, -INFINITY, 4.f}));
  all.add("unsorted min", unsorted_segment_min(x, scattered, 3),
          Array::from({2.f, INFINITY, 1.f}));
  all.add("two axes",
          unsorted_segment_sum(constant({{1, 2}, {3, 4}}),
                               constant({{0, 1}, {1, -1}}), 2),
          Array::from({1, 5}));
}

TEST(Segment, ProductsWithOneZeroHaveGradients) {
  const Tensor x = constant(Array::from({2., 0., 3.}));
  GradientTape tape;
  tape.watch(x);
  const Tensor y = sum(segment_prod(x, constant({0, 0, 0})));
  EXPECT_EQ(golden::difference(tape.gradient(y, {x})[0].numpy(),
                               Array::from({0., 6., 0.})),
            "");
}

TEST(Segment, MistakesAreNamed) {
  const Tensor x = constant({1.0, 2.0});
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)segment_sum(x, constant({0, 1, 2}));
            }).find("one segment number for each row"),
            std::string::npos);
  EXPECT_NE(message_of<TypeError>([&] {
              (void)segment_sum(x, x);
            }).find("integer segment numbers"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([&] {
              (void)segment_max(x, constant({0, 1}), {.num_segments = -1});
            }).find("num_segments"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
