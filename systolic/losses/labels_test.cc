#include "systolic/losses/labels.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/error.h"

namespace systolic::losses {
namespace {

std::string message(const Array& labels, int64_t num_classes,
                    const LabelCheckOptions& options = {}) {
  try {
    check_labels(labels, num_classes, options);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

TEST(LabelsTest, LabelsOfEveryTypeInRangePass) {
  for (DType dtype : {DType::int8, DType::int16, DType::int32, DType::int64,
                      DType::uint8, DType::uint16, DType::uint32, DType::uint64,
                      DType::float32, DType::float64}) {
    EXPECT_NO_THROW(check_labels(Array::full({3}, 9, dtype), 10)) << dtype;
    EXPECT_THROW(check_labels(Array::full({3}, 10, dtype), 10), ValueError)
        << dtype;
  }
  EXPECT_NO_THROW(check_labels(Array::ones({2}, DType::boolean), 2));
  EXPECT_THROW(check_labels(Array::ones({2}, DType::boolean), 1), ValueError);
  EXPECT_NO_THROW(check_labels(Array::zeros({0}, DType::int32), 10));
}

TEST(LabelsTest, TheMessageSaysWhichAndWhere) {
  EXPECT_EQ(message(Array::from<int64_t>({3, 10, 11}), 10),
            "SparseCategoricalCrossentropy: expected labels in 0 ... 9, one of "
            "10 classes, got 10 at position (1,)\n"
            "  labels: int64[3]\n"
            "  hint: class numbers start at 0: subtract 1 where yours start at "
            "1, or give the last layer one unit more");
  EXPECT_EQ(message(Array::from<int32_t>({0, 1, 2, -1}, {2, 2}), 3,
                    {.who = "fit", .first_row = 100}),
            "fit: expected labels in 0 ... 2, one of 3 classes, got -1 at "
            "position (101, 1)\n"
            "  labels: int32[2, 2]\n"
            "  hint: ignore_class = -1 leaves such labels out of the loss");
  EXPECT_EQ(message(Array::from<uint8_t>({200}), 10),
            "SparseCategoricalCrossentropy: expected labels in 0 ... 9, one of "
            "10 classes, got 200 at position (0,)\n"
            "  labels: uint8[1]\n"
            "  hint: the last layer needs a unit for every class");
}

TEST(LabelsTest, TheIgnoredClassPasses) {
  const Array labels = Array::from<int32_t>({0, -1, 2});
  EXPECT_NE(message(labels, 3), "");
  EXPECT_EQ(message(labels, 3, {.ignore_class = -1}), "");
  EXPECT_NE(message(labels, 2, {.ignore_class = -1}), "");
}

TEST(LabelsTest, NanIsNoLabel) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message(Array::from({0.f, nan}), 3), "");
}

TEST(LabelsTest, StringsAreNoLabels) {
  EXPECT_THROW(check_labels(Array::from_strings({"cat"}), 3), TypeError);
}

}  // namespace
}  // namespace systolic::losses
