// MixUp and CutMix of Tensors do what those of Arrays do.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/array/arrays.h"
#include "systolic/graph/function.h"
#include "systolic/image/mixing.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::image {
namespace {

using internal::text_of;
using random::SeedGenerator;

constexpr int64_t kCount = 12;

// Image i has only i, and label i.
Tensor numbered(DType dtype) {
  return cast(broadcast_to(reshape(arange(kCount), {kCount, 1, 1, 1}),
                           {kCount, 8, 6, 1}),
              dtype);
}

Tensor one_hots() { return one_hot(arange(kCount), kCount); }

// The number that an image of these labels has.
Array named_by(const Array& labels) {
  const Tensor numbers = cast(arange(kCount), DType::float32);
  return sum(constant(labels) * numbers, {.axis = -1}).numpy();
}

TEST(MixUpOfTensors, ImagesAndLabelsHaveTheSameWeights) {
  const auto [images, labels] =
      MixUp({.alpha = 0.4})
          .mix(numbered(DType::float32), one_hots(), SeedGenerator(5));
  const Array x = images.numpy(), y = labels.numpy();
  EXPECT_EQ(golden::difference(x[{all, 3, 4, 0}], named_by(y)), "");
  EXPECT_EQ(golden::difference(sum(y, {.axis = -1}), Array::ones({kCount})),
            "");
  int mixed = 0;
  for (const float weight : y.span<float>()) {
    mixed += weight > 0.01f && weight < 0.99f ? 1 : 0;
  }
  EXPECT_GT(mixed, 4);
  const auto [bytes, same] =
      MixUp({.alpha = 0.4})
          .mix(numbered(DType::uint8), one_hots(), SeedGenerator(5));
  EXPECT_EQ(golden::difference(bytes.numpy(), cast<uint8_t>(round(x))), "");
}

TEST(CutMixOfTensors, LabelsAreTheAreas) {
  const SeedGenerator generator(3);
  const auto step = function([&](const Tensor& images, const Tensor& labels) {
    const auto [x, y] = CutMix().mix(images, labels, generator);
    return std::vector<Tensor>{x, y};
  });
  int mixed = 0;
  for (int round = 0; round < 5; ++round) {
    const std::vector<Tensor> result = step(numbered(DType::uint8), one_hots());
    const Array images = result[0].numpy(), labels = result[1].numpy();
    EXPECT_EQ(images.dtype(), DType::uint8);
    for (int64_t i = 0; i < kCount; ++i) {
      const Array image = images[i];
      std::vector<float> parts(kCount);
      for (const uint8_t value : image.span<uint8_t>()) {
        parts[value] += 1.f / 48;
      }
      EXPECT_EQ(golden::difference(labels[i], Array::from(parts)), "");
      mixed += parts[static_cast<size_t>(i)] < 0.9f ? 1 : 0;
    }
  }
  EXPECT_GT(mixed, 20);
}

// A fixed seed decides, and its draws do not repeat each other.
TEST(MixingOfTensors, SeedsDecide) {
  const auto mixed = [](const random::Seed& seed) {
    return CutMix()
        .mix(numbered(DType::float32), one_hots(), seed)
        .first.numpy();
  };
  EXPECT_TRUE(array_equal(mixed(4), mixed(4)));
  EXPECT_FALSE(array_equal(mixed(4), mixed(5)));
  EXPECT_FALSE(array_equal(mixed({}), mixed({})));
}

TEST(MixingOfTensors, WrongBatchesAreTold) {
  EXPECT_TRUE(text_of<ShapeError>([] {
                MixUp().mix(zeros({2, 4, 4, 3}), zeros({3, 5}));
              })
                  .starts_with("MixUp: expected a batch: images (n, h, w, c) "
                               "and labels (n, classes), got float32[2, 4, 4, "
                               "3] and float32[3, 5]"));
  EXPECT_THROW(CutMix().mix(zeros({2, 4, 4, 3}), zeros({2, 5}, DType::int32)),
               TypeError);
}

}  // namespace
}  // namespace systolic::image
