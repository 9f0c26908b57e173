#include "systolic/models/arrays.h"

#include <gtest/gtest.h>

#include "systolic/testing/error_text.h"

namespace systolic::models {
namespace {

using data::Element;
using internal::text_of;

TEST(ArraysTest, ElementsAreArraysTuplesAndDicts) {
  const Array a = Array::ones({2}), b = Array::ones({3});
  EXPECT_EQ(Arrays::of(a, "fit", "x").single().shape(), Shape({2}));
  const Arrays pair = Arrays::of(Element::tuple({a, b}), "fit", "x");
  EXPECT_EQ(pair[1].shape(), Shape({3}));
  EXPECT_TRUE(pair.names().empty());
  const Arrays named =
      Arrays::of(Element::dict({{"q", b}, {"p", a}}), "fit", "x");
  EXPECT_EQ(named.names(), (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(named["q"].shape(), Shape({3}));
  for (const Arrays& arrays : {Arrays(a), pair, named}) {
    EXPECT_TRUE(data::element_equal(
        arrays.element(), Arrays::of(arrays.element(), "fit", "x").element()));
  }
}

TEST(ArraysTest, MistakesAreNamed) {
  const Array a = Array::ones({2});
  const Arrays named({{"p", a}, {"q", a}});
  EXPECT_EQ(text_of<NotFoundError>([&] { named["r"]; }),
            "Arrays: expected one of: p, q, got \"r\"");
  EXPECT_EQ(text_of<OutOfRangeError>([&] { named[2]; }),
            "Arrays: expected a place below 2, got 2");
  EXPECT_EQ(text_of<ValueError>([&] { named.single(); }),
            "Arrays: expected one Array, got 2\n"
            "  hint: take one: [0] or [\"name\"]");
}

}  // namespace
}  // namespace systolic::models
