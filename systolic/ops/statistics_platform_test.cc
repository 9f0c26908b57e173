#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/normalization.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/statistics.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

const Array& matrix() {
  static const Array x = Array::from({3.f, 0.f, -1.f, 4.f, 2.f, 0.f}, {2, 3});
  return x;
}

TEST(Statistics, ValuesAreNumPys) {
  const Tensor x = constant(matrix());
  Comparisons all;
  all.add("std", reduce_std(x), Array::scalar(1.79505494f));
  all.add("std of rows", reduce_std(x, {.axis = -1, .keepdims = true}),
          Array::from({1.69967317f, 1.63299316f}, {2, 1}));
  all.add("variance", reduce_variance(x, {.axis = 0}),
          Array::from({0.25f, 1.f, 0.25f}));
  all.add("norm", reduce_euclidean_norm(x, {.axis = {0, 1}}),
          Array::scalar(std::sqrt(30.f)));
  all.add("count", count_nonzero(x), Array::scalar(4));
  all.add("count of rows", count_nonzero(x, {.axis = 1}), Array::from({2, 2}));
  all.add("count of bools", count_nonzero(x > 0), Array::scalar(3));
  all.add("first moment", moments(x, {.axis = 0}).mean,
          Array::from({3.5f, 1.f, -0.5f}));
  all.add("second moment", moments(x, {.axis = 0}).variance,
          Array::from({0.25f, 1.f, 0.25f}));
}

// numpy.quantile's numbers.
TEST(Statistics, QuantilesAreNumPys) {
  const Tensor x = constant(matrix());
  Comparisons all;
  all.add("median", median(x), Array::scalar(1.f));
  all.add("of rows", median(x, {.axis = 1, .keepdims = true}),
          Array::from({0.f, 2.f}, {2, 1}));
  all.add("of columns", median(x, {.axis = 0}),
          Array::from({3.5f, 1.f, -0.5f}));
  all.add("linear", quantile(x, 0.3), Array::scalar(0.f));
  all.add("several", quantile(x, constant({0.0, 0.7, 1.0})),
          Array::from({-1.f, 2.5f, 4.f}));
  for (const auto& [method, value] :
       {std::pair<const char*, float>{"lower", 2.f},
        {"higher", 3.f},
        {"midpoint", 2.5f},
        {"nearest", 3.f},
        {"linear", 2.75f}}) {
    all.add(method, quantile(x, 0.75, {.method = method}),
            Array::scalar(value));
  }
  all.add("several of columns", quantile(x, constant({0.25, 0.5}), {.axis = 0}),
          Array::from({3.25f, 0.5f, -0.75f, 3.5f, 1.f, -0.5f}, {2, 3}));
  all.add("kept",
          quantile(x, constant({0.25, 0.5}), {.axis = 0, .keepdims = true}),
          Array::from({3.25f, 0.5f, -0.75f, 3.5f, 1.f, -0.5f}, {2, 1, 3}));
  all.add("of whole numbers", median(constant({3, 1, 2, 4})),
          Array::scalar(2.5f));
  EXPECT_TRUE(std::isnan(median(constant({1.0, NAN, 2.0})).item<float>()));
  EXPECT_NE(message_of<ValueError>([&] {
              (void)quantile(x, 0.5, {.method = "most"});
            }).find("\"midpoint\""),
            std::string::npos);
}

// Half to each of the middle two.
TEST(Statistics, TheMediansGradient) {
  const Tensor x = constant({5.0, 1.0, 3.0, 2.0});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = median(x);
  Comparisons all;
  all.add("gradient", tape.gradient(y, x), Array::from({0.f, 0.f, 0.5f, 0.5f}));
}

TEST(Statistics, BothNamesAreOneFunction) {
  const Tensor x = constant(matrix());
  Comparisons all;
  const ReduceOptions rows{.axis = 1};
  all.add("sum", reduce_sum(x, rows), sum(matrix(), rows));
  all.add("prod", reduce_prod(x, rows), prod(matrix(), rows));
  all.add("mean", reduce_mean(x, rows), mean(matrix(), rows));
  all.add("max", reduce_max(x, rows), max(matrix(), rows));
  all.add("min", reduce_min(x, rows), min(matrix(), rows));
  all.add("amax", amax(x, rows), max(matrix(), rows));
  all.add("amin", amin(x, rows), min(matrix(), rows));
  all.add("logsumexp", reduce_logsumexp(x), Array::scalar(4.43604851f));
}

TEST(Statistics, Averages) {
  const Tensor x = constant(matrix());
  Comparisons all;
  all.add("mean", average(x, {.axis = 0}), Array::from({3.5f, 1.f, -0.5f}));
  all.add("by rows", average(x, {.axis = 0, .weights = constant({3.0, 1.0})}),
          Array::from({3.25f, 0.5f, -0.75f}));
  all.add("all", average(x, {.weights = ones({2, 3})}), Array::scalar(8.f / 6));
  EXPECT_EQ(message_of<ShapeError>([&] {
              (void)average(x, {.weights = constant({1.0, 2.0})});
            }).substr(0, 7),
            "average");
}

// tf.clip_by_norm and tf.clip_by_global_norm.
TEST(Statistics, ClipsByNorm) {
  const Tensor x = constant(matrix());
  Comparisons all;
  all.add("clipped", clip_by_norm(x, 1.), matrix() / std::sqrt(30.f));
  all.add("short enough", clip_by_norm(x, 10.), matrix());
  all.add("rows", clip_by_norm(x, 2., 1),
          Array::from(
              {1.89736660f, 0.f, -0.63245553f, 1.78885438f, 0.89442719f, 0.f},
              {2, 3}));
  all.add("zeros", clip_by_norm(zeros({3}), 1.), Array::from({0.f, 0.f, 0.f}));
  const auto [clipped, norm] =
      clip_by_global_norm({constant({3.0, 0.0}), Tensor(), constant(4.f)}, 1);
  all.add("norm", norm, Array::scalar(5.f));
  all.add("first", clipped[0], Array::from({0.6f, 0.f}));
  EXPECT_FALSE(clipped[1].is_defined());
  all.add("last", clipped[2], Array::scalar(0.8f));
  EXPECT_TRUE(std::isnan(clip_by_global_norm({constant({INFINITY, 1.0})}, 1)
                             .first[0]
                             .numpy()[1]
                             .item<float>()));
  EXPECT_NE(message_of<ValueError>([] { (void)global_norm({}); }), "");
}

TEST(Statistics, ClippingZerosHasAGradient) {
  const Tensor x = zeros({3});
  GradientTape tape;
  tape.watch(x);
  const Tensor g = tape.gradient(sum(clip_by_norm(x, 2.)), {x})[0];
  EXPECT_EQ(golden::difference(g.numpy(), Array::from({1.f, 1.f, 1.f})), "");
}

}  // namespace
}  // namespace systolic
