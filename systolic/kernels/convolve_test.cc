#include "systolic/kernels/convolve.h"

#include <gtest/gtest.h>

#include "systolic/kernels/test_cases.h"

namespace systolic::internal::kernels {
namespace {

using Floats = std::vector<float>;

// A 3x3 convolution with bias of `images` images, and its data.
struct Data {
  explicit Data(int64_t images) {
    problem.source = {images, 6, 7, 8};
    problem.filter = {3, 3, 8, 8};
    problem.destination = {images, 4, 5, 8};
    problem.bias = true;
    x = random_values({images, 6, 7, 8}, 1);
    w = random_values({3, 3, 8, 8}, 2);
    b = random_values({8}, 3);
    y.resize(images * 4 * 5 * 8);
  }

  Floats run(int threads) {
    convolve(problem, threads, {x.data(), w.data(), b.data(), y.data()});
    return y;
  }

  ConvolutionProblem problem;
  Floats x, w, b, y;
};

// Batches smaller than, equal to and larger than the threads, which leave a
// smaller last slice or not.
TEST(ConvolveTest, SlicesMakeTheWhole) {
  for (int64_t images : {1, 2, 3, 5, 8, 9, 17, 33}) {
    const Floats expected = Data(images).run(1);
    for (int threads : {2, 3, 4}) {
      const Floats got = Data(images).run(threads);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 1e-3f)
            << images << " images, " << threads << " threads, at " << i;
      }
    }
  }
}

TEST(ConvolveTest, EqualThreadsGiveEqualBits) {
  for (int threads : {1, 3}) {
    const Floats first = Data(17).run(threads);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(Data(17).run(threads), first);
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
