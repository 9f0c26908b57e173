// Collects one feature of one or many Examples, and makes of it what its class
// says.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/base/wire.h"
#include "systolic/data/element.h"
#include "systolic/records/feature_values.h"
#include "systolic/records/features.h"

namespace systolic::data::detail {

// One serialized Example, for builders and their errors.
struct ExampleView {
  internal::WireMessage what;
  std::string_view features;             // the message Features
  const std::vector<std::string>* keys;  // that `found` has places for
  std::vector<KeyedMessage> found;
  int64_t row = -1;    // in the batch; -1: no batch
  Array from;          // that it is the string of, where known
  bool lists = false;  // whether `features` is a message FeatureLists

  // The values of a key. Throws DataError naming it unless they are of the
  // dtype's kind; a key that is missing has none.
  FeatureValues values(const std::string& key, DType dtype) const;
  // Throws a DataError that says what is in the Example.
  [[noreturn]] void fail(std::string_view key, const std::string& expected,
                         const std::string& got) const;
};

class FeatureBuilder {
 public:
  virtual ~FeatureBuilder() = default;

  // Adds the feature of the next Example. Throws DataError.
  virtual void add(const ExampleView& example) = 0;
  // What was added: of one Example, or of a batch with an axis more.
  virtual Element finish(bool batched) = 0;
};

// A builder for the feature called `name`, both of which have to outlive it.
std::unique_ptr<FeatureBuilder> make_builder(const std::string& name,
                                             const Feature& feature);

// Steps of a feature in batches: rows of `lengths` steps, each filled up to
// the longest. `column` has the values of all rows behind each other.
Array pad_rows(ValueColumn* column, const std::vector<int64_t>& lengths,
               const Shape& step, const Array& fill);

}  // namespace systolic::data::detail
