#include "systolic/records/example_text.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/records/example_builder.h"

namespace systolic::data {
namespace {

TEST(ExampleTextTest, ShowsValuesAndWhatBytesHold) {
  const std::string record =
      ExampleBuilder()
          .add("text", "a word")
          .add("two", std::vector<std::string>{"a", "b"})
          .add("gif", std::string(100, 'x').replace(0, 4, "GIF8"))
          .add("raw", std::string(3, '\0'))
          .add("n", {1, 2, 3})
          .serialize();
  EXPECT_EQ(example_text(record, 2),
            "gif: 100 bytes (GIF)\n"
            "n: int64 [1, 2, ... 3 in all]\n"
            "raw: 3 bytes\n"
            "text: \"a word\"\n"
            "two: [\"a\", \"b\"]\n");
  EXPECT_THROW(example_text("\x0a\x7f"), DataError);
}

std::string sequence(int64_t steps) {
  SequenceExampleBuilder builder;
  builder.add_context("id", 7).add_list("words");
  for (int64_t i = 0; i < steps; ++i) {
    builder.add_step("words", std::vector<int64_t>(i + 1, i));
  }
  return builder.serialize();
}

TEST(ExampleTextTest, ShowsFeatureLists) {
  EXPECT_EQ(example_text(sequence(3), 2),
            "id: int64 [7]\n"
            "feature list words: 3 steps\n"
            "  int64 [0]\n"
            "  int64 [1, 1]\n"
            "  ...\n");
  EXPECT_EQ(example_text(sequence(0)),
            "id: int64 [7]\nfeature list words: 0 steps\n");
}

TEST(ExampleSchemaTest, SumsFeatureListsUp) {
  ExampleSchema schema;
  schema.add(ExampleBuilder().add("id", 1).serialize());
  EXPECT_FALSE(schema.has_lists());
  schema.add(sequence(1));
  schema.add(sequence(3));
  EXPECT_TRUE(schema.has_lists());
  EXPECT_EQ(schema.to_string(),
            "id: int64, 1 value\n"
            "feature list words: 1 to 3 steps, a step: int64, 1 to 3 values, "
            "missing in 1\n");
}

TEST(ExampleSchemaTest, SumsExamplesUp) {
  ExampleSchema schema;
  schema.add(ExampleBuilder().add("a", {1, 2}).add("b", "xyz").serialize());
  schema.add(ExampleBuilder().add("a", 1).add("b", 1.f).serialize());
  schema.add(ExampleBuilder().add("a", 1).add("c", "12").serialize());
  EXPECT_EQ(schema.examples(), 3);
  EXPECT_EQ(schema.to_string(),
            "a: int64, 1 to 2 values\n"
            "b: of several kinds, 1 value, 1 bytes on average, missing in 1\n"
            "c: bytes, 1 value, 2 bytes on average, missing in 2\n");
}

}  // namespace
}  // namespace systolic::data
