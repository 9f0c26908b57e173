#include "systolic/kernels/relu_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/kernels/test_cases.h"

namespace systolic::internal::kernels {
namespace {

using Floats = std::vector<float>;

// Whole numbers, whose sums are exact in any order.
Floats whole_numbers(int64_t pixels, int64_t channels, int seed) {
  Floats values = random_values({pixels, channels}, seed);
  for (float& value : values) value = std::round(4 * value);
  return values;
}

// Channels that fill no block, one, and several with a rest.
TEST(ReluGradientTest, CutsOffAndSums) {
  const int64_t pixels = 7;
  for (int64_t channels : {1, 31, 32, 33, 64, 100, 128, 165}) {
    const Floats dy = whole_numbers(pixels, channels, 1);
    const Floats y = whole_numbers(pixels, channels, 2);
    Floats cut(dy.size()), cut_sums(channels, 1.f), sums(channels, 1.f);
    for (size_t i = 0; i < dy.size(); ++i) {
      cut[i] = y[i] > 0 ? dy[i] : 0;
      cut_sums[i % channels] += cut[i];
      sums[i % channels] += dy[i];
    }
    Floats got(dy.size()), got_sums(channels, 1.f);
    relu_gradient({dy.data(), y.data(), got.data(), got_sums.data()}, pixels,
                  channels);
    EXPECT_EQ(got, cut);
    EXPECT_EQ(got_sums, cut_sums);
    got.assign(got.size(), 9.f);
    relu_gradient({dy.data(), y.data(), got.data(), nullptr}, pixels, channels);
    EXPECT_EQ(got, cut);
    got_sums.assign(channels, 1.f);
    relu_gradient({dy.data(), nullptr, nullptr, got_sums.data()}, pixels,
                  channels);
    EXPECT_EQ(got_sums, sums);
  }
}

// As StableHLO's select by `y > 0`: what is cut off has no influence.
TEST(ReluGradientTest, NothingPassesANanResult) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Floats dy{nan, 1.f, nan}, y{0.f, nan, 1.f};
  Floats got(3), sums(3);
  relu_gradient({dy.data(), y.data(), got.data(), sums.data()}, 1, 3);
  EXPECT_EQ(got[0], 0.f);
  EXPECT_EQ(got[1], 0.f);
  EXPECT_TRUE(std::isnan(got[2]));
}

}  // namespace
}  // namespace systolic::internal::kernels
