#include "systolic/data/function.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic::data::detail {
namespace {

Element call(const ElementFunction& function, Element element) {
  return function.call(element);
}

Array twice(const Array& x) { return Array::scalar(2 * x.item<int>()); }

const ElementSpec kInt(TensorSpec{DType::int32, Shape::scalar()});
const ElementSpec kPair = ElementSpec::tuple({kInt, kInt});

std::string check(const ElementFunction& function, const ElementSpec& spec) {
  try {
    check_parameters("map", function.parameters, spec);
  } catch (const TypeError& error) {
    return error.what();
  }
  return "";
}

TEST(FunctionTest, AdaptsLambdasPointersAndFunctions) {
  EXPECT_EQ(call(adapt_function<Element>(&twice), 3).to<int>(), 6);
  const std::function<Array(Array)> function = twice;
  EXPECT_EQ(call(adapt_function<Element>(function), 3).to<int>(), 6);
  const auto sum = [](Array a, const Array& b) {
    return a.item<int>() + b.item<int>();
  };
  EXPECT_EQ(call(adapt_function<Element>(sum), std::pair(3, 4)).to<int>(), 7);
  const auto swap = [](int a, int b) noexcept { return std::pair(b, a); };
  const Element swapped = call(adapt_function<Element>(swap), std::pair(3, 4));
  EXPECT_EQ(swapped[0].to<int>(), 4);
}

TEST(FunctionTest, AdaptsNestsDictsAndWholeElements) {
  const auto nested = [](int64_t index, std::pair<Array, Array> xy) {
    return std::tuple(index, xy.second);
  };
  EXPECT_EQ(call(adapt_function<Element>(nested),
                 std::pair(int64_t{1}, std::pair(2, 3)))
                .to_string(),
            "(1, 3)");
  const auto dict = [](std::map<std::string, Array> m) { return m.at("a"); };
  EXPECT_EQ(
      call(adapt_function<Element>(dict), Element::dict({{"a", 5}})).to<int>(),
      5);
  const auto whole = [](Element e) { return e.size(); };
  EXPECT_EQ(call(adapt_function<Element>(whole), std::tuple(1, 2, 3)).to<int>(),
            3);
  const auto text = [](std::string_view s) { return s.size(); };
  EXPECT_EQ(call(adapt_function<Element>(text), "four").to<int>(), 4);
}

TEST(FunctionTest, AResultMayBeALiteral) {
  const auto name = [](int) { return "one"; };
  EXPECT_EQ(call(adapt_function<Element>(name), 1).to<std::string>(), "one");
  const auto named = [](int x) { return std::pair(x, "one"); };
  EXPECT_EQ(call(adapt_function<Element>(named), 1).to_string(), "(1, b'one')");
}

TEST(FunctionTest, ATupleOfOneStandsForItsItem) {
  EXPECT_EQ(call(adapt_function<Element>(&twice), std::tuple(3)).to<int>(), 6);
  EXPECT_EQ(check(adapt_function<Element>(&twice), ElementSpec::tuple({kInt})),
            "");
}

TEST(FunctionTest, PredicatesReturnBoolOrArray) {
  Element three = 3;
  EXPECT_TRUE(adapt_function<bool>([](int x) { return x == 3; }).call(three));
  EXPECT_FALSE(adapt_function<bool>([](Array x) {
                 return Array::scalar(x.item<int>() > 3);
               }).call(three));
}

TEST(FunctionTest, MovesWhatTheFunctionTakes) {
  const Array array = Array::from({1, 2});
  Element element = array;
  adapt_function<Element>([](Array a) {
    EXPECT_LE(a.owner().use_count(), 2) << "only the test's and the function's";
    return a;
  }).call(element);
}

TEST(FunctionTest, ArityErrorsNameTheElement) {
  EXPECT_EQ(check(adapt_function<Element>(&twice), kPair),
            "map: expected a function of 2 parameters, got one of 1\n"
            "  element: (int32[], int32[])\n"
            "  hint: each item of a tuple is a parameter of its own");
  const auto two = adapt_function<Element>([](Array a, Array) { return a; });
  EXPECT_EQ(check(two, kPair), "");
  EXPECT_EQ(check(two, ElementSpec()), "");
  EXPECT_EQ(check(two, kInt),
            "map: expected a function of 1 parameter, got one of 2\n"
            "  element: int32[]\n"
            "  hint: an element that is an Array is one parameter");
  EXPECT_EQ(check(two, ElementSpec::dict({{"a", kInt}, {"b", kInt}})),
            "map: expected a function of 1 parameter, got one of 2\n"
            "  element: {\"a\": int32[], \"b\": int32[]}\n"
            "  hint: a dict is one parameter: std::map<std::string, Array>");
}

TEST(FunctionTest, AParameterOfAnotherKindIsNamed) {
  EXPECT_EQ(
      check(adapt_function<Element>([](Array a, Array) { return a; }),
            ElementSpec::tuple({kInt, kPair})),
      "map: expected parameter 1 to take (int32[], int32[]), got one that "
      "takes Array\n"
      "  element: (int32[], (int32[], int32[]))\n"
      "  hint: data::Element takes a part of any kind");
}

}  // namespace
}  // namespace systolic::data::detail
