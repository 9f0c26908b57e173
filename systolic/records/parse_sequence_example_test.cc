#include <gtest/gtest.h>

#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/data/test_helpers.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/parse_example.h"

// The expected values are those of TensorFlow 2.21.
namespace systolic::data {
namespace {

using Ints = std::vector<int64_t>;
constexpr DType kInt = DType::int64;

const std::string kFirst = SequenceExampleBuilder()
                               .add_context("c", 7)
                               .add_step("a", Ints{1, 2})
                               .add_step("a", Ints{3, 4})
                               .add_step("v", 1)
                               .add_step("v", Ints{})
                               .add_step("v", Ints{2, 3})
                               .serialize();
const std::string kSecond = SequenceExampleBuilder()
                                .add_context("c", 8)
                                .add_step("a", Ints{5, 6})
                                .add_step("v", 9)
                                .serialize();

TEST(ParseSequenceExampleTest, ListsHaveTheirStepsInFront) {
  const auto [context, sequence] = parse_single_sequence_example(
      kFirst, {{"c", FixedLenFeature({}, kInt)}},
      {{"a", FixedLenSequenceFeature({2}, kInt)}, {"v", VarLenFeature(kInt)}});
  EXPECT_EQ(context["c"].to_string(), "7");
  EXPECT_EQ(sequence["a"].to_string(), "[[1 2]\n [3 4]]");
  EXPECT_EQ(sequence["v"].to<SparseArray>().to_string(),
            "SparseArray(indices=[[0 0] [2 0] [2 1]], values=[1 2 3], "
            "dense_shape=[3 2])");
  const auto ragged = parse_single_sequence_example(
      Array::scalar(kFirst), {}, {{"v", RaggedFeature(kInt)}});
  EXPECT_EQ(ragged.second["v"].to<RaggedArray>().to_string(),
            "[[1], [], [2, 3]]");
}

TEST(ParseSequenceExampleTest, BatchesAreFilledUpAndHaveLengths) {
  const auto [context, sequence, lengths] =
      parse_sequence_example(Array::from_strings({kFirst, kSecond}),
                             {{"c", FixedLenFeature({}, kInt)}},
                             {{"a", FixedLenSequenceFeature({2}, kInt)},
                              {"r", RaggedFeature(kInt, "v")},
                              {"v", VarLenFeature(kInt)}});
  EXPECT_EQ(context["c"].to_string(), "[7 8]");
  EXPECT_EQ(sequence["a"].to_string(),
            "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [0 0]]]");
  EXPECT_EQ(sequence["v"].to<SparseArray>().to_string(),
            "SparseArray(indices=[[0 0 0] [0 2 0] [0 2 1] [1 0 0]], "
            "values=[1 2 3 9], dense_shape=[2 3 2])");
  EXPECT_EQ(sequence["r"].to<RaggedArray>().to_string(),
            "[[[1], [], [2, 3]], [[9]]]");
  EXPECT_EQ(lengths.keys().size(), 1u);
  EXPECT_EQ(lengths["a"].to_string(), "[2 1]");
  const auto filled = parse_sequence_example(
      Array::from_strings({kFirst, kSecond}), {},
      {{"a", FixedLenSequenceFeature({2}, kInt, false,
                                     Array::scalar<int64_t>(-1))}});
  EXPECT_EQ(std::get<1>(filled)["a"].to_string(),
            "[[[ 1  2]\n  [ 3  4]]\n\n [[ 5  6]\n  [-1 -1]]]");
}

TEST(ParseSequenceExampleTest, StepsAreCutIntoRows) {
  const auto record = [](const std::vector<Ints>& values,
                         const std::vector<Ints>& lengths) {
    SequenceExampleBuilder builder;
    for (const Ints& step : values) builder.add_step("v", step);
    for (const Ints& step : lengths) builder.add_step("n", step);
    return builder.serialize();
  };
  const std::string first = record({{1, 2, 3}, {}, {4, 5}}, {{1, 2}, {}, {2}});
  const std::string second = record({{6}}, {{0, 1}});
  const Features rows{
      {"r", RaggedFeature(kInt, "v", {RaggedFeature::RowLengths("n")})}};
  EXPECT_EQ(parse_single_sequence_example(first, {}, rows)
                .second["r"]
                .to<RaggedArray>()
                .to_string(),
            "[[[1], [2, 3]], [], [[4, 5]]]");
  const Element batch = std::get<1>(
      parse_sequence_example(Array::from_strings({first, second}), {}, rows));
  EXPECT_EQ(batch["r"].to<RaggedArray>().to_string(),
            "[[[[1], [2, 3]], [], [[4, 5]]], [[[], [6]]]]");
  EXPECT_EQ(batch["r"]["row_splits"][0].spec().to_string(), "int32[3]");
  EXPECT_EQ(
      text_of<DataError>([&] {
        parse_single_sequence_example(record({{1}, {2}}, {{1}}), {}, rows);
      }),
      "parse_single_sequence_example: expected feature list \"n\" to "
      "have the 2 steps of \"v\", got 1\n"
      "  there are: n (1 step), v (2 steps)");
  EXPECT_EQ(text_of<DataError>([&] {
              parse_single_sequence_example(record({{1, 2}}, {{1}}), {}, rows);
            }),
            "parse_single_sequence_example: expected feature list \"n\" to "
            "have rows that hold 2 values, one behind the other, got [1]\n"
            "  there are: n (1 step), v (1 step)");
}

TEST(ParseSequenceExampleTest, BytesThatAreNoExampleHaveTheirRow) {
  EXPECT_EQ(text_of<DataError>([] {
              parse_sequence_example(Array::from_strings({kFirst, "\x0a\x7f"}),
                                     {}, {});
            }),
            "parse_sequence_example: expected a serialized "
            "tf.train.SequenceExample, got bytes that are none\n"
            "  problem: it ends within a field\n  in the batch: record 1");
}

TEST(ParseSequenceExampleTest, WithoutFeaturesTheContextIsAnEmptyDict) {
  const auto [context, lists] = parse_single_sequence_example("", {}, {});
  EXPECT_EQ(context.to_string() + lists.to_string(), "{}{}");
}

TEST(ParseSequenceExampleTest, MissingListsHaveNoSteps) {
  const auto [context, sequence] = parse_single_sequence_example(
      kFirst, {},
      {{"z", FixedLenSequenceFeature({2}, kInt, true)},
       {"y", VarLenFeature(kInt)},
       {"x", RaggedFeature(kInt)}});
  EXPECT_EQ(context.size(), 0u);
  EXPECT_EQ(sequence["z"].spec().to_string(), "int64[0, 2]");
  EXPECT_EQ(sequence["y"].to<SparseArray>().shape().to_string(), "(0, 0)");
  EXPECT_EQ(sequence["x"].to<RaggedArray>().to_string(), "[]");
}

TEST(ParseSequenceExampleTest, WhatDoesNotFitIsNamed) {
  const std::string there = "\n  there are: a (2 steps), v (3 steps)";
  const auto parse = [](const std::string& name, const Feature& feature) {
    return text_of<DataError>([&] {
      parse_single_sequence_example(kFirst, {}, {{name, feature}});
    });
  };
  EXPECT_EQ(parse("z", FixedLenSequenceFeature({2}, kInt)),
            "parse_single_sequence_example: expected feature list \"z\" to "
            "have steps, got none, and allow_missing is false" +
                there);
  EXPECT_EQ(parse("v", FixedLenSequenceFeature({2}, kInt)),
            "parse_single_sequence_example: expected feature list \"v\" to "
            "have steps of 2 values (shape (2,)), got 1 in one" +
                there);
  EXPECT_EQ(parse("a", VarLenFeature(DType::string)),
            "parse_single_sequence_example: expected feature list \"a\" to "
            "have bytes values, got int64" +
                there);
  EXPECT_EQ(text_of<TypeError>([] {
              parse_single_sequence_example(
                  kFirst, {}, {{"a", FixedLenFeature({2}, kInt)}});
            }),
            "feature list \"a\": expected FixedLenSequenceFeature, "
            "VarLenFeature or RaggedFeature, got another feature");
  EXPECT_THROW(parse_single_sequence_example("\x0a\x7f", {}, {}), DataError);
}

}  // namespace
}  // namespace systolic::data
