#include "systolic/data/element_buffer.h"

#include <gtest/gtest.h>

#include "systolic/data/row_views.h"

namespace systolic::data::detail {
namespace {

Element pair(int value) {
  return Element::dict(
      {{"label", Element(Array::scalar(int64_t{value}))},
       {"pixels", Element(Array::full({3, 5}, value, DType::uint8))}});
}

Element row(const Element& block, int64_t index) {
  return RowViews("test", block).row(index);
}

TEST(ElementBufferTest, SmallElementsArePacked) {
  ElementBuffer buffer(10);
  for (int i = 0; i < 1000; ++i) buffer.push_back(pair(i % 200));
  EXPECT_TRUE(buffer.is_packed());
  EXPECT_EQ(buffer.size(), 1000u);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(element_equal(buffer.at(i), pair(i % 200))) << i;
  }
  const int64_t payload = 1000 * (8 + 15);
  EXPECT_GE(buffer.nbytes(), payload);
  EXPECT_LE(buffer.nbytes(), 2 * payload);
}

TEST(ElementBufferTest, BlocksAreWhatStackingGives) {
  ElementBuffer buffer(16);  // chunks of 16 rows
  for (int i = 0; i < 40; ++i) buffer.push_back(pair(i));
  const std::string who = "test";
  for (const auto& [first, count] : {std::pair(0, 16), std::pair(3, 7),
                                     std::pair(10, 30), std::pair(39, 1)}) {
    Stacker stacker(who, count);
    for (int i = first; i < first + count; ++i) stacker.add(pair(i));
    EXPECT_TRUE(element_equal(buffer.block(first, count), stacker.finish()));
  }
}

// The same calls on a list of elements and on the buffer.
void check_takes(ElementBuffer* buffer, std::vector<Element> list) {
  const std::string who = "test";
  for (size_t turn = 0; !list.empty(); ++turn) {
    const size_t index = turn * 7 % list.size();
    const Element expected = list[index];
    list[index] = list.back();
    list.pop_back();
    if (turn % 2 == 0) {
      ASSERT_TRUE(element_equal(buffer->take(index), expected));
    } else {
      Stacker stacker(who, 1);
      buffer->take_into(index, &stacker);
      ASSERT_TRUE(element_equal(row(stacker.finish(), 0), expected));
    }
    ASSERT_EQ(buffer->size(), list.size());
  }
  EXPECT_TRUE(buffer->empty());
}

TEST(ElementBufferTest, TakingMovesTheLastOne) {
  ElementBuffer packed(8);
  ElementBuffer plain;
  std::vector<Element> numbers, texts;
  for (int i = 0; i < 50; ++i) {
    numbers.push_back(pair(i));
    packed.push_back(numbers.back());
    texts.emplace_back(Array::scalar(std::to_string(i)));
    plain.push_back(texts.back());
  }
  EXPECT_FALSE(plain.is_packed());
  check_takes(&packed, numbers);
  check_takes(&plain, texts);
}

TEST(ElementBufferTest, AnotherShapeUnpacks) {
  ElementBuffer buffer;
  std::vector<Element> list;
  for (int i = 0; i < 6; ++i) {
    list.emplace_back(Array::full({i < 4 ? 2 : 3}, i));
    buffer.push_back(list.back());
    EXPECT_EQ(buffer.is_packed(), i < 4);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_TRUE(element_equal(buffer.at(i), list[i]));
  }
}

TEST(ElementBufferTest, RowsOfABlock) {
  for (const Element& block :
       {Element(Array::from<float>({1, 2, 3, 4, 5, 6}, {3, 2})),
        Element(Array::from_strings({"a", "b", "c"}))}) {
    ElementBuffer buffer;
    buffer.push_rows(block, 1, 2);
    buffer.push_rows(block, 0, 0);
    ASSERT_EQ(buffer.size(), 2u);
    EXPECT_TRUE(element_equal(buffer.at(0), row(block, 1)));
    EXPECT_TRUE(element_equal(buffer.at(1), row(block, 2)));
  }
}

TEST(ElementBufferTest, EmptyAndLargeElementsAreNotPacked) {
  ElementBuffer empty;
  for (int i = 0; i < 3; ++i) empty.push_back(Element());
  EXPECT_FALSE(empty.is_packed());
  EXPECT_EQ(empty.size(), 3u);
  ElementBuffer large;
  large.push_back(Array::zeros({1 << 20}));
  EXPECT_FALSE(large.is_packed());
  EXPECT_GE(large.nbytes(), 4 << 20);
  large.take(0);
  EXPECT_EQ(large.nbytes(), 0);
}

TEST(OwnedBytesTest, ViewsAreNotOwned) {
  const Array whole = Array::zeros({10, 100});
  EXPECT_EQ(owned_bytes(row(Element(whole), 3)), 0);
  EXPECT_EQ(held_bytes(row(Element(whole), 3)), 400);
  EXPECT_EQ(owned_bytes(Element(Array::zeros({100}))), 400);
  EXPECT_EQ(held_bytes(Element(Array::zeros({100}))), 400);
}

TEST(OwnedBytesTest, AViewThatKeepsAWholeCountsAsMuch) {
  const Element alone(Array::zeros({10, 100})[3]);
  EXPECT_EQ(owned_bytes(alone), 4000);
  EXPECT_EQ(held_bytes(alone), 4000);
}

}  // namespace
}  // namespace systolic::data::detail
