#include "systolic/array/resize_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/testing/error_text.h"

namespace systolic::internal {
namespace {

ResizeWeights weights(int64_t from, int64_t to, std::string_view method,
                      bool antialias = false) {
  return resize_weights(from, to, method, antialias, SourceLocation::current());
}

TEST(ResizeWeights, SumToOneInside) {
  for (const char* method : {"bilinear", "bicubic", "area", "lanczos3",
                             "lanczos5", "gaussian", "mitchellcubic"}) {
    for (const int64_t from : {1, 2, 7, 40}) {
      for (const int64_t to : {1, 3, 40, 97}) {
        for (const bool antialias : {false, true}) {
          const ResizeWeights w = weights(from, to, method, antialias);
          ASSERT_EQ(static_cast<int64_t>(w.starts.size()), to);
          ASSERT_EQ(static_cast<int64_t>(w.weights.size()), to * w.taps);
          for (int64_t i = 0; i < to; ++i) {
            const int64_t start = w.starts[static_cast<size_t>(i)];
            EXPECT_GE(start, 0);
            EXPECT_LE(start + w.taps, from);
            double total = 0;
            for (int64_t t = 0; t < w.taps; ++t) {
              total += w.weights[static_cast<size_t>(i * w.taps + t)];
            }
            EXPECT_NEAR(total, 1, 1e-12) << method << from << to;
          }
        }
      }
    }
  }
}

TEST(ResizeWeights, OfHalves) {
  const ResizeWeights area = weights(4, 2, "area");
  EXPECT_EQ(area.starts, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(area.weights, (std::vector<double>{0.5, 0.5, 0, 0, 0.5, 0.5}));
  const ResizeWeights linear = weights(2, 4, "bilinear");
  EXPECT_EQ(linear.weights,
            (std::vector<double>{1, 0, 0.75, 0.25, 0.25, 0.75, 0, 1}));
  EXPECT_EQ(nearest_pixels(5, 3), (std::vector<int64_t>{0, 2, 4}));
}

TEST(ResizeWeights, AreTheIdentityWhereNothingIsBlurred) {
  EXPECT_TRUE(weights(5, 5, "bilinear").is_identity());
  EXPECT_TRUE(weights(5, 5, "bicubic").is_identity());
  EXPECT_FALSE(weights(5, 5, "mitchellcubic").is_identity());
  EXPECT_FALSE(weights(5, 6, "bilinear").is_identity());
}

TEST(ResizeWeights, OtherMethodsAreTold) {
  EXPECT_TRUE(
      text_of<ValueError>([] { weights(2, 2, "linear"); })
          .starts_with("resize: expected \"nearest\", \"bilinear\", "
                       "\"bicubic\", \"area\", \"lanczos3\", \"lanczos5\", "
                       "\"gaussian\" or \"mitchellcubic\", got \"linear\""));
}

}  // namespace
}  // namespace systolic::internal
