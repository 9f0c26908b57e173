#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset grouped(const Dataset& input) {
  return input.group_by_window(
      [](int64_t x) { return x % 3; },
      [](int64_t key, Dataset rows) {
        return rows.map([key](int64_t x) { return 100 * key + x; }).batch(4);
      },
      {.window_size = 4});
}

TEST(GroupByWindowTest, Contract) {
  EXPECT_EQ(text(grouped(Dataset::range(13))),
            "[0 3 6 9] [101 104 107 110] [202 205 208 211] [12]");
  EXPECT_EQ(grouped(Dataset::range(13)).element_spec().to_string(),
            "int64[None]");
  EXPECT_EQ(testing::dataset_contract(grouped, {.length = 12}), "");
}

// What is made of a window begins passes of its own: they are in the state.
TEST(GroupByWindowTest, PassesInsideOfAWindowAreSaved) {
  const auto build = [] {
    return Dataset::range(40).group_by_window(
        [](int64_t x) { return x % 2; },
        [](int64_t, Dataset window) {
          return window.shuffle(5, {.seed = 1}).repeat(3);
        },
        {.window_size = 5});
  };
  EXPECT_EQ(resume_failure(build), "");
}

TEST(GroupByWindowTest, MistakesAreNamed) {
  const auto make = [](const GroupByWindowOptions& options) {
    return Dataset::range(5).group_by_window(
        [](int64_t x) { return x; }, [](int64_t, Dataset rows) { return rows; },
        options);
  };
  EXPECT_EQ(text_of<ValueError>([&] { make({}); }),
            "group_by_window: expected a window_size >= 1 or a "
            "window_size_func, got none");
  EXPECT_EQ(
      text_of<ValueError>([&] {
        make({.window_size_func = [](int64_t) { return 0; }}).iterator().next();
      }),
      "group_by_window (element 0): window_size: expected a window size >= 1, "
      "got 0 for the key 0");
  EXPECT_EQ(text_of<TypeError>([] {
              Dataset::range(3).group_by_window(
                  [](int64_t x) { return x; },
                  [](int64_t key) { return Dataset::range(key); },
                  {.window_size = 2});
            }),
            "group_by_window: expected a function of 2 parameters, got one of "
            "1\n  element: (int64[], Dataset(int64[]))\n"
            "  hint: each item of a tuple is a parameter of its own");
}

TEST(BucketTest, PairsAndPadding) {
  const Dataset pairs = Dataset::range(6).map([](int64_t x) {
    return std::pair(Array::full({x}, double(x), DType::int64), x);
  });
  const Dataset buckets = pairs.bucket_by_sequence_length(
      [](Array x, Array) { return x.size(); }, {.bucket_boundaries = {3},
                                                .bucket_batch_sizes = {2, 2},
                                                .padding_values = -1});
  EXPECT_EQ(text(buckets),
            "([[-1]\n [ 1]], [0 1]) ([[ 3  3  3 -1]\n [ 4  4  4  4]], [3 4]) "
            "([[2 2]], [2]) ([[5 5 5 5 5]], [5])");
  EXPECT_EQ(buckets.element_spec().to_string(),
            "(int64[None, None], int64[None])");
}

// Lengths that all elements share stay as they are.
TEST(BucketTest, OnlySequencesAreAsLongAsTheBoundary) {
  const Dataset rows = Dataset::range(1, 3).map([](int64_t x) {
    return Array::zeros({x, 3});
  });
  const Dataset buckets = rows.bucket_by_sequence_length(
      [](Array x) { return x.shape()[0]; }, {.bucket_boundaries = {6},
                                             .bucket_batch_sizes = {2, 2},
                                             .pad_to_bucket_boundary = true});
  EXPECT_EQ(buckets.iterator().next().array().shape(), (Shape{2, 5, 3}));
}

TEST(BucketTest, MistakesAreNamed) {
  const auto make = [](const BucketOptions& options) {
    return Dataset::range(9).bucket_by_sequence_length(
        [](int64_t x) { return x; }, options);
  };
  EXPECT_EQ(
      text_of<ValueError>([&] {
        make({.bucket_boundaries = {3, 3}, .bucket_batch_sizes = {1, 1, 1}});
      }),
      "bucket_by_sequence_length: expected bucket_boundaries that rise, "
      "at least one, got [3 3]");
  EXPECT_EQ(text_of<ValueError>([&] {
              make({.bucket_boundaries = {3, 5}, .bucket_batch_sizes = {1, 1}});
            }),
            "bucket_by_sequence_length: expected a batch size for each of the "
            "3 buckets: one more than boundaries, got 2 bucket_batch_sizes");
  EXPECT_EQ(text_of<ValueError>([&] {
              text(make({.bucket_boundaries = {3},
                         .bucket_batch_sizes = {9, 1},
                         .pad_to_bucket_boundary = true}));
            }),
            "bucket_by_sequence_length (element 3): bucket_by_sequence_length: "
            "expected lengths below the last boundary 3, with "
            "pad_to_bucket_boundary, got a longer element\n"
            "  hint: add a boundary, or filter() long elements out");
}

}  // namespace
}  // namespace systolic::data
