// Orders and shapes of real tf.data: tests/parity/families/datasets.py.
#include <gtest/gtest.h>

#include <map>

#include "systolic/data/dataset.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/golden.h"

namespace systolic::data {
namespace {

using golden::Case;

// Vectors 0 ... length - 1.
Dataset lengths(const std::vector<int64_t>& all) {
  return Dataset::from_tensor_slices(Array::from(all)).map([](int64_t length) {
    std::vector<int64_t> row;
    for (int64_t i = 0; i < length; ++i) row.push_back(i);
    return row;
  });
}

Dataset interleave(const Case& c) {
  const auto counts = [](int64_t x) {
    return Dataset::range(x % 5).map([x](int64_t i) { return x + 100 * i; });
  };
  return Dataset::range(12).interleave(
      counts, {.cycle_length = c.options().get("cycle_length", 0),
               .block_length = c.options().get("block_length", 0),
               .num_parallel_calls = 2});
}

Dataset window(const Case& c) {
  const int64_t size = c.options()["size"].integer();
  return Dataset::range(c.options()["n"].integer())
      .window(size, {.shift = c.options()["shift"].integer(),
                     .stride = c.options()["stride"].integer(),
                     .drop_remainder = c.options()["drop_remainder"].boolean()})
      .flat_map([size](Dataset inner) { return inner.batch(size); });
}

Dataset padded_batch(const Case& c) {
  PaddedBatchOptions options{.drop_remainder =
                                 c.options().get("drop_remainder", false)};
  if (c.options().has("padded_shapes")) {
    options.padded_shapes =
        Array::from(c.options()["padded_shapes"].integers());
    options.padding_values = c.options()["padding_values"].integer();
  }
  return lengths({1, 3, 0, 2, 4})
      .padded_batch(c.options()["batch_size"].integer(), options);
}

Dataset padded_pairs(const Case& c) {
  return lengths({2, 1, 3})
      .map([](Array x) { return std::pair(x, x.size()); })
      .padded_batch(c.options()["batch_size"].integer(),
                    {.padded_shapes = std::pair(Shape{-1}, Shape::scalar())});
}

Dataset rebatch(const Case& c) {
  return Dataset::range(11).batch(4).rebatch(
      c.options()["batch_sizes"].integers(),
      {.drop_remainder = c.options()["drop_remainder"].boolean()});
}

Dataset group(const Case& c) {
  return Dataset::range(11).group_by_window(
      [](int64_t x) { return x % 3; },
      [](int64_t, Dataset rows) { return rows.batch(2); },
      {.window_size = c.options()["window_size"].integer()});
}

Dataset group_by_function(const Case&) {
  return Dataset::range(20).group_by_window(
      [](int64_t x) { return x % 3; },
      [](int64_t, Dataset rows) { return rows.batch(10); },
      {.window_size_func = [](int64_t key) { return key + 1; }});
}

Dataset bucket(const Case& c) {
  return lengths({3, 1, 7, 2, 9, 4, 4, 8, 0, 5, 6, 1, 2})
      .bucket_by_sequence_length(
          [](Array x) { return x.size(); },
          {.bucket_boundaries = c.options()["boundaries"].integers(),
           .bucket_batch_sizes = c.options()["batch_sizes"].integers(),
           .pad_to_bucket_boundary =
               c.options().get("pad_to_bucket_boundary", false),
           .drop_remainder = c.options().get("drop_remainder", false)});
}

Dataset ragged_batch(const Case& c) {
  return lengths({1, 3, 0, 2, 4})
      .ragged_batch(c.options()["batch_size"].integer());
}

Dataset sparse_batch(const Case& c) {
  return lengths({1, 3, 0, 2, 4})
      .sparse_batch(c.options()["batch_size"].integer(), {4});
}

Dataset choose(const Case& c) {
  return Dataset::choose_from_datasets(
      {Dataset::range(2), Dataset::range(10, 16), Dataset::range(20, 23)},
      Dataset::range(3).repeat(4),
      {.stop_on_empty_dataset =
           c.options()["stop_on_empty_dataset"].boolean()});
}

Dataset unbatch(const Case&) { return Dataset::range(7).batch(3).unbatch(); }

const std::map<std::string, Dataset (*)(const Case&), std::less<>>&
pipelines() {
  static const std::map<std::string, Dataset (*)(const Case&), std::less<>>
      all = {{"interleave", interleave},
             {"window", window},
             {"padded_batch", padded_batch},
             {"padded pairs", padded_pairs},
             {"rebatch", rebatch},
             {"group_by_window", group},
             {"group_by_window_func", group_by_function},
             {"bucket_by_sequence_length", bucket},
             {"ragged_batch", ragged_batch},
             {"sparse_batch", sparse_batch},
             {"choose_from_datasets", choose},
             {"unbatch", unbatch}};
  return all;
}

void collect(const Element& element, std::vector<Array>* arrays) {
  if (element.is_array()) arrays->push_back(element.array());
  for (const Element& item : element.items()) collect(item, arrays);
}

class ParityTest : public ::testing::TestWithParam<Case> {};

TEST_P(ParityTest, ElementsAreTfDatas) {
  const Case& c = GetParam();
  const std::string kind = c.name().substr(0, c.name().find(','));
  const auto found = pipelines().find(kind);
  ASSERT_NE(found, pipelines().end()) << kind;
  const auto build = [&] { return found->second(c); };
  const Dataset dataset = build();
  int64_t count = 0;
  for (const Element& element : dataset) {
    std::vector<Array> arrays;
    collect(element, &arrays);
    for (size_t i = 0; i < arrays.size(); ++i) {
      const std::string name = std::to_string(count) + "/" + std::to_string(i);
      ASSERT_TRUE(c.has_array(name)) << name << element;
      EXPECT_EQ(golden::difference(arrays[i], c.array(name)), "")
          << name << c.options().to_string();
    }
    EXPECT_TRUE(element.spec().is_compatible_with(dataset.element_spec()))
        << element.spec() << " and " << dataset.element_spec();
    ++count;
  }
  EXPECT_EQ(count, c.expected()["elements"].integer());
  const int64_t claimed = dataset.cardinality();
  EXPECT_TRUE(claimed < 0 || claimed == count) << claimed;
  EXPECT_EQ(resume_failure(build), "");
}

INSTANTIATE_TEST_SUITE_P(Goldens, ParityTest,
                         ::testing::ValuesIn(golden::load("datasets")));

}  // namespace
}  // namespace systolic::data
