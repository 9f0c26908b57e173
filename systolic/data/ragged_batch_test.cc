#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset vectors() {
  return Dataset::range(4).map([](int64_t x) {
    return std::pair(Array::full({x}, double(x), DType::int64), x);
  });
}

TEST(RaggedBatchTest, VectorsBecomeRaggedAndScalarsDense) {
  const Dataset batches = vectors().ragged_batch(3);
  std::string all;
  for (auto [rows, labels] : batches.as<RaggedArray, Array>()) {
    all += rows.to_string() + labels.to_string() + ' ';
  }
  EXPECT_EQ(all, "[[], [1], [2, 2]][0 1 2] [[3, 3, 3]][3] ");
  EXPECT_EQ(batches.element_spec().to_string(),
            "({\"row_splits\": (int64[None],), \"values\": int64[None]}, "
            "int64[None])");
  EXPECT_EQ(
      text(batches.map([](RaggedArray rows, Array) { return rows.to_array(); })
               .take(1)),
      "[[0 0]\n [1 0]\n [2 2]]");
  EXPECT_EQ(vectors().ragged_batch(3, {.drop_remainder = true}).cardinality(),
            1);
}

TEST(RaggedBatchTest, LengthsThatAreKnownStayDense) {
  const Dataset rows = Dataset::from_tensor_slices(Array::zeros({4, 2}));
  EXPECT_EQ(rows.ragged_batch(4).element_spec().to_string(), "float32[4, 2]");
  EXPECT_EQ(text(rows.ragged_batch(4)),
            "[[0. 0.]\n [0. 0.]\n [0. 0.]\n [0. 0.]]");
}

// Each Array for itself, as tf.data decides it.
TEST(RaggedBatchTest, EachArrayIsRaggedOrDense) {
  const Dataset pairs = Dataset::zip(
      Dataset::from_tensor_slices(Array::ones({3, 2})),
      Dataset::range(3).map([](int64_t x) { return Array::zeros({x}); }));
  const Dataset batches = pairs.ragged_batch(3);
  EXPECT_EQ(batches.element_spec().to_string(),
            "(float32[3, 2], {\"row_splits\": (int64[4],), \"values\": "
            "float32[None]})");
  for (auto [fixed, ragged] : batches.as<Array, RaggedArray>()) {
    EXPECT_EQ(fixed.shape(), (Shape{3, 2}));
    EXPECT_EQ(ragged.to_string(), "[[], [0.0], [0.0, 0.0]]");
  }
}

TEST(RaggedBatchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.ragged_batch(7); },
                {.length = 6}),
            "");
  EXPECT_EQ(resume_failure([] { return vectors().ragged_batch(3); }), "");
}

TEST(RaggedBatchTest, MistakesAreNamed) {
  const Dataset squares = Dataset::range(1, 3).map([](int64_t x) {
    return Array::zeros({1, x});
  });
  EXPECT_EQ(
      text_of<ShapeError>([&] { squares.ragged_batch(2).iterator().next(); }),
      "ragged_batch: expected elements that differ in their first axis "
      "only, got float32[1, 1] and float32[1, 2]\n"
      "  hint: padded_batch() fills up all axes");
}

TEST(SparseBatchTest, EachElementFillsACorner) {
  const Dataset batches =
      vectors().map([](Array x, Array) { return x; }).sparse_batch(4, {5});
  const auto batch = batches.iterator().next().to<SparseArray>();
  EXPECT_EQ(batch.shape(), (Shape{4, 5}));
  EXPECT_EQ(batch.to_dense().to_string(),
            "[[0 0 0 0 0]\n [1 0 0 0 0]\n [2 2 0 0 0]\n [3 3 3 0 0]]");
  const Dataset squares = Dataset::range(1, 3).map([](int64_t x) {
    return Array::ones({x, 3 - x});
  });
  EXPECT_EQ(squares.sparse_batch(2, {2, -1})
                .iterator()
                .next()
                .to<SparseArray>()
                .to_dense()
                .to_string(),
            "[[[1. 1.]\n  [0. 0.]]\n\n [[1. 0.]\n  [1. 0.]]]");
}

TEST(SparseBatchTest, MistakesAreNamed) {
  const Dataset single = vectors().map([](Array x, Array) { return x; });
  EXPECT_EQ(text_of<ShapeError>(
                [&] { single.sparse_batch(4, {2}).iterator().next(); }),
            "sparse_batch: expected elements that fit into row_shape (2,), got "
            "int64[3]");
}

}  // namespace
}  // namespace systolic::data
