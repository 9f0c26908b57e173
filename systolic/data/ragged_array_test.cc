#include "systolic/data/ragged_array.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

RaggedArray words() {
  return RaggedArray(Array::from({3, 1, 4, 1, 5}),
                     {Array::from<int64_t>({0, 2, 2, 5})});
}

TEST(RaggedArrayTest, RowsAndTheirLengths) {
  const RaggedArray ragged = words();
  EXPECT_EQ(ragged.to_string(), "[[3, 1], [], [4, 1, 5]]");
  EXPECT_EQ(ragged.nrows(), 3);
  EXPECT_EQ(ragged.row_lengths(), (std::vector<int64_t>{2, 0, 3}));
  EXPECT_EQ(ragged.row(2).to_string(), "[4 1 5]");
  EXPECT_EQ(ragged.bounding_shape(), (Shape{3, 3}));
  EXPECT_EQ(
      RaggedArray::from_rows({Array::from({1.f}), Array::from({2.f, 3.f})})
          .to_string(),
      "[[1.0], [2.0, 3.0]]");
}

TEST(RaggedArrayTest, BecomesDense) {
  EXPECT_EQ(words().to_array().to_string(), "[[3 1 0]\n [0 0 0]\n [4 1 5]]");
  EXPECT_EQ(words().to_array(Array::scalar(-1), {-1, 2}).to_string(),
            "[[ 3  1]\n [-1 -1]\n [ 4  1]]");
  EXPECT_EQ(words().to_array(Array::scalar(9), {4, 1}).to_string(),
            "[[3]\n [9]\n [4]\n [9]]");
  const RaggedArray texts = RaggedArray::from_row_lengths(
      Array::from_strings({"a", "b", "c"}), {1, 2});
  EXPECT_EQ(texts.to_array().to_string(), "[[b'a' b'']\n [b'b' b'c']]");
  EXPECT_EQ(texts.to_string(), "[[b'a'], [b'b', b'c']]");
}

TEST(RaggedArrayTest, NestedAndWithUniformInnerAxes) {
  const RaggedArray nested(
      Array::from({1, 2, 3}),
      {Array::from<int64_t>({0, 2, 2, 3}), Array::from<int64_t>({0, 1, 1, 3})});
  EXPECT_EQ(nested.to_string(), "[[[1], []], [], [[2, 3]]]");
  EXPECT_EQ(nested.bounding_shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(nested.to_array().to_string(),
            "[[[1 0]\n  [0 0]]\n\n [[0 0]\n  [0 0]]\n\n [[2 3]\n  [0 0]]]");
  const RaggedArray points(Array::from({1, 2, 3, 4, 5, 6}, {3, 2}),
                           {Array::from<int64_t>({0, 1, 3})});
  EXPECT_EQ(points.to_array().to_string(),
            "[[[1 2]\n  [0 0]]\n\n [[3 4]\n  [5 6]]]");
  EXPECT_EQ(points.to_array(Array(), {2, 2, 1}).to_string(),
            "[[[1]\n  [0]]\n\n [[3]\n  [5]]]");
  EXPECT_EQ(points.to_array(Array(), {2, 2, 3}).to_string(),
            "[[[1 2 0]\n  [0 0 0]]\n\n [[3 4 0]\n  [5 6 0]]]");
}

TEST(RaggedArrayTest, IsAnElementAndBack) {
  const Element element(words());
  EXPECT_EQ(element.to_string(),
            "{\"row_splits\": ([0 2 2 5],), \"values\": [3 1 4 1 5]}");
  EXPECT_EQ(element.to<RaggedArray>().to_string(), words().to_string());
}

TEST(RaggedArrayMistakesTest, AreNamed) {
  const auto make = [](const Array& splits) {
    return text_of<ValueError>([&] {
      RaggedArray(Array::from({1, 2}), {splits});
    });
  };
  EXPECT_EQ(make(Array::from<int64_t>({0, 3})),
            "data::RaggedArray: expected row_splits that start at 0, never "
            "fall and end at 2, the number of rows below, got [0 3]");
  EXPECT_EQ(make(Array::from({0.f})),
            "data::RaggedArray: expected row_splits of one axis, int64, with "
            "at least one element, got float32[1]");
  EXPECT_EQ(
      text_of<ShapeError>([] { words().to_array(Array(), {2}); }),
      "data::RaggedArray::to_array: expected a shape of 2 axes, got (2,)");
  EXPECT_EQ(text_of<TypeError>([] { words().to_array(Array::scalar(1.f)); }),
            "data::RaggedArray::to_array: expected a default_value of "
            "int32[], got float32[]");
  EXPECT_EQ(text_of<OutOfRangeError>([] { words().row(3); }),
            "data::RaggedArray: expected a row below 3, got 3");
}

}  // namespace
}  // namespace systolic::data
