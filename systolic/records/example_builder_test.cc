#include "systolic/records/example_builder.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::data {
namespace {

using internal::text_of;
using std::string_literals::operator""s;

// tf.train.Example(...).SerializeToString(deterministic=True) of TensorFlow.
TEST(ExampleBuilderTest, BytesAreThoseOfTensorFlow) {
  EXPECT_EQ(ExampleBuilder().serialize(), "\n\0"s);
  EXPECT_EQ(ExampleBuilder().add("a", 300).serialize(),
            "\n\r\n\v\n\x01"
            "a\x12\x06\x1a\x04\n\x02\xac\x02"s);
  EXPECT_EQ(ExampleBuilder().add("b", "xy").add("a", 1.f).serialize(),
            "\n\x1c\n\r\n\x01"
            "a\x12\b\x12\x06\n\x04\0\0\x80?"
            "\n\v\n\x01"
            "b\x12\x06\n\x04\n\x02xy"s);
}

TEST(ExampleBuilderTest, NumbersBecomeThoseOfExamples) {
  const auto bytes = [](const FeatureValue& value) {
    return value.serialized();
  };
  EXPECT_EQ(bytes(true), bytes(int64_t{1}));
  EXPECT_EQ(bytes(uint8_t{7}), bytes(7));
  EXPECT_EQ(bytes(0.5), bytes(0.5f));
  EXPECT_EQ(bytes(-1).size(), 2u + 2u + 10u);
  EXPECT_EQ(bytes({1, 2}), bytes(Array::from({1, 2}, {2, 1})));
  EXPECT_EQ(bytes(std::vector<std::string>{"a", "b"}),
            "\n\x06\n\x01"
            "a\n\x01"
            "b");
  EXPECT_EQ(bytes(std::vector<float>{}), "\x12\0"s);
  EXPECT_EQ(text_of<TypeError>(
                [] { FeatureValue(Array::zeros({2}, DType::complex64)); }),
            "FeatureValue: expected strings, integers, booleans or real "
            "numbers, got complex64[2]");
}

TEST(ExampleBuilderTest, IntegersAboveInt64AreRefused) {
  EXPECT_EQ(text_of<ValueError>([] {
              ExampleBuilder().add("a", std::vector<uint64_t>{1, ~uint64_t{0}});
            }),
            "FeatureValue: expected integers that fit into int64, which "
            "Examples hold, got 18446744073709551615\n"
            "  hint: store the bytes as a string, and read them with "
            "decode_raw()");
  EXPECT_EQ(ExampleBuilder().add("a", uint64_t{7}).serialize(),
            ExampleBuilder().add("a", 7).serialize());
}

TEST(ExampleBuilderTest, TakesListsOfTexts) {
  EXPECT_EQ(ExampleBuilder().add("a", {"x", "y"}).serialize(),
            ExampleBuilder()
                .add("a", std::vector<std::string>{"x", "y"})
                .serialize());
  EXPECT_EQ(ExampleBuilder().add("a", {0}).serialize(),
            ExampleBuilder().add("a", 0).serialize());
}

TEST(ExampleBuilderTest, TheLastOfOneKeyCounts) {
  EXPECT_EQ(ExampleBuilder().add("a", 1).add("a", 2).serialize(),
            ExampleBuilder().add("a", 2).serialize());
}

TEST(SequenceExampleBuilderTest, ListsKeepTheirSteps) {
  EXPECT_EQ(SequenceExampleBuilder().add_list("l").serialize(),
            "\n\0\x12\a\n\x05\n\x01"
            "l\x12\0"s);
  EXPECT_EQ(SequenceExampleBuilder().add_step("l", "x").serialize(),
            "\n\0\x12\x0e\n\f\n\x01"
            "l\x12\a\n\x05\n\x03\n\x01"
            "x"s);
}

}  // namespace
}  // namespace systolic::data
