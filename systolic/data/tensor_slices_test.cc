#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

const Array& table() {
  static const Array array = Array::from({1, 2, 3, 4, 5, 6}, {3, 2});
  return array;
}

TEST(TensorSlicesTest, TakesListsRowsSpansAndArrays) {
  const Dataset listed = Dataset::from_tensor_slices({1, 2, 3});
  EXPECT_EQ(text(listed), "1 2 3");
  EXPECT_EQ(listed.element_spec().to_string(), "int32[]");
  EXPECT_EQ(text(Dataset::from_tensor_slices({0.5})), "0.5");
  std::string texts;
  for (const std::string& word :
       Dataset::from_tensor_slices({"one", "two"}).as<std::string>()) {
    texts += word;
  }
  EXPECT_EQ(texts, "onetwo");
  std::vector<std::vector<int>> rows{{1, 2}, {3, 4}};
  EXPECT_EQ(text(Dataset::from_tensor_slices(rows)), "[1 2] [3 4]");
  EXPECT_EQ(text(Dataset::from_tensor_slices(std::span(rows[0]))), "1 2");
  EXPECT_EQ(text(Dataset::from_tensor_slices(std::span<const int>(rows[1]))),
            "3 4");
  EXPECT_EQ(text(Dataset::from_tensor_slices(std::array{5, 6})), "5 6");
  rows[1].push_back(5);
  EXPECT_EQ(text_of<ShapeError>([&] { Dataset::from_tensor_slices(rows); }),
            "data::Element: expected rows of one length, got rows of 2 and of "
            "3 values\n"
            "  hint: data::RaggedArray holds rows of other lengths");
}

TEST(TensorSlicesTest, RowsAreViews) {
  const Dataset dataset = Dataset::from_tensor_slices(table());
  EXPECT_EQ(dataset.cardinality(), 3);
  EXPECT_EQ(dataset.element_spec().to_string(), "int32[2]");
  Iterator it = dataset.iterator();
  it.next();
  const Array row = it.next().to<Array>();
  EXPECT_EQ(row.span<int>()[0], 3);
  EXPECT_EQ(row.data(), table().data() + 8) << "not a copy";
}

TEST(TensorSlicesTest, TakesPairsTuplesDictsAndVectors) {
  const Array labels = Array::from({7, 8, 9});
  EXPECT_EQ(Dataset::from_tensor_slices(std::pair(table(), labels))
                .element_spec()
                .to_string(),
            "(int32[2], int32[])");
  EXPECT_EQ(Dataset::from_tensor_slices(table(), labels, table())
                .element_spec()
                .to_string(),
            "(int32[2], int32[], int32[2])");
  const Dataset dict = Dataset::from_tensor_slices(
      Element::dict({{"x", table()}, {"y", labels}}));
  EXPECT_EQ(dict.iterator().next()["y"].to<int>(), 7);
  EXPECT_EQ(values(Dataset::from_tensor_slices(std::vector<int64_t>{4, 5})),
            (std::vector<int64_t>{4, 5}));
  const Dataset strings =
      Dataset::from_tensor_slices(std::vector<std::string>{"a", "b"});
  std::string all;
  for (auto& text : strings.as<std::string>()) all += text;
  EXPECT_EQ(all, "ab");
}

TEST(TensorSlicesTest, BatchesDirectlyBehindItAreViewsToo) {
  const Dataset dataset = Dataset::from_tensor_slices(table()).batch(2);
  Iterator it = dataset.iterator();
  const Array first = it.next().to<Array>();
  EXPECT_EQ(first.shape(), (Shape{2, 2}));
  EXPECT_EQ(first.data(), table().data());
  const Array last = it.next().to<Array>();
  EXPECT_EQ(last.shape(), (Shape{1, 2}));
  EXPECT_EQ(last.span<int>()[0], 5);
  Element none;
  EXPECT_FALSE(it.get_next(&none));
  Iterator whole = Dataset::from_tensor_slices(table())
                       .batch(2, {.drop_remainder = true})
                       .iterator();
  whole.next();
  EXPECT_FALSE(whole.get_next(&none));
}

TEST(TensorSlicesTest, NoRowsIsAnEmptyDataset) {
  const Dataset dataset = Dataset::from_tensor_slices(Array::zeros({0, 3}));
  EXPECT_EQ(dataset.cardinality(), 0);
  for (auto& element : dataset) FAIL() << element;
  for (auto& element : dataset.batch(2)) FAIL() << element;
}

TEST(TensorSlicesTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::from_tensor_slices(table(), Array::from({1, 2}));
            }),
            "from_tensor_slices: expected Arrays with equal first axes, got 3 "
            "and 2\n  tensors: (int32[3, 2], int32[2])");
  EXPECT_EQ(text_of<ValueError>(
                [] { Dataset::from_tensor_slices(Array::scalar(1)); }),
            "from_tensor_slices: expected Arrays with a first axis to slice "
            "along, got a scalar\n  tensors: int32[]");
  EXPECT_EQ(text_of<ValueError>([] { Dataset::from_tensor_slices(Element()); }),
            "from_tensor_slices: expected at least one Array, got ()");
}

TEST(TensorSlicesTest, Contract) {
  EXPECT_EQ(
      testing::dataset_contract(
          [](const Dataset&) { return Dataset::from_tensor_slices(table()); },
          {.length = 3, .passes_errors = false}),
      "");
}

}  // namespace
}  // namespace systolic::data
