#include "systolic/kernels/convolve_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/kernels/test_cases.h"

namespace systolic::internal::kernels {
namespace {

using Floats = std::vector<float>;

// A 3x3 convolution of `images` images with relu and bias, and its data.
struct Data {
  Data(int64_t images, int64_t size, int64_t channels)
      : x_sizes{images, size + 2, size + 2, channels},
        y_sizes{images, size, size, channels},
        w_sizes{3, 3, channels, channels} {
    problem.source = {images, size + 2, size + 2, channels};
    problem.filter = {3, 3, channels, channels};
    problem.destination = {images, size, size, channels};
    x = random_values(x_sizes, 1);
    w = random_values(w_sizes, 2);
    y = random_values(y_sizes, 3);
    dy = random_values(y_sizes, 4);
  }

  // Returns dx, dw and db, one after the other.
  Floats run(int threads) const {
    Floats all(x.size() + w.size() + w_sizes[3]);
    convolve_gradient(problem, threads,
                      {.gradient = dy.data(),
                       .result = y.data(),
                       .input = x.data(),
                       .filter = w.data(),
                       .input_gradient = all.data(),
                       .filter_gradient = all.data() + x.size(),
                       .bias_gradient = all.data() + x.size() + w.size(),
                       .relu = true,
                       .pooling = pooling});
    return all;
  }

  Dimensions x_sizes, y_sizes, w_sizes;
  ConvolutionProblem problem;
  Floats x, w, y, dy;
  const Pooling* pooling = nullptr;
};

void expect_near(const Floats& got, const Floats& expected, float error) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], error) << "at " << i;
  }
}

// Batches smaller than, equal to and larger than the threads, which leave a
// smaller last share or not. One image alone is the same on any thread, so
// that it tells whether the many are right.
TEST(ConvolveGradientTest, SharesMakeTheWhole) {
  for (int64_t images : {1, 2, 3, 5, 8, 9, 17, 33}) {
    const Data data(images, 4, 8);
    const Floats expected = data.run(1);
    for (int threads : {2, 3, 4}) {
      SCOPED_TRACE(std::to_string(images) + " images, " +
                   std::to_string(threads) + " threads");
      expect_near(data.run(threads), expected, 1e-3f);
    }
  }
}

// Images of 64 KiB, so that there are several blocks to a share, the last of
// them smaller, against one image at a time.
TEST(ConvolveGradientTest, BlocksMakeTheShare) {
  for (int64_t images : {6, 7, 13, 20}) {
    const Data data(images, 16, 64);
    Floats expected(data.run(1).size());
    const size_t x = data.x.size() / images, y = data.y.size() / images;
    for (int64_t image = 0; image < images; ++image) {
      Data one(1, 16, 64);
      std::copy_n(data.x.data() + image * x, x, one.x.data());
      std::copy_n(data.y.data() + image * y, y, one.y.data());
      std::copy_n(data.dy.data() + image * y, y, one.dy.data());
      one.w = data.w;
      const Floats got = one.run(1);
      std::copy_n(got.data(), x, expected.data() + image * x);
      for (size_t i = x; i < got.size(); ++i) {
        expected[data.x.size() + i - x] += got[i];
      }
    }
    SCOPED_TRACE(std::to_string(images) + " images");
    for (int threads : {1, 2}) expect_near(data.run(threads), expected, 5e-3f);
  }
}

// The gradient behind a pooling is that of the pooling's gradient, whether the
// windows lie side by side or overlap, in shares and as a whole.
TEST(ConvolveGradientTest, APoolingIsSpreadFirst) {
  for (const int64_t stride : {2, 1}) {
    for (const int64_t images : {2, 9}) {
      Data data(images, 7, 8);
      for (float& value : data.y) value = std::max(0.f, value);
      Pooling pooling;
      pooling.source = {images, 7, 7, 8};
      const int64_t size = (7 - 2) / stride + 1;
      pooling.destination = {images, size, size, 8};
      pooling.window = {2, 2};
      pooling.strides = {stride, stride};
      const Floats dp = random_values({images, size, size, 8}, 6);
      for (int64_t image = 0; image < images; ++image) {
        pool_gradient(pooling, data.y.data() + image * pooling.source_size(),
                      dp.data() + image * pooling.destination_size(),
                      data.dy.data() + image * pooling.source_size());
      }
      const Floats expected = data.run(1);
      data.dy = dp;
      data.pooling = &pooling;
      for (int threads : {1, 2, 4}) {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        expect_near(data.run(threads), expected, 1e-4f);
      }
    }
  }
}

TEST(ConvolveGradientTest, EqualThreadsGiveEqualBits) {
  const Data data(17, 6, 16);
  for (int threads : {1, 3, 40}) {
    const Floats first = data.run(threads);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(data.run(threads), first);
  }
}

TEST(ConvolveGradientTest, LargeFiltersAreNotSummedUp) {
  // 3 x 3 x 1024 x 1024 floats are 38 MB, so three more would be too many.
  const Data data(4, 2, 1024);
  const Floats expected = data.run(1);
  const Floats got = data.run(2);
  for (size_t i = 0; i < got.size(); i += 997) {
    ASSERT_NEAR(got[i], expected[i], 1e-3f);
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
