// Fills the builders of all features from one Example after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/records/feature_builder.h"
#include "systolic/records/features.h"

namespace systolic::data::detail {

class ExampleParser {
 public:
  // What both refer to has to outlive the parser.
  ExampleParser(const internal::WireMessage& what, const Features& features);

  // Adds a serialized Example: row `row` of a batch, or -1. `from` is the
  // Array that it is in, as far as the caller knows. Throws DataError.
  void add_example(std::string_view serialized, int64_t row, const Array& from);
  // Adds the message Features.
  void add_features(std::string_view features, int64_t row, const Array& from);
  // The dict of all features.
  Element finish(bool batched);

 private:
  void split_and_add(std::string_view serialized, int64_t row,
                     const Array& from);

  const Features& features_;
  ExampleView view_;
  std::vector<std::unique_ptr<FeatureBuilder>> builders_;
};

// Throws `error` of the bytes of `row` (-1: no batch) with its place.
[[noreturn]] void throw_placed(const internal::WireError& error, int64_t row,
                               const Array& from);

// The string of a scalar. Throws TypeError, ShapeError for another Array.
const std::string& one_record(const char* who, const Array& serialized);
// The strings of an axis of them. Throws TypeError, ShapeError.
std::span<const std::string> batch_of_records(const char* who,
                                              const Array& serialized);

// Calls `f(field, bytes)` for each field of a message that holds bytes.
template <class F>
void each_field(std::string_view message, const internal::WireMessage& what,
                const F& f) {
  for (internal::WireReader reader(message, what); reader.next();) {
    if (reader.kind() == internal::WireKind::bytes) {
      f(reader.field(), reader.bytes());
    }
  }
}

}  // namespace systolic::data::detail
