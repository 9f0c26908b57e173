// Tested by: systolic/records/parse_example_test.cc
#include "systolic/records/ragged_rows.h"

#include <cstdint>
#include <numeric>
#include <utility>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

using Kind = RaggedPartition::Kind;

// Row ends, from numbers of another kind; the first row starts at `*start`.
std::vector<int64_t> row_limits(std::vector<int64_t> numbers, Kind kind,
                                int64_t count, int64_t* start) {
  switch (kind) {
    case Kind::row_splits:
      if (numbers.empty()) {
        *start = -1;  // no splits at all, not even that of no rows
        return {};
      }
      *start = numbers.front();
      numbers.erase(numbers.begin());
      return numbers;
    case Kind::row_starts:
      if (!numbers.empty()) {
        *start = numbers.front();
        numbers.erase(numbers.begin());
        numbers.push_back(count);
      }
      return numbers;
    case Kind::row_lengths:
      for (int64_t end = 0; int64_t & number : numbers) {
        // -1, which is no end, for what would leave the values.
        end = number < 0 || number > count - end ? -1 : end + number;
        number = end;
      }
      return numbers;
    default:
      return numbers;
  }
}

// Row numbers of each value to the rows' lengths; empty where they fall, skip
// below 0 or would make more rows than any file holds.
bool lengths_of_ids(const std::vector<int64_t>& ids,
                    std::vector<int64_t>* lengths) {
  constexpr int64_t kMostRows = int64_t{1} << 24;
  for (const int64_t id : ids) {
    const auto rows = static_cast<int64_t>(lengths->size());
    if (id < rows - 1 || id < 0 || id >= kMostRows) return false;
    if (id >= rows) lengths->resize(static_cast<size_t>(id) + 1, 0);
    ++lengths->back();
  }
  return true;
}

}  // namespace

std::vector<int64_t> row_lengths(const ExampleView& example,
                                 const std::string& value_key,
                                 const RaggedPartition& partition,
                                 int64_t count) {
  std::vector<int64_t> lengths;
  if (partition.kind == Kind::uniform_row_length) {
    if (count % partition.length != 0) {
      example.fail(
          value_key,
          internal::concatenate_text("values for rows of ", partition.length),
          internal::concatenate_text(count));
    }
    lengths.assign(static_cast<size_t>(count / partition.length),
                   partition.length);
    return lengths;
  }
  ValueColumn numbers(DType::int64);
  numbers.append(example.values(partition.key, DType::int64), example.what);
  bool right = true;
  if (partition.kind == Kind::value_rowids) {
    right = lengths_of_ids(numbers.ints(), &lengths) &&
            static_cast<int64_t>(numbers.ints().size()) == count;
  } else {
    int64_t start = 0;
    int64_t end = 0;
    for (const int64_t limit :
         row_limits(numbers.ints(), partition.kind, count, &start)) {
      right = limit >= end && limit <= count;
      if (!right) break;
      lengths.push_back(limit - end);
      end = limit;
    }
    right = right && start == 0 && end == count;
  }
  if (!right) {
    example.fail(partition.key,
                 internal::concatenate_text("rows that hold ", count,
                                            " values, one behind the other"),
                 Array::from(numbers.ints()).to_string());
  }
  return lengths;
}

Array splits_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> splits(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), splits.begin() + 1);
  return Array::from(splits);
}

Element ragged_element(const std::string& name, RaggedArray array,
                       DType dtype) {
  if (dtype == DType::int64) return Element(std::move(array));
  std::vector<Element> splits;
  for (const Array& wide : array.row_splits()) {
    const int64_t last = wide.span<int64_t>().back();
    if (last > INT32_MAX) {
      internal::Message("feature \"" + name + "\"")
          .expected("at most ", INT32_MAX, " values, which int32 splits count")
          .got(last)
          .hint("row_splits_dtype = DType::int64")
          .raise<DataError>();
    }
    splits.emplace_back(cast(wide, dtype));
  }
  return Element::dict({{"row_splits", Element::tuple(std::move(splits))},
                        {"values", Element(array.values())}});
}

}  // namespace systolic::data::detail
