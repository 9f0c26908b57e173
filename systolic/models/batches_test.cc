#include "systolic/models/batches.h"

#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"

namespace systolic::internal::models {
namespace {

using systolic::data::text_of;
using systolic::models::labelled_rows;

std::vector<int64_t> batch_sizes(const data::Dataset& dataset) {
  std::vector<int64_t> sizes;
  for (const data::Element& batch : dataset) {
    const Array& x =
        batch.is_array() ? batch.array() : batch.items()[0].array();
    sizes.push_back(x.shape()[0]);
  }
  return sizes;
}

TEST(BatchesTest, ArraysAreCutIntoBatchesOf32) {
  const auto [x, y] = labelled_rows(70);
  EXPECT_EQ(batch_sizes(batches_of(DataSource(x, y), {}, true, "fit")),
            (std::vector<int64_t>{32, 32, 6}));
  EXPECT_EQ(batch_sizes(batches_of(DataSource(x), 50, false, "predict")),
            (std::vector<int64_t>{50, 20}));
}

TEST(BatchesTest, ShuffleKeepsRowsTogetherAndOnlyChangesTheirOrder) {
  const Array x = Array::from({0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}, {8, 1});
  const Array y = Array::from({0, 10, 20, 30, 40, 50, 60, 70});
  const data::Dataset shuffled = batches_of(DataSource(x, y), 8, true, "fit");
  std::vector<float> order;
  for (auto [rows, labels] : shuffled.as<Array, Array>()) {
    for (int i = 0; i < 8; ++i) {
      order.push_back(rows.span<float>()[i]);
      EXPECT_EQ(labels.span<int>()[i], 10 * static_cast<int>(order.back()));
    }
  }
  std::vector<float> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_NE(order, sorted);
  EXPECT_EQ(sorted, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(BatchesTest, ElementsHaveWhatIsSet) {
  const auto [x, y] = labelled_rows(4);
  EXPECT_TRUE(element_of(x, {}, {}, "fit").is_array());
  EXPECT_EQ(element_of(x, y, {}, "fit").items().size(), 2);
  EXPECT_EQ(element_of(x, y, Array::ones({4}), "fit").items().size(), 3);
  EXPECT_EQ(
      text_of<ValueError>([&] { element_of(x, {}, Array::ones({4}), "fit"); }),
      "fit: expected y beside sample_weight, got x and sample_weight "
      "alone");
}

TEST(BatchesTest, WeightsGoToArraysOnly) {
  const auto [x, y] = labelled_rows(4);
  const Array weights = Array::ones({4});
  EXPECT_TRUE(with_weights({x, y}, weights, "fit").sample_weight().is_set());
  EXPECT_FALSE(with_weights({x, y}, {}, "fit").sample_weight().is_set());
  EXPECT_EQ(text_of<ValueError>(
                [&] { with_weights(data::Dataset::range(3), weights, "fit"); }),
            "fit: sample_weight is for Arrays; a Dataset brings its own\n"
            "  hint: make the Dataset's elements (x, y, sample_weight)");
}

TEST(BatchesTest, SplitTakesTheLastRows) {
  const Array x = Array::from({0.f, 1.f, 2.f, 3.f, 4.f}, {5, 1});
  const Array y = Array::from({0, 1, 2, 3, 4});
  const auto [training, validation] = split(DataSource(x, y), 0.3);
  EXPECT_EQ(training.y().single().shape(), (Shape{3}));
  EXPECT_EQ(validation.y().single().to_string(), "[3 4]");
  EXPECT_EQ(validation.x().single().shape(), (Shape{2, 1}));
}

TEST(BatchesTest, SplitSaysWhatItCanNot) {
  const auto [x, y] = labelled_rows(2);
  const DataSource source(x, y);
  EXPECT_EQ(text_of<ValueError>([&] { split(source, 1.5); }),
            "fit: expected validation_split in (0, 1), with Arrays, got 1.5\n"
            "  hint: for a Dataset use take() and skip(), and "
            ".validation_data");
  EXPECT_THROW(split(data::Dataset::range(3), 0.5), ValueError);
  EXPECT_EQ(text_of<ValueError>([&] { split(source, 0.9); }),
            "fit: expected rows enough for training and validation, got 2 "
            "with validation_split 0.9\n"
            "  x: float32[2, 4]");
}

TEST(BatchesTest, RowsMustAgree) {
  const Array x = labelled_rows(6).first;
  const Array y = labelled_rows(5).second;
  EXPECT_EQ(text_of<ShapeError>([&, x = x, y = y] {
              batches_of(DataSource(x, y), {}, true, "fit");
            }),
            "fit: expected as many rows in y as in x, got 5 and 6\n"
            "  x: float32[6, 4]\n"
            "  y: int32[5]");
  EXPECT_EQ(text_of<ShapeError>([&] {
              batches_of(DataSource(Array::scalar(1.f)), {}, false, "predict");
            }),
            "predict: expected x with a first axis of rows, got a scalar\n"
            "  x: float32[]");
  EXPECT_EQ(text_of<ValueError>(
                [&] { batches_of(DataSource(x), 0, false, "predict"); }),
            "predict: expected batch_size of at least 1, got 0");
  EXPECT_EQ(text_of<ValueError>([] { batches_of({}, {}, false, "fit"); }),
            "fit: expected data: a Dataset, or Arrays, got nothing");
  EXPECT_EQ(text_of<ValueError>(
                [] { batches_of(data::Dataset::range(3), 32, false, "fit"); }),
            "fit: batch_size is for Arrays; a Dataset makes its own batches\n"
            "  hint: leave .batch_size out, and call batch() on the Dataset");
}

TEST(BatchesTest, StepsAreKnownWhereTheDataSay) {
  const data::Dataset five = data::Dataset::range(5);
  EXPECT_EQ(known_steps(five, {}, "fit", "steps_per_epoch"), 5);
  EXPECT_EQ(known_steps(five, 3, "fit", "steps_per_epoch"), 3);
  EXPECT_EQ(known_steps(five, 9, "fit", "steps_per_epoch"), 5);
  EXPECT_EQ(known_steps(five.repeat(), 9, "fit", "steps_per_epoch"), 9);
  const data::Dataset some = five.filter([](int64_t i) { return i > 2; });
  EXPECT_EQ(known_steps(some, {}, "fit", "steps_per_epoch"), std::nullopt);
}

TEST(BatchesTest, DataWithoutEndNameTheArgumentThatIsMissing) {
  const data::Dataset endless = data::Dataset::range(5).repeat();
  EXPECT_EQ(text_of<ValueError>(
                [&] { known_steps(endless, {}, "fit", "steps_per_epoch"); }),
            "fit: expected steps_per_epoch, since the data set has no end, "
            "got none\n"
            "  hint: give .steps_per_epoch = N, or leave out repeat()");
  EXPECT_EQ(text_of<ValueError>(
                [&] { known_steps(endless, 0, "evaluate", "steps"); }),
            "evaluate: expected steps of at least 1, got 0");
}

TEST(BatchesTest, EmptyDataAreNamed) {
  const data::Dataset none =
      data::Dataset::range(5).batch(8, {.drop_remainder = true});
  EXPECT_EQ(text_of<ValueError>(
                [&] { known_steps(none, {}, "fit", "steps_per_epoch"); }),
            "fit: expected at least one batch, got an empty data set\n"
            "  data set: batch\n"
            "  hint: with drop_remainder, a data set smaller than one batch "
            "is empty");
}

}  // namespace
}  // namespace systolic::internal::models
