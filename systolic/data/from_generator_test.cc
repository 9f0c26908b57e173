#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

auto count_to(int stop) {
  return [stop] {
    return [i = 0, stop]() mutable -> std::optional<int> {
      return i < stop ? std::optional(i++) : std::nullopt;
    };
  };
}

TEST(FromGeneratorTest, BeginsAnewInEachPass) {
  const Dataset dataset = Dataset::from_generator(count_to(3));
  EXPECT_EQ(text(dataset), "0 1 2");
  EXPECT_EQ(text(dataset), "0 1 2");
  EXPECT_EQ(dataset.cardinality(), UNKNOWN_CARDINALITY);
  EXPECT_EQ(dataset.element_spec().to_string(), "int32[]");
}

TEST(FromGeneratorTest, TakesRangesAndAnyElement) {
  const Dataset pairs = Dataset::from_generator([] {
    return std::vector<std::pair<int, std::string>>{{1, "a"}, {2, "b"}};
  });
  EXPECT_EQ(text(pairs), "(1, b'a') (2, b'b')");
  EXPECT_EQ(text(pairs.map([](int n, const std::string&) { return n; })),
            "1 2");
  EXPECT_EQ(text(Dataset::from_generator([] { return std::vector<int>(); })),
            "");
}

TEST(FromGeneratorTest, ElementsHaveTheSignature) {
  const ElementSpec scalar(TensorSpec{DType::float32, Shape::scalar()});
  const Dataset dataset = Dataset::from_generator(
      count_to(3), {.output_signature = scalar, .name = "mine"});
  EXPECT_EQ(dataset.element_spec().to_string(), "float32[]");
  Iterator it = dataset.iterator();
  EXPECT_EQ(text_of<TypeError>([&] { it.next(); }),
            "from_generator \"mine\" (element 0): output_signature: expected "
            "elements of float32[], got int32[]");
}

TEST(FromGeneratorTest, AnExceptionNamesTheElementAndEndsNothing) {
  const Dataset dataset = Dataset::from_generator([] {
    return [i = 0]() mutable -> std::optional<int> {
      if (i++ == 1) throw ValueError("one");
      return i < 4 ? std::optional(i) : std::nullopt;
    };
  });
  Iterator it = dataset.iterator();
  EXPECT_EQ(it.next().to<int>(), 1);
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }),
            "from_generator (element 1): one");
  EXPECT_EQ(it.next().to<int>(), 3);
  Element element;
  EXPECT_FALSE(it.get_next(&element));
}

TEST(FromGeneratorTest, WhatCannotStartHasEnded) {
  const Dataset dataset =
      Dataset::from_generator([]() -> std::function<std::optional<int>()> {
        throw ValueError("no file");
      });
  EXPECT_EQ(text(dataset.ignore_errors()), "");
  Iterator it = dataset.iterator();
  EXPECT_THROW(it.next(), ValueError);
  EXPECT_THROW(it.next(), OutOfRangeError);
}

TEST(FromGeneratorTest, Resumes) {
  EXPECT_EQ(resume_failure([] { return Dataset::from_generator(count_to(9)); }),
            "");
}

}  // namespace
}  // namespace systolic::data
