#include "systolic/models/feed.h"

#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"

namespace systolic::internal::models {
namespace {

using data::Element;
using systolic::data::text_of;
using systolic::models::labelled_rows;

template <class E>
std::string unpack_error(const Element& element) {
  return text_of<E>([&] { unpack(element, "fit"); });
}

Element pair(const Array& x, const Array& y) { return Element::tuple({x, y}); }

TEST(FeedTest, UnpacksInputsLabelsAndWeights) {
  const auto [x, y] = labelled_rows(6);
  const HostBatch alone = unpack(x, "fit");
  EXPECT_EQ(alone.rows, 6);
  EXPECT_FALSE(alone.y.is_set());
  const HostBatch both = unpack(pair(x, y), "fit");
  EXPECT_EQ(both.y[0].shape(), (Shape{6}));
  EXPECT_FALSE(both.sample_weight.is_set());
  const HostBatch all = unpack(Element::tuple({x, y, Array::ones({6})}), "fit");
  EXPECT_TRUE(all.sample_weight.is_set());
  EXPECT_EQ(all.nbytes(), 6u * 4 * 4 + 6 * 4 + 6 * 4);
}

TEST(FeedTest, WideNumbersBecomeWhatDevicesTake) {
  const Array x = Array::from({0.5, 1.5}, {2, 1});
  const Array y = Array::from(std::vector<int64_t>{3, -4});
  const HostBatch batch = unpack(pair(x, y), "fit");
  EXPECT_EQ(batch.x[0].dtype(), DType::float32);
  EXPECT_EQ(batch.y[0].dtype(), DType::int32);
  EXPECT_EQ(batch.y[0].to_string(), "[ 3 -4]");
  const Array bytes = Array::zeros({2, 3}, DType::uint8);
  EXPECT_EQ(unpack(bytes, "fit").x[0].dtype(), DType::uint8);
}

TEST(FeedTest, LabelsBeyondInt32AreRefused) {
  const Array x = labelled_rows(2).first;
  const Array y = Array::from(std::vector<int64_t>{1, int64_t{1} << 40});
  EXPECT_EQ(unpack_error<ValueError>(pair(x, y)),
            "fit: expected y that fits int32, which devices use, got "
            "1099511627776\n"
            "  y: int64[2]");
}

TEST(FeedTest, StringsAreRefusedExceptWhereNobodyLooks) {
  const Array x = labelled_rows(2).first;
  const Array names = Array::from_strings({"a", "b"}, {2});
  EXPECT_EQ(unpack_error<TypeError>(names),
            "fit: expected x of numbers or bool, got strings\n"
            "  x: string[2]\n"
            "  hint: turn strings into numbers in the pipeline, with map()");
  EXPECT_THROW(unpack(pair(x, names), "fit"), TypeError);
  EXPECT_EQ(unpack_inputs(pair(x, names), "predict").rows, 2);
}

TEST(FeedTest, ElementsOfAnotherFormAreNamed) {
  const auto [x, y] = labelled_rows(2);
  EXPECT_EQ(unpack_error<ValueError>(Element::tuple({x, y, y, y})),
            "fit: expected x, (x, y) or (x, y, sample_weight), got a tuple of "
            "4 items\n"
            "  element: (float32[2, 4], int32[2], int32[2], int32[2])");
  EXPECT_EQ(unpack_error<ValueError>(Element::tuple(
                {Element::dict({{"a", Element::dict({{"b", x}})}}), y})),
            "fit: expected an Array, or a tuple or dict of Arrays, as x, got "
            "{\"a\": {\"b\": float32[2, 4]}}\n"
            "  hint: map() the data set to pairs (x, y) of those");
  EXPECT_EQ(unpack_error<ShapeError>(Array::scalar(1.f)),
            "fit: expected batches, whose first axis is the batch, got "
            "float32[] as x\n"
            "  hint: call batch() on the data set");
  EXPECT_EQ(unpack_error<ValueError>(Array::zeros({0, 4})),
            "fit: expected batches of at least one row, got float32[0, 4] as "
            "x");
}

TEST(FeedTest, RowsOfABatchMustAgree) {
  const Array x = labelled_rows(4).first;
  EXPECT_EQ(unpack_error<ShapeError>(pair(x, labelled_rows(3).second)),
            "fit: expected as many rows in every part of a batch, got 4 in x "
            "and int32[3] in y\n"
            "  x: float32[4, 4]");
  EXPECT_THROW(unpack(pair(x, Array::scalar(1)), "fit"), ShapeError);
  EXPECT_THROW(
      unpack(Element::tuple({x, labelled_rows(4).second, Array::ones({3})}),
             "fit"),
      ShapeError);
}

TEST(FeedTest, BatchesOfTheSameSpecsShareAProgram) {
  const auto [x, y] = labelled_rows(4);
  const HostBatch four = unpack(pair(x, y), "fit");
  EXPECT_TRUE(four.same_specs(unpack(pair(x, y), "fit")));
  EXPECT_FALSE(four.same_specs(unpack(x, "fit")));
  EXPECT_FALSE(four.same_specs(
      unpack(pair(labelled_rows(3).first, labelled_rows(3).second), "fit")));
}

}  // namespace
}  // namespace systolic::internal::models
