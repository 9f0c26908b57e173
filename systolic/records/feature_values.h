// Finds the features of a serialized Example, without making any of its
// values before somebody wants them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/base/wire.h"

namespace systolic::data::detail {

// The pieces of a message that was written in one or more parts, which count
// as if they stood behind each other.
struct WirePieces {
  std::string_view first;
  std::vector<std::string_view> more;  // hardly ever any

  void add(std::string_view piece, bool is_first) {
    if (is_first) {
      first = piece;
      more.clear();
    } else {
      more.push_back(piece);
    }
  }
  template <class F>
  void each(const F& f) const {
    f(first);
    for (const std::string_view piece : more) f(piece);
  }
};

// What a Feature holds.
enum class ValueKind : uint8_t { none = 0, bytes = 1, floats = 2, ints = 3 };

// "bytes", "float32" or "int64"; "nothing".
std::string_view name(ValueKind kind);
// The kind that a dtype's values have.
ValueKind kind_of(DType dtype);

// A Feature's lists of values, not parsed yet.
struct FeatureValues {
  ValueKind kind = ValueKind::none;
  WirePieces lists;

  // The number of values. Throws DataError where the bytes are no list.
  int64_t count(const internal::WireMessage& what) const;
};

// The lists of a Feature. Throws DataError where it is none.
FeatureValues parse_feature(const WirePieces& feature,
                            const internal::WireMessage& what);

// One entry of a map from keys to messages: the message's pieces.
struct KeyedMessage {
  bool present = false;
  WirePieces value;
};

// Looks for entries with the sorted `keys` in a message of map entries (field
// 1: Features, FeatureLists) and puts what it finds into `found`, which has a
// place for each key; of two with one key the last counts.
void find_keys(std::string_view map, const std::vector<std::string>& keys,
               const internal::WireMessage& what,
               std::vector<KeyedMessage>* found);

// All features of a serialized Example, by their keys. They refer to its
// bytes. Throws DataError.
std::map<std::string, FeatureValues> all_features(
    std::string_view example, const internal::WireMessage& what);

// The steps of all feature lists of a serialized SequenceExample, by their
// keys; none of an Example. They refer to its bytes. Throws DataError.
std::map<std::string, std::vector<FeatureValues>> all_feature_lists(
    std::string_view example, const internal::WireMessage& what);

// "class (int64, 1 value), image (bytes, 1 value)": what Features hold, for
// errors. Never throws: bytes that are no Features give what can be read.
std::string features_text(std::string_view features);

// "words (2 steps)": the same of FeatureLists.
std::string feature_lists_text(std::string_view feature_lists);

// Values of one dtype, row after row.
class ValueColumn {
 public:
  explicit ValueColumn(DType dtype) : dtype_(dtype) {}

  DType dtype() const { return dtype_; }
  int64_t size() const;
  // Adds the values, which are of this dtype's kind, and returns how many
  // they are. Throws DataError where they are none.
  int64_t append(const FeatureValues& values,
                 const internal::WireMessage& what);
  // Adds `count` copies of a scalar, of zero or "" where it is not set.
  void append_fill(const Array& scalar, int64_t count);
  // Adds the elements of an Array of this dtype.
  void append_array(const Array& array);
  // The values in another order: value i is the one at order[i].
  void reorder(const std::vector<int64_t>& order);
  // Moves all values out. Throws ShapeError for a shape of other size.
  Array take(const Shape& shape);
  // The values of an int64 column.
  const std::vector<int64_t>& ints() const { return ints_; }

 private:
  void append_ints(std::string_view list, const internal::WireMessage& what);
  void append_floats(std::string_view list, const internal::WireMessage& what);
  void append_bytes(std::string_view list, const internal::WireMessage& what);

  DType dtype_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
  std::vector<std::string> strings_;
};

}  // namespace systolic::data::detail
