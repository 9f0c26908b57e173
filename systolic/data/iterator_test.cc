#include "systolic/data/iterator.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

TEST(IteratorTest, NextThrowsPastTheEnd) {
  Iterator it = Dataset::range(2).iterator();
  EXPECT_EQ(it.next().to<int>(), 0);
  EXPECT_EQ(it.next().to<int>(), 1);
  for (int i = 0; i < 2; ++i) {
    try {
      it.next();
      FAIL();
    } catch (const OutOfRangeError& error) {
      EXPECT_STREQ(
          error.what(),
          "range: the iterator is past its last element\n"
          "  elements: int64[]\n"
          "  hint: make a new iterator for another pass, or repeat() the "
          "data set");
    }
  }
  Element element;
  EXPECT_FALSE(it.get_next(&element));
}

TEST(IteratorTest, MovedIteratorsGoOn) {
  Iterator it = Dataset::range(3).iterator();
  it.next();
  Iterator moved = std::move(it);
  EXPECT_EQ(moved.next().to<int>(), 1);
  moved = Dataset::range(9, 10).iterator();
  EXPECT_EQ(moved.next().to<int>(), 9);
}

// As TensorFlow 2.21 goes on.
TEST(IteratorTest, ErrorsLeaveOutWhatFailedAndEndNothing) {
  const Dataset numbers = Dataset::range(8).map([](int64_t i) {
    if (i == 3) throw DataError("a bad one");
    return i;
  });
  const auto texts = [](const Dataset& dataset) {
    Iterator it = dataset.iterator();
    Element element;
    std::string text;
    while (true) {
      try {
        if (!it.get_next(&element)) return text;
        text += element.to_string() + " ";
      } catch (const DataError&) {
        text += "error ";
      }
      it = dataset.iterator(it.save());
    }
  };
  EXPECT_EQ(texts(numbers), "0 1 2 error 4 5 6 7 ");
  EXPECT_EQ(texts(numbers.prefetch(2)), "0 1 2 error 4 5 6 7 ");
  EXPECT_EQ(texts(numbers.batch(2)), "[0 1] error [4 5] [6 7] ");
}

TEST(IteratorTest, RangeForGivesElements) {
  int64_t sum = 0;
  for (auto& element : Dataset::range(5)) sum += element.to<int64_t>();
  EXPECT_EQ(sum, 10);
  for (auto& element : Dataset::range(0)) FAIL() << element;
}

TEST(IteratorTest, TypedRangeForGivesTuples) {
  const Dataset dataset = Dataset::from_tensor_slices(
      Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2}), Array::from({5, 6}));
  std::vector<float> seen;
  for (auto [x, y] : dataset.as<Array, int>()) {
    seen.push_back(x.span<float>()[1] + static_cast<float>(y));
  }
  EXPECT_EQ(seen, (std::vector<float>{7, 10}));
  for (Element& element : dataset.as<Element>()) {
    EXPECT_EQ(element.size(), 2u);
  }
}

TEST(IteratorTest, TypesThatDoNotFitAreRefusedAtOnce) {
  const Dataset dataset = Dataset::range(2);
  try {
    dataset.as<Array, Array>();
    FAIL();
  } catch (const TypeError& error) {
    EXPECT_STREQ(error.what(),
                 "as: expected one type for each item of the element, got "
                 "<Array, Array>\n"
                 "  element: int64[]");
  }
}

TEST(IteratorTest, ViewsLastUntilTheNextStep) {
  const std::vector<std::string> texts{std::string(100, 'a'),
                                       std::string(100, 'b')};
  const Dataset dataset = Dataset::from_tensor_slices(texts).map(
      [](std::string_view text) { return std::string(text); });
  std::vector<std::string> seen;
  for (std::string_view text : dataset.as<std::string_view>()) {
    seen.emplace_back(text);
  }
  EXPECT_EQ(seen, texts);
}

}  // namespace
}  // namespace systolic::data
