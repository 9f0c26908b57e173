#include "systolic/data/composite.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "systolic/array/arrays.h"
#include "systolic/data/dataset.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/testing/error_text.h"

namespace systolic::data {
namespace {

Array numbers(int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return Array::from(values);
}

RaggedArray ragged(const std::vector<int64_t>& lengths) {
  const int64_t count =
      std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  return RaggedArray::from_row_lengths(numbers(count), lengths);
}

SparseArray sparse(int64_t place, int64_t length) {
  return SparseArray(Array::from<int64_t>({place}, {1, 1}),
                     Array::from({static_cast<float>(10 * place)}),
                     Array::from<int64_t>({length}));
}

// Elements 0 to 3: a number and a RaggedArray of two rows, of `i` and 1.
Dataset numbered() {
  return Dataset::range(4).map([](int64_t i) {
    return std::pair(i, ragged({i, 1}));
  });
}

TEST(CompositeTest, BatchesOfRaggedArraysHaveAnAxisMore) {
  const Dataset batches = numbered().batch(3);
  std::vector<std::string> texts;
  for (auto [indices, rows] : batches.as<Array, RaggedArray>()) {
    texts.push_back(indices.to_string() + rows.to_string());
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "[0 1 2][[[], [0]], [[0], [1]], [[0, 1], [2]]]",
                       "[3][[[0, 1, 2], [3]]]"}));
  EXPECT_EQ(batches.element_spec().to_string(),
            "(int64[None], {\"row_splits\": (int64[None], int64[None]), "
            "\"values\": int64[None]})");
}

TEST(CompositeTest, UnbatchUndoesBatch) {
  const Dataset again = numbered().batch(3).unbatch();
  EXPECT_EQ(
      again.element_spec().to_string(),
      "(int64[], {\"row_splits\": (int64[None],), \"values\": int64[None]})");
  std::vector<std::string> texts;
  for (auto [i, rows] : again.as<int64_t, RaggedArray>()) {
    texts.push_back(std::to_string(i) + rows.to_string());
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{"0[[], [0]]", "1[[0], [1]]",
                                      "2[[0, 1], [2]]", "3[[0, 1, 2], [3]]"}));
}

TEST(CompositeTest, RowsOfOneRaggedAxisAreArrays) {
  std::vector<std::string> texts;
  const Dataset rows = Dataset::from_tensor_slices(ragged({2, 0, 1}));
  for (const Array& row : rows.as<Array>()) texts.push_back(row.to_string());
  EXPECT_EQ(texts, (std::vector<std::string>{"[0 1]", "[]", "[2]"}));
  EXPECT_EQ(rows.element_spec().to_string(), "int64[None]");
  EXPECT_EQ(rows.cardinality(), 3);
}

TEST(CompositeTest, RebatchCutsAndJoinsRows) {
  const Dataset lengths =
      Dataset::range(5).map([](int64_t i) { return numbers(i); });
  std::vector<std::string> texts;
  for (const RaggedArray& rows :
       lengths.ragged_batch(2).rebatch(3).as<RaggedArray>()) {
    texts.push_back(rows.to_string());
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"[[], [0], [0, 1]]",
                                             "[[0, 1, 2], [0, 1, 2, 3]]"}));
}

TEST(CompositeTest, BatchesOfSparseArraysHaveTheLongestLengths) {
  const Dataset batches = Dataset::range(3)
                              .map([](int64_t i) { return sparse(i, i + 2); })
                              .batch(3);
  const auto batch = batches.get_single_element().to<SparseArray>();
  EXPECT_EQ(batch.to_string(),
            "SparseArray(indices=[[0 0] [1 1] [2 2]], values=[ 0. 10. 20.], "
            "dense_shape=[3 4])");
  EXPECT_EQ(batches.element_spec().to_string(),
            "{\"dense_shape\": int64[2], \"indices\": int64[None, 2], "
            "\"values\": float32[None]}");
  std::vector<std::string> texts;
  for (const SparseArray& row : batches.unbatch().as<SparseArray>()) {
    texts.push_back(row.to_dense().to_string());
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{"[0. 0. 0. 0.]", "[ 0. 10.  0.  0.]",
                                      "[ 0.  0. 20.  0.]"}));
}

TEST(CompositeTest, AllTransformsKeepThemWhole) {
  // Rows of equal sizes, which would be stacked if they were Arrays alone.
  const Dataset same = Dataset::range(6).map([](int64_t) {
    return std::pair(ragged({1, 2}), sparse(1, 3));
  });
  const auto check = [](const Dataset& batches) {
    int64_t seen = 0;
    for (auto [rows, places] : batches.as<RaggedArray, SparseArray>()) {
      EXPECT_EQ(rows.to_string(), "[[[0], [1, 2]], [[0], [1, 2]]]");
      EXPECT_EQ(places.shape(), (Shape{2, 3}));
      seen += 2;
    }
    EXPECT_EQ(seen, 6);
  };
  check(same.batch(2));
  check(same.shuffle(4, {.seed = 1}).batch(2));
  check(same.cache().batch(2));
  check(same.batch(2, {.num_parallel_calls = 2}));
  check(same.batch(3).unbatch().repeat(1).batch(2));
  check(same.batch(3).rebatch(2));
  check(same.batch(4).shuffle(2, {.seed = 1}).unbatch().batch(2));
}

// Rows of equal lengths, which a shuffle packs.
TEST(CompositeTest, ShuffledRowsKeepTheirLabels) {
  const Dataset rows =
      Dataset::from_tensor_slices(std::pair(ragged({3, 3, 3, 3}), numbers(4)));
  for (const Dataset& shuffled :
       {rows.shuffle(4, {.seed = 1}), rows.shuffle(2, {.seed = 2})}) {
    int64_t seen = 0;
    for (auto [row, label] : shuffled.as<Array, int64_t>()) {
      EXPECT_EQ(row.to_string(),
                (numbers(3) + Array::scalar(3 * label)).to_string());
      ++seen;
    }
    EXPECT_EQ(seen, 4);
  }
}

TEST(CompositeTest, RowsAreBatchedAsTheirSpecSays) {
  const Dataset equal = Dataset::from_tensor_slices(ragged({2, 2}));
  const Dataset unequal = Dataset::from_tensor_slices(ragged({2, 1}));
  for (const int64_t threads : {1, 2}) {
    const BatchOptions options{.num_parallel_calls = threads};
    EXPECT_EQ(equal.batch(2, options).get_single_element().to_string(),
              "[[0 1]\n [2 3]]");
    EXPECT_THROW(unequal.batch(2, options).get_single_element(), ShapeError);
  }
  EXPECT_EQ(unequal.ragged_batch(2)
                .get_single_element()
                .to<RaggedArray>()
                .to_string(),
            "[[0, 1], [2]]");
}

TEST(CompositeTest, ScalarsAndOtherDictsAreKnown) {
  const Dataset scalars = Dataset::range(2).map([](int64_t i) {
    return SparseArray::from_dense(Array::scalar(5.F * static_cast<float>(i)));
  });
  EXPECT_EQ(scalars.batch(2).get_single_element().to<SparseArray>().to_string(),
            "SparseArray(indices=[[1]], values=[5.], dense_shape=[2])");
  const Dataset other = Dataset::range(2).map([](int64_t) {
    return Element::dict({{"dense_shape", Array::zeros({2}, DType::int64)},
                          {"indices", Array::zeros({3, 2}, DType::int64)},
                          {"values", Array::zeros({3, 2})}});
  });
  EXPECT_EQ(other.batch(2).get_single_element()["values"].array().shape(),
            Shape({2, 3, 2}));
}

TEST(CompositeTest, SplitsOfInt32StaySo) {
  const Dataset narrow = Dataset::range(2).map([](int64_t) {
    return Element::dict(
        {{"row_splits", Element::tuple({Array::from<int32_t>({0, 1, 1})})},
         {"values", Array::from({5.F})}});
  });
  const Dataset batches = narrow.batch(2);
  const Element batch = batches.get_single_element();
  EXPECT_EQ(batch.spec().to_string(),
            "{\"row_splits\": (int32[3], int32[5]), \"values\": float32[2]}");
  EXPECT_TRUE(batch.spec().is_compatible_with(batches.element_spec()));
  EXPECT_EQ(batches.unbatch().take(1).get_single_element().spec().to_string(),
            "{\"row_splits\": (int32[3],), \"values\": float32[1]}");
}

TEST(CompositeTest, PositionsAreRestored) {
  const Dataset rows = numbered().batch(3).unbatch();
  Iterator it = rows.iterator();
  it.next();
  Iterator resumed = rows.iterator(it.save());
  EXPECT_EQ(resumed.next().to_string(), it.next().to_string());
}

TEST(CompositeTest, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(internal::text_of<TypeError>([] {
              numbered().padded_batch(2).get_single_element();
            }).substr(0, 47),
            "padded_batch: expected elements of dense Arrays");
  EXPECT_THROW(Dataset::range(2)
                   .map([](int64_t i) {
                     return i == 0 ? Element(ragged({1}))
                                   : Element(sparse(0, 1));
                   })
                   .batch(2)
                   .get_single_element(),
               TypeError);
  EXPECT_THROW(Dataset::range(2)
                   .map([](int64_t i) {
                     return SparseArray(Array::zeros({0, i + 1}, DType::int64),
                                        Array::zeros({0}),
                                        Array::zeros({i + 1}, DType::int64));
                   })
                   .batch(2)
                   .get_single_element(),
               ShapeError);
  EXPECT_THROW(Dataset::from_tensor_slices(sparse(1, 3)), ValueError);
  EXPECT_THROW(Dataset::from_tensor_slices(SparseArray(
                   Array::from<int64_t>({1, 0, 0, 0}, {2, 2}),
                   Array::from({1.F, 2.F}), Array::from<int64_t>({2, 2}))),
               ValueError);
}

}  // namespace
}  // namespace systolic::data
