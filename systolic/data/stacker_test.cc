#include "systolic/data/stacker.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data::detail {
namespace {

const std::string kWho = "batch";

TEST(StackerTest, StacksEachArrayOfTheTree) {
  Stacker stacker(kWho, 2);
  stacker.add(std::pair(Array::from({1, 2}), "a"));
  stacker.add(std::pair(Array::from({3, 4}), "b"));
  const Element batch = stacker.finish();
  EXPECT_EQ(batch.spec().to_string(), "(int32[2, 2], string[2])");
  EXPECT_EQ(batch[0].array().span<int>()[2], 3);
  EXPECT_EQ(batch[1].array().span<std::string>()[1], "b");
  EXPECT_EQ(stacker.size(), 0);
}

TEST(StackerTest, TakesFewerAndMoreThanTheCapacity) {
  Stacker stacker(kWho, 2);
  stacker.add(5);
  EXPECT_EQ(stacker.finish().to_string(), "[5]");
  for (int i = 0; i < 9; ++i) stacker.add(i);
  EXPECT_EQ(stacker.finish().to_string(), "[0 1 2 3 4 5 6 7 8]");
}

TEST(StackerTest, KeepsDictsAndEmptyArrays) {
  Stacker stacker(kWho, 3);
  stacker.add(Element::dict({{"b", 1}, {"a", Array::zeros({0, 2})}}));
  stacker.add(Element::dict({{"b", 2}, {"a", Array::zeros({0, 2})}}));
  EXPECT_EQ(stacker.finish().spec().to_string(),
            "{\"a\": float32[2, 0, 2], \"b\": int32[2]}");
}

TEST(StackerTest, DifferencesAreNamed) {
  const auto add = [](const Element& first, const Element& second) {
    Stacker stacker(kWho, 3);
    stacker.add(first);
    stacker.add(second);
  };
  EXPECT_EQ(text_of<ShapeError>([&] {
              add(Array::from({1, 2}), Array::from({1, 2, 3}));
            }),
            "batch: elements of one batch need equal shapes\n"
            "  element 0 of the batch: int32[2]\n"
            "  element 1 of the batch: int32[3]\n"
            "  hint: resize or pad them in map()");
  EXPECT_EQ(text_of<TypeError>([&] { add(1, 1.f); }),
            "batch: elements of one batch need equal dtypes\n"
            "  element 0 of the batch: int32[]\n"
            "  element 1 of the batch: float32[]\n"
            "  hint: cast them in map()");
  EXPECT_EQ(text_of<TypeError>([&] { add(1, std::tuple(1)); }),
            "batch: elements of one batch need the same tree\n"
            "  element 0 of the batch: int32[]\n"
            "  element 1 of the batch: (int32[],)");
  EXPECT_THROW(add(std::tuple(1), 1), TypeError);
}

}  // namespace
}  // namespace systolic::data::detail
