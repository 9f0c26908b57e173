#include "systolic/records/parse_example.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/data/test_helpers.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/test_files.h"
#include "systolic/records/tf_record_dataset.h"

// The expected values are those of TensorFlow 2.21 for the same Examples,
// except where a test says otherwise.
namespace systolic::data {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;
constexpr DType kInt = DType::int64;
constexpr DType kFloat = DType::float32;

std::string ints(const std::string& key, const Ints& values) {
  return ExampleBuilder().add(key, values).serialize();
}
const std::string kNone = ExampleBuilder().serialize();

// The feature "a" of one Example, and of a batch.
Element one(const std::string& record, const Feature& feature) {
  return parse_single_example(record, {{"a", feature}})["a"];
}
Element batch(const Strings& records, const Feature& feature) {
  return parse_example(Array::from_strings(records), {{"a", feature}})["a"];
}

std::string sparse_text(const Element& element) {
  return element.to<SparseArray>().to_string();
}
std::string ragged_text(const Element& element) {
  return element.to<RaggedArray>().to_string();
}

TEST(ParseExampleTest, FixedLenFeaturesAreArrays) {
  const std::string record = ExampleBuilder()
                                 .add("text", "words")
                                 .add("n", 3)
                                 .add("box", {0.5f, 1.f, -2.f, 4.f})
                                 .add("unused", 1)
                                 .serialize();
  const Element example = parse_single_example(
      record, {{"text", FixedLenFeature({}, DType::string)},
               {"n", FixedLenFeature({1}, kInt)},
               {"box", FixedLenFeature({2, 2}, kFloat)}});
  EXPECT_EQ(example.keys().size(), 3u);
  EXPECT_EQ(example["text"].to<std::string>(), "words");
  EXPECT_EQ(example["n"].spec().to_string(), "int64[1]");
  EXPECT_EQ(example["box"].to_string(), "[[ 0.5  1. ]\n [-2.   4. ]]");
}

TEST(ParseExampleTest, BatchesHaveOneAxisMore) {
  const Element values =
      batch({ints("a", {1, 2}), ints("a", {3, 4})}, FixedLenFeature({2}, kInt));
  EXPECT_EQ(values.to_string(), "[[1 2]\n [3 4]]");
  EXPECT_EQ(batch({}, FixedLenFeature({2}, kInt)).spec().to_string(),
            "int64[0, 2]");
}

// C069; TensorFlow refuses the list that is there and empty.
TEST(ParseExampleTest, DefaultsStandForMissingAndForEmpty) {
  const FixedLenFeature feature({}, kInt, Array::scalar<int64_t>(-1));
  const Element values = batch({ints("a", {0}), ints("a", {}), kNone}, feature);
  EXPECT_EQ(values.to_string(), "[ 0 -1 -1]");
  EXPECT_EQ(one(ints("a", {}), feature).to_string(), "-1");
  EXPECT_EQ(one(kNone, FixedLenFeature({2}, kInt, Array::from<int64_t>({5, 6})))
                .to_string(),
            "[5 6]");
  EXPECT_EQ(one(kNone, FixedLenFeature({2}, DType::string, Array::scalar("x")))
                .to_string(),
            "[b'x' b'x']");
}

// C070; TensorFlow refuses the feature that is missing.
TEST(ParseExampleTest, ShapesWithoutElementsNeedNone) {
  const FixedLenFeature feature({0}, kInt);
  EXPECT_EQ(one(kNone, feature).spec().to_string(), "int64[0]");
  EXPECT_EQ(one(ints("a", {}), feature).spec().to_string(), "int64[0]");
  EXPECT_EQ(batch({kNone, kNone}, feature).spec().to_string(), "int64[2, 0]");
}

// C071.
TEST(ParseExampleTest, WhatDoesNotFitIsNamed) {
  const std::string record =
      ExampleBuilder().add("a", {1.5f, 2.f, 3.f}).add("b", "x").serialize();
  const std::string there =
      "\n  there are: a (float32, 3 values), b (bytes, 1 value)";
  EXPECT_EQ(
      text_of<DataError>([&] { one(record, FixedLenFeature({4}, kFloat)); }),
      "parse_single_example: expected feature \"a\" to have 4 float32 "
      "values (shape (4,)), got 3 float32 values" +
          there);
  EXPECT_EQ(
      text_of<DataError>([&] { one(record, FixedLenFeature({3}, kInt)); }),
      "parse_single_example: expected feature \"a\" to have int64 "
      "values, got 3 float32 values" +
          there);
  EXPECT_EQ(text_of<DataError>([&] {
              parse_single_example(record, {{"c", FixedLenFeature({}, kInt)}});
            }),
            "parse_single_example: expected feature \"c\" to have 1 int64 "
            "value (shape ()), got none, and it has no default" +
                there);
  EXPECT_EQ(text_of<DataError>([&] {
              batch({ints("a", {1}), kNone}, FixedLenFeature({}, kInt));
            }),
            "parse_example: expected feature \"a\" to have 1 int64 value "
            "(shape ()), got none, and it has no default\n"
            "  in the batch: record 1\n"
            "  there are: none");
}

TEST(ParseExampleTest, BytesThatAreNoExampleAreRefused) {
  EXPECT_EQ(text_of<DataError>([] {
              batch({kNone, "\x0a\x7f"}, VarLenFeature(kInt));
            }),
            "parse_example: expected a serialized tf.train.Example, got bytes "
            "that are none\n  problem: it ends within a field\n"
            "  in the batch: record 1");
  EXPECT_EQ(text_of<DataError>([] { one("\x0a\x7f", VarLenFeature(kInt)); }),
            "parse_single_example: expected a serialized tf.train.Example, "
            "got bytes that are none\n  problem: it ends within a field");
  EXPECT_EQ(text_of<TypeError>([] {
              parse_single_example(Array::from_strings({"a", "b"}), Features());
            }),
            "parse_single_example: expected one serialized Example, a string "
            "scalar, got string[2]\n"
            "  hint: parse_example() takes a batch of them");
  EXPECT_EQ(
      text_of<TypeError>([] { parse_example(Array::scalar("a"), Features()); }),
      "parse_example: expected an axis of serialized Examples, "
      "string[batch], got string[]\n"
      "  hint: parse_single_example() takes one");
}

TEST(ParseExampleTest, VarLenFeaturesAreSparse) {
  const VarLenFeature feature(kInt);
  EXPECT_EQ(sparse_text(one(ints("a", {1, 2, 3}), feature)),
            "SparseArray(indices=[[0] [1] [2]], values=[1 2 3], "
            "dense_shape=[3])");
  EXPECT_EQ(sparse_text(
                batch({ints("a", {1, 2, 3}), kNone, ints("a", {4})}, feature)),
            "SparseArray(indices=[[0 0] [0 1] [0 2] [2 0]], "
            "values=[1 2 3 4], dense_shape=[3 3])");
  EXPECT_EQ(sparse_text(one(kNone, feature)),
            sparse_text(Element(SparseArray(Array::zeros({0, 1}, kInt),
                                            Array::zeros({0}, kInt),
                                            Array::from<int64_t>({0})))));
}

TEST(ParseExampleTest, SparseFeaturesHaveTheirPlaces) {
  const auto record = [](const Ints& places, const Floats& values) {
    return ExampleBuilder().add("i", places).add("v", values).serialize();
  };
  const SparseFeature feature("i", "v", kFloat, 10);
  EXPECT_EQ(sparse_text(one(record({3, 1}, {1.f, 2.f}), feature)),
            "SparseArray(indices=[[1] [3]], values=[2. 1.], "
            "dense_shape=[10])");
  EXPECT_EQ(sparse_text(one(record({3, 1}, {1.f, 2.f}),
                            SparseFeature("i", "v", kFloat, 10, true))),
            "SparseArray(indices=[[3] [1]], values=[1. 2.], "
            "dense_shape=[10])");
  EXPECT_EQ(
      sparse_text(batch({record({3, 1}, {1.f, 2.f}), kNone, record({0}, {5.f})},
                        feature)),
      "SparseArray(indices=[[0 1] [0 3] [2 0]], values=[2. 1. 5.], "
      "dense_shape=[ 3 10])");
  const std::string two = ExampleBuilder()
                              .add("i", Ints{3, 1})
                              .add("j", Ints{0, 2})
                              .add("v", Floats{1, 2})
                              .serialize();
  EXPECT_EQ(
      sparse_text(one(two, SparseFeature({"i", "j"}, "v", kFloat, {10, 5}))),
      "SparseArray(indices=[[1 2] [3 0]], values=[2. 1.], "
      "dense_shape=[10  5])");
  // TensorFlow makes a SparseTensor with a place outside of its shape.
  EXPECT_NE(text_of<DataError>([&] {
              one(record({3, 10}, {1, 2}), feature);
            })
                .find("feature \"i\" to have indices from 0 below 10, the "
                      "size of \"a\", got 10"),
            std::string::npos);
  EXPECT_NE(text_of<DataError>([&] {
              one(record({3}, {1, 2}), feature);
            }).find("an index for each of the 2 values of \"v\", got 1"),
            std::string::npos);
}

TEST(ParseExampleTest, RaggedFeaturesAreRows) {
  const RaggedFeature plain(kInt);
  EXPECT_EQ(one(ints("a", {1, 2, 3}), plain).to_string(), "[1 2 3]");
  EXPECT_EQ(
      ragged_text(batch({ints("a", {1, 2, 3}), kNone, ints("a", {4})}, plain)),
      "[[1, 2, 3], [], [4]]");
  const auto record = [](const Ints& values, const Ints& partition) {
    return ExampleBuilder().add("v", values).add("p", partition).serialize();
  };
  const auto cut = [](RaggedPartition partition) {
    return RaggedFeature(kInt, "v", {std::move(partition)});
  };
  const RaggedFeature splits = cut(RaggedFeature::RowSplits("p"));
  EXPECT_EQ(ragged_text(one(record({1, 2, 3}, {0, 1, 3}), splits)),
            "[[1], [2, 3]]");
  EXPECT_EQ(ragged_text(batch(
                {record({1, 2, 3}, {0, 1, 3}), record({4}, {0, 1})}, splits)),
            "[[[1], [2, 3]], [[4]]]");
  EXPECT_EQ(ragged_text(batch({record({1, 2, 3, 4}, {}), record({4, 5}, {})},
                              cut(RaggedFeature::UniformRowLength(2)))),
            "[[[1 2], [3 4]], [[4 5]]]");
  const std::vector<std::pair<RaggedPartition, Ints>> others{
      {RaggedFeature::RowLengths("p"), {1, 0, 2}},
      {RaggedFeature::RowStarts("p"), {0, 1, 1}},
      {RaggedFeature::RowLimits("p"), {1, 1, 3}},
      {RaggedFeature::ValueRowIds("p"), {0, 2, 2}}};
  for (const auto& [partition, numbers] : others) {
    EXPECT_EQ(ragged_text(one(record({1, 2, 3}, numbers), cut(partition))),
              "[[1], [], [2, 3]]");
  }
  const std::string nested = ExampleBuilder()
                                 .add("v", Ints{1, 2, 3})
                                 .add("inner", Ints{1, 0, 2})
                                 .add("outer", Ints{2, 1})
                                 .serialize();
  EXPECT_EQ(ragged_text(one(
                nested, RaggedFeature(kInt, "v",
                                      {RaggedFeature::RowLengths("outer"),
                                       RaggedFeature::RowLengths("inner")}))),
            "[[[1], []], [[2, 3]]]");
}

TEST(ParseExampleTest, RowsOfOneLengthAreAnAxisAndSplitsHaveADtype) {
  const auto record = [](const Ints& values, const Ints& rows) {
    return ExampleBuilder().add("v", values).add("p", rows).serialize();
  };
  const RaggedFeature pairs(kInt, "v", {RaggedFeature::UniformRowLength(2)});
  EXPECT_EQ(one(record({1, 2, 3, 4}, {}), pairs).to_string(),
            "[[1 2]\n [3 4]]");
  const RaggedFeature rows(
      kInt, "v",
      {RaggedFeature::RowLengths("p"), RaggedFeature::UniformRowLength(2)},
      kInt);
  const Element element = one(record({1, 2, 3, 4}, {2, 0}), rows);
  EXPECT_EQ(element["values"].spec().to_string(), "int64[2, 2]");
  EXPECT_EQ(element["row_splits"][0].spec().to_string(), "int64[3]");
  EXPECT_EQ(ragged_text(element), "[[[1 2], [3 4]], []]");
  EXPECT_EQ(batch({ints("a", {1})}, RaggedFeature(kInt))["row_splits"][0]
                .spec()
                .to_string(),
            "int32[2]");
  EXPECT_EQ(text_of<TypeError>([] {
              const Features wrong{
                  {"a", RaggedFeature(kInt, {}, {}, DType::float32)}};
            }),
            "feature \"a\": expected a row_splits_dtype of int32 or int64, "
            "got float32");
}

TEST(ParseExampleTest, PartitionsThatDoNotFitAreNamed) {
  const auto cut = [](const Ints& partition, RaggedPartition kind) {
    one(ExampleBuilder()
            .add("a", Ints{1, 2, 3})
            .add("p", partition)
            .serialize(),
        RaggedFeature(kInt, {}, {std::move(kind)}));
  };
  EXPECT_NE(
      text_of<DataError>([&] {
        cut({0, 2}, RaggedFeature::RowSplits("p"));
      })
          .find("feature \"p\" to have rows that hold 3 values, one behind "
                "the other, got [0 2]"),
      std::string::npos);
  EXPECT_THROW(cut({}, RaggedFeature::RowSplits("p")), DataError);
  EXPECT_THROW(cut({1, 3}, RaggedFeature::RowSplits("p")), DataError);
  EXPECT_THROW(cut({0, 2, 1, 3}, RaggedFeature::RowSplits("p")), DataError);
  EXPECT_THROW(cut({-1, 4}, RaggedFeature::RowLengths("p")), DataError);
  constexpr auto kMost = std::numeric_limits<int64_t>::max();
  EXPECT_THROW(cut({kMost, 1}, RaggedFeature::RowLengths("p")), DataError);
  EXPECT_THROW(cut({5, -kMost - 1}, RaggedFeature::RowLimits("p")), DataError);
  EXPECT_THROW(cut({1}, RaggedFeature::RowStarts("p")), DataError);
  EXPECT_THROW(cut({1, 0, 0}, RaggedFeature::ValueRowIds("p")), DataError);
  EXPECT_THROW(cut({0, 0}, RaggedFeature::ValueRowIds("p")), DataError);
  EXPECT_THROW(cut({0, 0, int64_t{1} << 60}, RaggedFeature::ValueRowIds("p")),
               DataError);
  EXPECT_THROW(cut({}, RaggedFeature::UniformRowLength(2)), DataError);
}

TEST(ParseExampleTest, SequencesAreFilledUpInBatches) {
  const FixedLenSequenceFeature feature({2}, kInt, true);
  EXPECT_EQ(one(ints("a", {1, 2, 3, 4}), feature).to_string(),
            "[[1 2]\n [3 4]]");
  EXPECT_EQ(one(kNone, feature).spec().to_string(), "int64[0, 2]");
  const FixedLenSequenceFeature nine({2}, kInt, true,
                                     Array::scalar<int64_t>(9));
  EXPECT_EQ(batch({ints("a", {1, 2, 3, 4}), ints("a", {5, 6}), kNone}, nine)
                .to_string(),
            "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [9 9]]\n\n [[9 9]\n  [9 9]]]");
  EXPECT_NE(text_of<DataError>([&] {
              one(ints("a", {1, 2, 3}), feature);
            }).find("whole steps of 2 int64 values (shape (2,)), got 3"),
            std::string::npos);
  EXPECT_THROW(one(kNone, FixedLenSequenceFeature({2}, kInt)), ValueError);
}

// C072: rows that batches are filled up with are made of values, not parsed.
TEST(ParseExampleTest, FilledUpRowsOfTextAreEmpty) {
  const std::string record = ExampleBuilder().add("a", "x").serialize();
  const Element values =
      batch({record, kNone}, FixedLenSequenceFeature({}, DType::string, true));
  EXPECT_EQ(values.to_string(), "[[b'x']\n [b'']]");
}

// Protobuf's rules for fields that are there more than once.
TEST(ParseExampleTest, RepeatedPartsCountAsProtobufSays) {
  const std::string first = ints("a", {1});
  const std::string second = ints("a", {2});
  EXPECT_EQ(one(first + second, VarLenFeature(kInt)).items().size(), 3u);
  EXPECT_EQ(one(first + second, FixedLenFeature({}, kInt)).to_string(), "2");
  EXPECT_EQ(parse_single_example(first + ints("b", {3}),
                                 {{"a", FixedLenFeature({}, kInt)},
                                  {"b", FixedLenFeature({}, kInt)}})["a"]
                .to_string(),
            "1");
  // Int64List of one entry, in two lists, unpacked.
  const std::string unpacked =
      "\x0a\x0f\x0a\x0d\x0a\x01"
      "a"
      "\x12\x08\x1a\x02\x08\x07\x1a\x02\x08\x08";
  EXPECT_EQ(one(unpacked, FixedLenFeature({2}, kInt)).to_string(), "[7 8]");
}

TEST(FeaturesTest, DefaultsMayBeNumbersAndTexts) {
  const Element parsed = parse_single_example(
      "", {{"a", FixedLenFeature({}, kInt, 7)},
           {"b", FixedLenFeature({2}, kFloat, 0)},
           {"c", FixedLenFeature({}, kFloat, 0.5)},
           {"d", FixedLenFeature({}, DType::string, "none")}});
  EXPECT_EQ(parsed.spec().to_string(),
            "{\"a\": int64[], \"b\": float32[2], \"c\": float32[], \"d\": "
            "string[]}");
  EXPECT_EQ(parsed["a"].to<int64_t>(), 7);
  EXPECT_EQ(parsed["c"].to<float>(), 0.5f);
  EXPECT_EQ(parsed["d"].to<std::string>(), "none");
  EXPECT_THROW(Features({{"a", FixedLenFeature({}, kInt, 0.5)}}), TypeError);
  EXPECT_THROW(Features({{"a", FixedLenFeature({}, kInt, "7")}}), TypeError);
}

TEST(FeaturesTest, LengthsThatAreNotKnownHaveAnotherFeature) {
  EXPECT_EQ(text_of<ShapeError>([] {
              Features({{"a", FixedLenFeature({-1, 2}, kInt)}});
            }),
            "feature \"a\": expected a shape with known lengths, got shape "
            "(None, 2)\n"
            "  hint: FixedLenSequenceFeature((2,), DType::int64, true) has any "
            "number of steps along a first axis, VarLenFeature any number of "
            "values");
  EXPECT_THROW(Features({{"a", FixedLenSequenceFeature({-1}, kInt)}}),
               ShapeError);
}

TEST(FeaturesTest, RefusesMoreThanAnExampleHolds) {
  EXPECT_EQ(
      text_of<ShapeError>([] {
        Features({{"a", FixedLenFeature({int64_t{1} << 45}, kInt,
                                        Array::scalar(int64_t{7}))}});
      }),
      "feature \"a\": expected a shape of at most 268435456 values, got shape "
      "(35184372088832,)\n"
      "  hint: an Example holds 2 GiB at most");
  EXPECT_THROW(Features({{"a", FixedLenFeature({1 << 16, 1 << 16}, kInt)}}),
               ShapeError);
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(Features({{"a", FixedLenFeature({large, 0}, kInt)}}).items().size(),
            1u);
}

// As all other results: code that reads features by name goes on.
TEST(FeaturesTest, WithoutFeaturesResultsAreEmptyDicts) {
  const Element parsed = parse_single_example("", {});
  EXPECT_EQ(parsed.kind(), ElementKind::dict);
  EXPECT_EQ(parsed.to_string(), "{}");
  EXPECT_EQ(parse_example(Array::from_strings({"", ""}), {}).kind(),
            ElementKind::dict);
}

TEST(FeaturesTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(text_of<TypeError>([] {
              Features({{"a", VarLenFeature(DType::uint8)}});
            }),
            "feature \"a\": expected float32, int64 or string, which Examples "
            "hold, got uint8\n"
            "  hint: parse it as int64 or float32 and cast it");
  EXPECT_EQ(
      text_of<ValueError>([] {
        Features({{"a", VarLenFeature(kInt)}, {"a", VarLenFeature(kInt)}});
      }),
      "features: expected each name once, got \"a\" twice");
  EXPECT_EQ(text_of<ShapeError>([] {
              Features({{"a", FixedLenFeature({3}, kFloat,
                                              Array::from({1.f, 2.f}))}});
            }),
            "feature \"a\": expected a default of shape (3,) or a scalar, got "
            "float32[2]");
  EXPECT_THROW(Features({{"a", FixedLenFeature({}, kInt, Array::scalar(1.f))}}),
               TypeError);
  EXPECT_THROW(Features({{"a", SparseFeature({"i"}, "v", kInt, {1, 2})}}),
               ShapeError);
}

}  // namespace
}  // namespace systolic::data
