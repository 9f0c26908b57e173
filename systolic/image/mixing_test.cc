#include "systolic/image/mixing.h"

#include <gtest/gtest.h>

#include <set>

#include "systolic/base/seed.h"
#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

// Image i has only i, and label i.
Array numbered(int64_t count, DType dtype) {
  Array images = Array::zeros({count, 8, 8, 3}, DType::float32);
  const auto values = images.mutable_span<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i / 192);
  }
  return cast(images, dtype);
}

Array one_hot(int64_t count) {
  Array labels = Array::zeros({count, count});
  for (int64_t i = 0; i < count; ++i) {
    labels.mutable_span<float>()[static_cast<size_t>(i * count + i)] = 1;
  }
  return labels;
}

TEST(MixUp, ImagesAndLabelsHaveTheSameWeights) {
  set_random_seed(5);
  const auto [images, labels] =
      MixUp({.alpha = 0.4})(numbered(6, DType::float32), one_hot(6));
  int mixed = 0;
  for (int64_t i = 0; i < 6; ++i) {
    float sum = 0, value = 0;
    for (int64_t k = 0; k < 6; ++k) {
      const float weight = labels[{i, k}].item<float>();
      sum += weight;
      value += weight * static_cast<float>(k);
      mixed += weight > 0.01f && weight < 0.99f ? 1 : 0;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_NEAR((images[{i, 3, 4, 1}].item<float>()), value, 1e-4);
  }
  EXPECT_GT(mixed, 0);
}

TEST(CutMix, LabelsAreTheAreas) {
  set_random_seed(9);
  bool any = false;
  for (int round = 0; round < 10; ++round) {
    const auto [images, labels] =
        CutMix()(numbered(6, DType::uint8), one_hot(6));
    EXPECT_EQ(images.dtype(), DType::uint8);
    for (int64_t i = 0; i < 6; ++i) {
      std::vector<int> counts(6);
      const Array image = images[i];
      for (const uint8_t value : image.span<uint8_t>()) ++counts[value];
      for (int64_t k = 0; k < 6; ++k) {
        const float part =
            static_cast<float>(counts[static_cast<size_t>(k)]) / 192;
        EXPECT_NEAR((labels[{i, k}].item<float>()), part, 1e-5);
        any = any || (part > 0.1f && part < 0.9f);
      }
    }
  }
  EXPECT_TRUE(any);
}

TEST(RandAugment, ChangesPicturesByTheSeed) {
  const Array batch = numbered(3, DType::uint8);
  const Array picture = scene(24, 20);
  set_random_seed(2);
  std::set<std::string> seen;
  for (int i = 0; i < 60; ++i) {
    const Array changed = RandAugment({.num_ops = 1})(picture);
    EXPECT_EQ(changed.spec(), picture.spec());
    seen.insert(bytes_of(changed));
  }
  EXPECT_GT(seen.size(), 15u);  // fourteen kinds, some in two directions
  set_random_seed(2);
  EXPECT_TRUE(seen.contains(bytes_of(RandAugment({.num_ops = 1})(picture))));
  EXPECT_EQ(RandAugment()(batch).spec(), batch.spec());
  EXPECT_TRUE(array_equal(RandAugment({.num_ops = 0})(picture), picture));
}

TEST(RandAugment, TakesFloatsOfARange) {
  const Array picture = scene(24, 20);
  for (const Range range : {Range{0, 255}, Range{-1, 1}}) {
    const auto lower = static_cast<float>(range.lower);
    const float step = (static_cast<float>(range.upper) - lower) / 255.F;
    const Array floats = cast<float>(picture) * step + lower;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      set_random_seed(seed);
      const Array bytes = RandAugment()(picture);
      set_random_seed(seed);
      const Array changed = RandAugment({.value_range = range})(floats);
      EXPECT_TRUE(array_equal(changed, cast<float>(bytes) * step + lower));
    }
  }
}

// Pillow's ImageOps.equalize: a step of (1024 - 256) / 255 = 3 pixels.
TEST(RandAugment, EqualizesAsPillow) {
  const auto filled = [](const std::vector<uint8_t>& values) {
    Array picture = Array::zeros({32, 32, 3}, DType::uint8);
    const auto pixels = picture.mutable_span<uint8_t>();
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = values[i / 3 % values.size()];
    }
    return picture;
  };
  const Array picture = filled({10, 20, 30, 40});
  const std::string wanted = bytes_of(filled({0, 85, 171, 255}));
  set_random_seed(2);
  bool seen = false;
  for (int i = 0; i < 200 && !seen; ++i) {
    seen = bytes_of(RandAugment({.num_ops = 1})(picture)) == wanted;
  }
  EXPECT_TRUE(seen);
}

TEST(Mixing, WrongCallsAreTold) {
  const Array images = numbered(2, DType::float32);
  EXPECT_TRUE(
      text_of<TypeError>([&] { MixUp()(images, cast<int32_t>(one_hot(2))); })
          .starts_with("MixUp: expected labels of floating-point "
                       "numbers, which can be mixed, got int32[2, 2]"));
  EXPECT_TRUE(text_of<ShapeError>([&] { CutMix()(images, one_hot(3)); })
                  .starts_with("CutMix: expected a batch: images (n, h, w, c) "
                               "and labels (n, classes), got float32[2, 8, 8, "
                               "3] and float32[3, 3]"));
  EXPECT_THROW(MixUp({.alpha = 0}), ValueError);
  EXPECT_THROW(CutMix({.factor = -1}), ValueError);
  EXPECT_THROW(RandAugment({.factor = 2}), ValueError);
  EXPECT_THROW(RandAugment({.value_range = {1, 1}}), ValueError);
  EXPECT_THROW(RandAugment()(cast<int32_t>(images)), TypeError);
}

}  // namespace
}  // namespace systolic::image
