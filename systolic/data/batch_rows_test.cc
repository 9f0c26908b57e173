#include "systolic/data/batch_rows.h"

#include <gtest/gtest.h>

#include "systolic/array/allocation.h"
#include "systolic/data/stacker.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data::detail {
namespace {

constexpr int64_t kNumbers = int64_t{kLeastLandedRow} / 4;

Array large(int value, int64_t numbers = kNumbers) {
  return Array::full({numbers}, value, DType::int32);
}

TEST(BatchRowsTest, ElementsOfABatchLieOneBehindTheOther) {
  BatchRows rows;
  rows.begin_batch(6, 3);
  Element third(large(8)), first(large(6)), next(large(9));
  rows.land(8, &third);
  rows.land(6, &first);
  rows.land(9, &next);
  EXPECT_EQ(third.array().data(), first.array().data() + 2 * kLeastLandedRow);
  EXPECT_EQ(third.array().owner(), first.array().owner());
  EXPECT_NE(next.array().owner(), first.array().owner());
  EXPECT_EQ(third.array()[0].item<int>(), 8);
  EXPECT_EQ(next.array()[-1].item<int>(), 9);
}

TEST(BatchRowsTest, TheStackerFindsTheBatchMade) {
  const std::string who = "batch";
  BatchRows rows;
  rows.begin_batch(0, 3);
  std::vector<Element> elements;
  for (int i = 0; i < 3; ++i) {
    elements.emplace_back(std::pair(large(i), i));
    rows.land(i, &elements.back());
  }
  Stacker stacker(who, 3);
  for (const Element& element : elements) stacker.add(element);
  const Element batch = stacker.finish();
  EXPECT_EQ(batch[0].array().data(), elements[0][0].array().data());
  EXPECT_EQ(batch[0].array().shape(), Shape({3, kNumbers}));
  EXPECT_EQ((batch[0].array()[{2, 5}].item<int>()), 2);
  EXPECT_EQ(batch[1].to_string(), "[0 1 2]");
  // The last batch of a pass has fewer; a few do not keep the memory of all.
  for (int i = 0; i < 2; ++i) stacker.add(elements[static_cast<size_t>(i)]);
  const Array most = stacker.finish()[0].array();
  EXPECT_EQ(most.shape(), Shape({2, kNumbers}));
  EXPECT_EQ(most.data(), elements[0][0].array().data());
  stacker.add(elements[0]);
  const Array one = stacker.finish()[0].array();
  EXPECT_EQ(one.shape(), Shape({1, kNumbers}));
  EXPECT_EQ(internal::allocated_bytes(one.owner()), kLeastLandedRow);
}

TEST(BatchRowsTest, RowsThatAreNotAdjacentAreCopied) {
  const std::string who = "batch";
  BatchRows rows;
  rows.begin_batch(0, 4);
  std::vector<Element> elements;
  for (int i = 0; i < 4; ++i) {
    elements.emplace_back(large(i));
    rows.land(i, &elements.back());
  }
  Stacker stacker(who, 4);
  for (const size_t i : {0, 1, 3, 2}) stacker.add(elements[i]);
  const Array batch = stacker.finish().array();
  EXPECT_NE(batch.data(), elements[0].array().data());
  for (int i = 0; i < 4; ++i) {
    const int wanted = i < 2 ? i : 5 - i;
    EXPECT_EQ((batch[{i, 0}].item<int>()), wanted);
    EXPECT_EQ((batch[{i, -1}].item<int>()), wanted);
  }
}

TEST(BatchRowsTest, WhatHasNoPlaceStaysAsItIs) {
  BatchRows rows;
  Element before(large(1));
  const std::byte* memory = before.array().data();
  rows.land(0, &before);
  EXPECT_EQ(before.array().data(), memory) << "no batch has begun";
  rows.begin_batch(0, 4);
  Element small(large(1, 10)), text("text");
  memory = small.array().data();
  rows.land(0, &small);
  rows.land(0, &text);
  EXPECT_EQ(small.array().data(), memory);
  rows.land(0, &before);
  Element longer(large(2, kNumbers + 1));
  memory = longer.array().data();
  rows.land(1, &longer);
  EXPECT_EQ(longer.array().data(), memory) << "of another shape";
  Element later(large(2));
  memory = later.array().data();
  rows.land(1, &later);
  EXPECT_EQ(later.array().data(), memory) << "behind one of another shape";
  Element pair(std::pair(large(2), large(3)));
  memory = pair[0].array().data();
  rows.land(1, &pair);
  EXPECT_EQ(pair[0].array().data(), memory) << "of another tree";
}

TEST(BatchRowsTest, OnlyTheRowsKeepTheMemory) {
  BatchRows rows;
  std::weak_ptr<const void> memory;
  rows.begin_batch(0, 4);
  {
    Element element(large(1));
    rows.land(0, &element);
    memory = element.array().owner();
    EXPECT_EQ(internal::allocated_bytes(memory.lock()), 4 * kLeastLandedRow);
  }
  EXPECT_TRUE(memory.expired());
  Element again(large(1));
  rows.land(1, &again);
  EXPECT_EQ(again.array()[0].item<int>(), 1);
}

}  // namespace
}  // namespace systolic::data::detail
