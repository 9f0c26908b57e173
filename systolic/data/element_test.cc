#include "systolic/data/element.h"

#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::data {
namespace {

Element image_and_label() {
  return std::pair(Array::from({1.f, 2.f}), Array::scalar(7));
}

using internal::text_of;

TEST(ElementTest, ConvertsPairsAndBack) {
  const Element element = image_and_label();
  EXPECT_EQ(element.kind(), ElementKind::tuple);
  ASSERT_EQ(element.size(), 2u);
  auto [x, y] = element.to<std::pair<Array, Array>>();
  EXPECT_EQ(x.span<float>()[1], 2.f);
  EXPECT_EQ(y.item<int>(), 7);
  const auto [image, label] = element.to<std::tuple<Array, int>>();
  EXPECT_EQ(image.data(), x.data()) << "the buffer is shared";
  EXPECT_EQ(label, 7);
}

TEST(ElementTest, ConvertsNestsNumbersStringsAndVectors) {
  const Element element = std::tuple(
      3, std::string("three"), std::pair(2.5, std::vector<int64_t>{1, 2}));
  EXPECT_EQ(element.spec().to_string(),
            "(int32[], string[], (float64[], int64[2]))");
  EXPECT_EQ(element[0].to<int64_t>(), 3);
  EXPECT_EQ(element[1].to<std::string>(), "three");
  EXPECT_EQ(element[1].to<std::string_view>(), "three");
  const auto [half, values] = element[2].to<std::pair<double, Array>>();
  EXPECT_EQ(half, 2.5);
  EXPECT_EQ(values.size(), 2);
}

TEST(ElementTest, DictIsSortedAndReadByKey) {
  const Element element =
      Element::dict({{"label", Array::scalar(1)}, {"image", 2.f}});
  EXPECT_EQ(element.kind(), ElementKind::dict);
  EXPECT_EQ(element.spec().to_string(),
            "{\"image\": float32[], \"label\": int32[]}");
  const Array& label = element["label"];
  EXPECT_EQ(label.item<int>(), 1);
  const auto map = element.to<std::map<std::string, Array>>();
  EXPECT_EQ(map.at("image").item<float>(), 2.f);
  EXPECT_TRUE(element_equal(element, Element(map)));
}

TEST(ElementTest, AnIntegerThatDoesNotFitIsNoOther) {
  const Element large(int64_t{1} << 40);
  EXPECT_EQ(text_of<ValueError>([&] { large.to<int>(); }),
            "Array::item: expected a number that int32 has, from -2147483648 "
            "to 2147483647, got 1099511627776, of int64\n"
            "  hint: read it as int64_t");
  EXPECT_EQ(large.to<int64_t>(), int64_t{1} << 40);
  EXPECT_THROW(Element(300).to<uint8_t>(), ValueError);
  EXPECT_THROW(Element(-1).to<uint64_t>(), ValueError);
  EXPECT_EQ(text_of<ValueError>([] { Element(~uint64_t{0}).to<int64_t>(); }),
            "Array::item: expected a number that int64 has, from "
            "-9223372036854775808 to 9223372036854775807, got "
            "18446744073709551615, of uint64\n"
            "  hint: read it as uint64_t");
  EXPECT_EQ(Element(~uint64_t{0}).to<uint64_t>(), ~uint64_t{0});
  EXPECT_EQ(Element(-7).to<int8_t>(), -7);
  EXPECT_EQ(Element(2.0f).to<int>(), 2);
  EXPECT_THROW(Element(1e10).to<int>(), ValueError);
}

TEST(ElementTest, WrongTreesAreNamed) {
  const Element element = image_and_label();
  EXPECT_EQ(text_of<TypeError>([&] { element.array(); }),
            "data::Element: expected an Array, got a tuple of 2\n"
            "  element: (float32[2], int32[])");
  EXPECT_EQ(text_of<TypeError>(
                [&] { element.to<std::tuple<Array, Array, Array>>(); }),
            "data::Element: expected a tuple of 3, got a tuple of 2\n"
            "  element: (float32[2], int32[])");
  EXPECT_EQ(
      text_of<TypeError>([&] { element.to<std::map<std::string, Array>>(); }),
      "data::Element: expected a dict, got a tuple of 2\n"
      "  element: (float32[2], int32[])");
  EXPECT_EQ(text_of<OutOfRangeError>([&] { element[2]; }),
            "data::Element: expected an item of a tuple, got item 2 of a "
            "tuple of 2\n  element: (float32[2], int32[])");
  const Element dict = Element::dict({{"a", 1}});
  EXPECT_EQ(text_of<NotFoundError>([&] { dict["b"]; }),
            "data::Element: expected a key of the dict, got \"b\"\n"
            "  element: {\"a\": int32[]}");
  EXPECT_EQ(text_of<ValueError>([] {
              Element::dict({{"a", 1}, {"a", 2}});
            }),
            "data::Element::dict: expected each key once, got two values for "
            "\"a\"");
  const Element strings = Array::from_strings({"a", "b"});
  EXPECT_EQ(text_of<ValueError>([&] { strings.to<std::string>(); }),
            "data::Element: expected one string, got 2\n"
            "  element: string[2]");
}

TEST(ElementTest, EqualityIsToTheLastBit) {
  EXPECT_TRUE(element_equal(image_and_label(), image_and_label()));
  EXPECT_FALSE(element_equal(Element(1.f), Element(1.0)));
  EXPECT_FALSE(element_equal(Element(1), Element(2)));
  EXPECT_FALSE(element_equal(Element(1), std::tuple(1)));
  EXPECT_TRUE(element_equal(Element("a"), Element(std::string("a"))));
  EXPECT_FALSE(element_equal(Element("a"), Element("b")));
}

TEST(ElementTest, PrintsItsArrays) {
  std::ostringstream text;
  text << image_and_label() << Element::dict({{"a", std::tuple(1)}});
  EXPECT_EQ(text.str(), "([1. 2.], 7){\"a\": (1,)}");
  EXPECT_EQ(image_and_label().nbytes(), 12u);
}

}  // namespace
}  // namespace systolic::data
