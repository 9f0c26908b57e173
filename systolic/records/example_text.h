// What Examples look like: one as text, and what many have in common.
//   data::ExampleSchema schema;
//   schema.add(record);
//   schema.to_string();   // "class: int64, 1 value in each of 230\n..."
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace systolic::data {
namespace detail {
struct FeatureValues;
}  // namespace detail

// A line for each feature, sorted, with its values: "class: int64 [3]"; bytes
// that are no short text by their size and, where known, what they hold:
// "image: 12345 bytes (JPEG)". Of each feature at most `most` values. Behind
// them the feature lists of a SequenceExample with at most `most` steps.
// Throws DataError for bytes that are no Example.
std::string example_text(std::string_view serialized, int64_t most = 16);

// The features that Examples have, and how many values.
class ExampleSchema {
 public:
  // Takes one Example into account. Throws DataError for bytes that are none.
  void add(std::string_view serialized);

  // The number of Examples.
  int64_t examples() const { return examples_; }
  // Whether some have feature lists: SequenceExamples.
  bool has_lists() const { return !lists_.empty(); }
  // A line for each feature: its kind, how many values it has, and in how many
  // Examples it is missing; behind them one for each feature list, with the
  // number of its steps.
  std::string to_string() const;

 private:
  struct Column {
    std::string kind;
    bool mixed = false;  // of more than one kind
    int64_t examples = 0;
    int64_t fewest = 0;
    int64_t most = 0;
    int64_t bytes = 0;  // of all values of kind bytes
  };

  // What the steps of a feature list have in common.
  struct ListColumn {
    Column steps;  // .examples counts the steps
    int64_t examples = 0;
    int64_t fewest = 0;
    int64_t most = 0;
  };

  static void add_values(const detail::FeatureValues& values, Column* column);

  std::map<std::string, Column> columns_;
  std::map<std::string, ListColumn> lists_;
  int64_t examples_ = 0;
};

}  // namespace systolic::data
