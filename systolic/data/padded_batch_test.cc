#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset vectors() {
  return Dataset::range(1, 4).map([](int64_t x) {
    return Array::full({x}, static_cast<double>(x), DType::int64);
  });
}

TEST(PaddedBatchTest, FillsUpToTheLongest) {
  EXPECT_EQ(text(vectors().padded_batch(2)), "[[1 0]\n [2 2]] [[3 3 3]]");
  EXPECT_EQ(text(vectors().padded_batch(3, {.padding_values = -1})),
            "[[ 1 -1 -1]\n [ 2  2 -1]\n [ 3  3  3]]");
  EXPECT_EQ(text(vectors().padded_batch(
                2, {.padded_shapes = Shape{4}, .drop_remainder = true})),
            "[[1 0 0 0]\n [2 2 0 0]]");
  const Dataset texts = Dataset::range(1, 3).map([](int64_t x) {
    return std::vector<std::string>(static_cast<size_t>(x), "a");
  });
  EXPECT_EQ(text(texts.padded_batch(2)), "[[b'a' b'']\n [b'a' b'a']]");
  EXPECT_EQ(text(texts.padded_batch(2, {.padding_values = "-"})),
            "[[b'a' b'-']\n [b'a' b'a']]");
}

TEST(PaddedBatchTest, SeveralAxesAndTrees) {
  const Dataset squares = Dataset::range(1, 3).map([](int64_t x) {
    return std::pair(Array::full({x, 3 - x}, double(x), DType::int32), x);
  });
  EXPECT_EQ(text(squares.padded_batch(2)),
            "([[[1 1]\n  [0 0]]\n\n [[2 0]\n  [2 0]]], [1 2])");
  EXPECT_EQ(squares.padded_batch(2).element_spec().to_string(),
            "(int32[2, None, None], int64[2])");
  const std::pair shapes(Shape{2, -1}, Shape::scalar());
  const Dataset padded = squares.padded_batch(
      2, {.padded_shapes = shapes, .padding_values = std::pair(7, 0)});
  EXPECT_EQ(text(padded), "([[[1 1]\n  [7 7]]\n\n [[2 7]\n  [2 7]]], [1 2])");
  EXPECT_EQ(padded.element_spec().to_string(), "(int32[2, 2, None], int64[2])");
}

TEST(PaddedBatchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.padded_batch(7); },
                {.length = 6}),
            "");
}

TEST(PaddedBatchTest, ComplexNumbersTakeRealPadding) {
  const Dataset rows = Dataset::range(2).map(
      [](int64_t i) { return Array::full({i + 1}, 2, DType::complex64); });
  EXPECT_EQ(text(rows.padded_batch(2, {.padding_values = 1.F})),
            "[[2.+0.j 1.+0.j]\n [2.+0.j 2.+0.j]]");
}

TEST(PaddedBatchTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { vectors().padded_batch(0); }),
            "padded_batch: expected batch_size >= 1, got 0");
  const auto read = [](const PaddedBatchOptions& options) {
    vectors().padded_batch(3, options).iterator().next();
  };
  EXPECT_EQ(text_of<ShapeError>([&] { read({.padded_shapes = Shape{2}}); }),
            "padded_batch: expected no element longer than padded_shapes [2], "
            "got one of 3 on axis 0\n"
            "  hint: cut the elements in map(), or ask for -1: the longest");
  EXPECT_EQ(text_of<ShapeError>([&] {
              read({.padded_shapes = Shape{2, 2}});
            }),
            "padded_batch: expected padded_shapes with a length for each axis, "
            "got [2 2]\n  elements: int64[1]");
  EXPECT_EQ(text_of<TypeError>([&] { read({.padding_values = "a"}); }),
            "padded_batch: expected a padding value of int64[], got string[] "
            "of b'a'");
  EXPECT_EQ(text_of<TypeError>([&] { read({.padding_values = 0.5}); }),
            "padded_batch: expected a padding value of int64[], got float64[] "
            "of 0.5");
  EXPECT_THROW(Dataset::range(2)
                   .map([](int64_t) { return Array::from<uint8_t>({1}); })
                   .padded_batch(2, {.padding_values = -1})
                   .get_single_element(),
               TypeError);
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::range(3).padded_batch(
                  2, {.padded_shapes = std::pair(Shape{2}, Shape{2})});
            }),
            "padded_batch: expected padded_shapes for 1 Array, got 2\n"
            "  elements: int64[]");
}

}  // namespace
}  // namespace systolic::data
