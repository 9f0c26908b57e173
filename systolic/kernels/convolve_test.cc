#include "systolic/kernels/convolve.h"

#include <gtest/gtest.h>

#include "systolic/kernels/test_cases.h"

namespace systolic::internal::kernels {
namespace {

using Floats = std::vector<float>;

// A 3x3 convolution of `images` images and its data.
struct Data {
  explicit Data(ConvolutionKind kind, int64_t images, int64_t channels = 8) {
    problem.kind = kind;
    problem.source = {images, 6, 7, channels};
    problem.filter = {3, 3, channels, channels};
    problem.destination = {images, 4, 5, channels};
    problem.bias = kind != ConvolutionKind::input_gradient;
    x = random_values({images, 6, 7, channels}, 1);
    w = random_values({3, 3, channels, channels}, 2);
    b = random_values({channels}, 3);
    y = random_values({images, 4, 5, channels}, 4);
  }

  // Returns what was computed, one after the other.
  Floats run(int threads) {
    convolve(problem, threads,
             {x.data(), w.data(), problem.bias ? b.data() : nullptr, y.data()});
    switch (problem.kind) {
      case ConvolutionKind::forward:
        return y;
      case ConvolutionKind::input_gradient:
        return x;
      case ConvolutionKind::filter_gradient:
        break;
    }
    Floats both = w;
    both.insert(both.end(), b.begin(), b.end());
    return both;
  }

  ConvolutionProblem problem;
  Floats x, w, b, y;
};

constexpr ConvolutionKind kKinds[] = {ConvolutionKind::forward,
                                      ConvolutionKind::input_gradient,
                                      ConvolutionKind::filter_gradient};

// Batches smaller than, equal to and larger than the threads, which leave a
// smaller last slice or not.
TEST(ConvolveTest, SlicesMakeTheWhole) {
  for (ConvolutionKind kind : kKinds) {
    for (int64_t images : {1, 2, 3, 5, 8, 9, 17, 33}) {
      const Floats expected = Data(kind, images).run(1);
      for (int threads : {2, 3, 4}) {
        const Floats got = Data(kind, images).run(threads);
        ASSERT_EQ(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_NEAR(got[i], expected[i], 1e-3f)
              << images << " images, " << threads << " threads, at " << i;
        }
      }
    }
  }
}

TEST(ConvolveTest, EqualThreadsGiveEqualBits) {
  for (ConvolutionKind kind : kKinds) {
    for (int threads : {1, 3}) {
      const Floats first = Data(kind, 17).run(threads);
      for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(Data(kind, 17).run(threads), first);
      }
    }
  }
}

TEST(ConvolveTest, LargeFiltersAreNotSummedUp) {
  // 3 x 3 x 1024 x 1024 floats are 38 MB, so two would be too many.
  Data data(ConvolutionKind::filter_gradient, 2, 1024);
  const Floats expected = data.run(1);
  const Floats got = data.run(2);
  for (size_t i = 0; i < got.size(); i += 997) {
    ASSERT_NEAR(got[i], expected[i], 1e-3f);
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
