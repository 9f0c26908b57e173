// Max and average pooling: the largest of float32, and the means of windows
// that overlap, by our kernels where the platform has them, the other dtypes
// by StableHLO.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "systolic/array/arrays.h"
#include "systolic/graph/program.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;
using nn::PoolOptions;

namespace {

// No two elements of a window are alike; most are negative, so that zeros
// around would be seen.
Array some(const Shape& shape) {
  Array x = Array::uninitialized({DType::float64, shape});
  int i = 0;
  for (double& value : x.mutable_span<double>()) {
    value = (i++ * 29 % 127 - 110) * 0.125;
  }
  return x;
}

struct Case {
  const char* name;
  Shape x;
  PoolOptions options;
  // Rows, columns and the rows and columns before the first.
  std::array<int64_t, 2> out, low;
};

std::vector<Case> cases() {
  return {
      {"plain", {2, 4, 6, 2}, {}, {2, 3}, {0, 0}},
      {"rest is left", {1, 5, 3, 3}, {}, {2, 1}, {0, 0}},
      {"overlapping",
       {1, 4, 5, 2},
       {.pool_size = {3, 2}, .strides = {1, 1}},
       {2, 4},
       {0, 0}},
      {"same",
       {1, 5, 4, 2},
       {.pool_size = {3, 3}, .strides = {2, 2}, .padding = Padding::same},
       {3, 2},
       {1, 0}},
      {"gaps",
       {1, 7, 7, 1},
       {.pool_size = {2, 1}, .strides = {3, 3}},
       {2, 3},
       {0, 0}},
  };
}

enum class Pool { maximum, mean };

Array plain_loop(const Array& x, const Case& c, Pool pool = Pool::maximum) {
  const Shape& s = x.shape();
  const bool is_mean = pool == Pool::mean;
  Array y = Array::full({s[0], c.out[0], c.out[1], s[3]},
                        is_mean ? 0 : -INFINITY, DType::float64);
  double* to = y.mutable_span<double>().data();
  for (int64_t n = 0; n < s[0]; ++n)
    for (int64_t r = 0; r < c.out[0]; ++r)
      for (int64_t k = 0; k < c.out[1]; ++k)
        for (int64_t f = 0; f < s[3]; ++f, ++to) {
          int inside = 0;
          for (int64_t i = 0; i < c.options.pool_size[0]; ++i)
            for (int64_t j = 0; j < c.options.pool_size[1]; ++j) {
              const auto stride = [&](int axis) {
                return c.options.strides[axis] ? c.options.strides[axis]
                                               : c.options.pool_size[axis];
              };
              const int64_t row = r * stride(0) + i - c.low[0];
              const int64_t column = k * stride(1) + j - c.low[1];
              if (row < 0 || row >= s[1] || column < 0 || column >= s[2]) {
                continue;
              }
              const double value = x[{n, row, column, f}].item<double>();
              *to = is_mean ? *to + value : std::max(*to, value);
              ++inside;
            }
          if (is_mean) *to /= inside;
        }
  return y;
}

// The gradient of in[0]'s pooling, whose own gradient is in[1].
template <class Pool>
Tensors gradient(Pool pool, const PoolOptions& options, const Tensors& in) {
  GradientTape tape;
  tape.watch(in[0]);
  return {tape.gradient(sum(pool(in[0], options) * in[1]), in[0])};
}

}  // namespace

std::vector<OpSample> internal::ops::pooling_samples() {
  std::vector<OpSample> samples;
  for (const Case& c : cases()) {
    const Array x = some(c.x);
    const Array dy = some({c.x[0], c.out[0], c.out[1], c.x[3]}) * 0.25 + 3;
    const PoolOptions options = c.options;
    samples.push_back({.op = "max_pool",
                       .name = c.name,
                       .call =
                           [options](const Tensors& in) {
                             return Tensors{nn::max_pool(in[0], options)};
                           },
                       .inputs = {x},
                       .second_gradient = false});
    samples.push_back({.op = "average_pool",
                       .name = c.name,
                       .call =
                           [options](const Tensors& in) {
                             return Tensors{nn::average_pool(in[0], options)};
                           },
                       .inputs = {x}});
    samples.push_back({.op = "max_pool_gradient",
                       .name = c.name,
                       .call =
                           [options](const Tensors& in) {
                             return gradient(nn::max_pool, options, in);
                           },
                       .inputs = {x, dy},
                       .gradient = false,
                       .error = 2});
    samples.push_back({.op = "average_pool_gradient",
                       .name = c.name,
                       .call =
                           [options](const Tensors& in) {
                             return gradient(nn::average_pool, options, in);
                           },
                       .inputs = {x, dy}});
  }
  samples.push_back(
      {.op = "max_pool",
       .name = "1d and 3d",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::max_pool(in[0]), nn::max_pool(in[1])};
           },
       .inputs = {some({2, 5, 2}), some({1, 2, 3, 4, 1})},
       .second_gradient = false});
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Pooling, IsItsFormula) {
  Comparisons list;
  for (const Case& c : cases()) {
    const Array x = some(c.x);
    const Array wanted = plain_loop(x, c);
    list.add(c.name, nn::max_pool(constant(x), c.options), wanted);
    list.add(std::string(c.name) + " in float32",
             nn::max_pool(constant(cast<float>(x)), c.options),
             cast<float>(wanted));
    list.add(std::string(c.name) + " of ints",
             nn::max_pool(constant(cast<int>(x)), c.options),
             cast<int>(plain_loop(cast<double>(cast<int>(x)), c)));
    const Array mean = plain_loop(x, c, Pool::mean);
    list.add(std::string(c.name) + ", mean", nn::average_pool(x, c.options),
             mean);
    list.add(std::string(c.name) + ", mean in float32",
             nn::average_pool(constant(cast<float>(x)), c.options),
             cast<float>(mean));
    list.add(
        std::string(c.name) + ", mean of ints",
        nn::average_pool(constant(cast<int>(x)), c.options),
        cast<float>(plain_loop(cast<double>(cast<int>(x)), c, Pool::mean)));
  }
}

// Means of windows that overlap go through our kernel where the platform has
// it, except where the images are so few or small that the call would cost
// more; gradients of few channels, and what lies side by side, are XLA's.
TEST(Pooling, MeansOfOverlappingWindows) {
  using namespace internal::graph;
  const Placement* placement = Placement::current_default();
  const bool kernel =
      placement->client().has_kernel("systolic_average_pool2d_forward");
  const auto calls = [&](const Tensor& result) {
    const Root root{result.ref(), {}};
    const std::string text = Program(std::span(&root, 1), placement).emit({});
    std::set<std::string> found;
    for (const char* name : {"forward", "gradient"}) {
      if (text.find(std::string("systolic_average_pool2d_") + name) !=
          std::string::npos) {
        found.insert(name);
      }
    }
    return found;
  };
  const auto pooled = [&](const Shape& x, DType dtype,
                          const PoolOptions& options) {
    return nn::average_pool(constant(Array::zeros(x, dtype)), options);
  };
  const auto slope = [&](const Shape& x, const PoolOptions& options) {
    const Tensor images = constant(cast<float>(some(x)));
    const Tensor y = nn::average_pool(images, options);
    return gradient(nn::average_pool, options, {images, y})[0];
  };
  using Names = std::set<std::string>;
  const PoolOptions overlapping{
      .pool_size = 3, .strides = 1, .padding = Padding::same};
  const Names forward = kernel ? Names{"forward"} : Names{};
  const Names both = kernel ? Names{"forward", "gradient"} : Names{};
  EXPECT_EQ(calls(pooled({2, 9, 8, 20}, DType::float32, overlapping)), forward);
  EXPECT_EQ(calls(pooled({2, 9, 20}, DType::float16, overlapping)), Names{});
  EXPECT_EQ(calls(pooled({2, 90, 20}, DType::float16, overlapping)), forward);
  EXPECT_EQ(calls(pooled({2, 9, 8, 20}, DType::float64, overlapping)), Names{});
  EXPECT_EQ(calls(pooled({2, 9, 8, 20}, DType::float32, {})), Names{});
  EXPECT_EQ(calls(pooled({2, 3, 9, 8, 20}, DType::float32, overlapping)),
            Names{});
  EXPECT_EQ(calls(slope({2, 9, 8, 16}, overlapping)), both);
  EXPECT_EQ(calls(slope({2, 9, 8, 15}, overlapping)), forward);
  EXPECT_EQ(
      calls(slope({2, 1, 8, 16}, {.strides = 1, .padding = Padding::same})),
      Names{});
}

TEST(Pooling, MeansByTheKernelAreTheOnesOfStableHlo) {
  const PoolOptions all[] = {
      {.pool_size = 3, .strides = 2},
      {.pool_size = 3, .strides = 1, .padding = Padding::same},
      {.pool_size = {4, 3}, .strides = {2, 3}, .padding = Padding::same}};
  Comparisons list;
  const Array x = some({3, 11, 10, 20});
  for (const PoolOptions& options : all) {
    const auto outcome = [&](DType dtype) {
      const Tensor images = constant(cast(x, dtype));
      GradientTape outer;
      outer.watch(images);
      const Tensor y = nn::average_pool(images, options);
      const Tensor first = gradient(nn::average_pool, options, {images, y})[0];
      return Tensors{y, first, outer.gradient(sum(first * images), images)};
    };
    const Tensors narrow = outcome(DType::float32);
    const Tensors wide = outcome(DType::float64);
    for (size_t i = 0; i < narrow.size(); ++i) {
      list.add("window " + std::to_string(options.pool_size[0]) + ", result " +
                   std::to_string(i),
               narrow[i], cast<float>(wide[i].numpy()));
    }
  }
}

// Of equals the first of the window takes all.
TEST(Pooling, GradientOfTies) {
  for (DType dtype : {DType::float32, DType::float64}) {
    GradientTape tape;
    const Tensor x = constant(Array::full({1, 2, 4, 1}, 3, dtype));
    tape.watch(x);
    const Tensor y = nn::max_pool(x);
    const Array found = tape.gradient(sum(y), x).numpy();
    EXPECT_TRUE(
        array_equal(found, Array::from({1, 0, 1, 0, 0, 0, 0, 0}, {1, 2, 4, 1})))
        << found;
  }
}

TEST(Pooling, NamesOfPadding) {
  EXPECT_EQ(name(Padding::same), "same");
  EXPECT_EQ(padding_from_name("valid"), Padding::valid);
  EXPECT_EQ(message_of<ValueError>([] { padding_from_name("Same"); }),
            "padding: expected \"valid\" or \"same\", got \"Same\"");
}

TEST(Pooling, WrongShapesAreTold) {
  const Tensor x = constant(Array::zeros({2, 1, 4, 3}));
  const int line = __LINE__ + 1;
  const auto wrong = [&] { nn::max_pool(x); };
  EXPECT_EQ(message_of<ShapeError>(wrong),
            "max_pool: expected an image at least as large as the window, got "
            "size 1, window 2 along axis 1\n"
            "  input: float32[2, 1, 4, 3]\n"
            "  hint: use padding \"same\", or a smaller window\n"
            "  at: pooling_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<ShapeError>([] {
              nn::max_pool(constant(Array::zeros({4, 4})));
            }),
            "");
  EXPECT_NE(message_of<ValueError>([&] {
              nn::max_pool(x, {.pool_size = {1, 0}});
            }),
            "");
  EXPECT_TRUE(message_of<ShapeError>([&] {
                nn::average_pool(x);
              }).starts_with("average_pool: expected an image at least as "));
}

TEST(Pooling, SecondGradientsAreRefused) {
  const Tensor x = constant(Array::zeros({1, 2, 2, 1}));
  GradientTape outer;
  outer.watch(x);
  GradientTape tape;
  tape.watch(x);
  const Tensor first = tape.gradient(sum(nn::max_pool(x)), x);
  EXPECT_NE(message_of<ValueError>([&] {
              outer.gradient(sum(first), x);
            }).find("max_pool_gradient: it has no gradient: "),
            std::string::npos);
}

TEST(Pooling, OtherRanksAreKerass) {
  const auto largest = [](PoolOptions o) {
    return [o](const Tensors& in) { return Tensors{nn::max_pool(in[0], o)}; };
  };
  const auto average = [](PoolOptions o) {
    return
        [o](const Tensors& in) { return Tensors{nn::average_pool(in[0], o)}; };
  };
  internal::ops::compare_with_goldens("ops_windows", "pool",
                                      internal::ops::Calls{
                                          {"max 1d",
                                           largest({.pool_size = 3,
                                                    .strides = 2,
                                                    .padding = Padding::same})},
                                          {"max 3d", largest({})},
                                          {"average 1d",
                                           average({.pool_size = 3,
                                                    .strides = 2,
                                                    .padding = Padding::same})},
                                          {"average 3d",
                                           average({.pool_size = {2, 3, 2},
                                                    .strides = {1, 2, 2}})},
                                          {"adaptive average",
                                           [](const Tensors& in) {
                                             return Tensors{
                                                 nn::adaptive_average_pool(
                                                     in[0],
                                                     {.output_size = {3, 4}})};
                                           }},
                                          {"adaptive max",
                                           [](const Tensors& in) {
                                             return Tensors{
                                                 nn::adaptive_max_pool(
                                                     in[0],
                                                     {.output_size = {3, 4}})};
                                           }}});
}

}  // namespace
}  // namespace systolic
