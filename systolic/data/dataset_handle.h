// Reading a data set, and what is known of its elements: the part of
// data::Dataset, which has the example, that needs no other data set.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/data/dataset_base.h"
#include "systolic/data/iterator.h"

namespace systolic::data {

// A shared node, and passes over it.
class DatasetHandle {
 public:
  // Throws ValueError for a null pointer.
  explicit DatasetHandle(std::shared_ptr<const DatasetBase> node);

  // The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY.
  int64_t cardinality() const { return node_->cardinality(); }
  // The tree, dtypes and shapes of the elements; runs a mapped function on
  // the first element to find out.
  ElementSpec element_spec() const { return node_->element_spec(); }
  // What errors call this data set, such as `map "decode"`.
  std::string name() const { return node_->name(); }
  // The options that are set in the pipeline.
  Options options() const { return node_->options(); }
  // The node behind the handle.
  const std::shared_ptr<const DatasetBase>& node() const { return node_; }

  // A new pass over the elements.
  Iterator iterator() const { return Iterator(node_); }
  // A pass that goes on where Iterator::save() was called, on this data set or
  // an equal one, also of another run.
  // Throws ValueError for the state of another one, DataError for damage.
  Iterator iterator(std::string_view state) const {
    return Iterator(node_, state);
  }
  // for (auto& element : dataset)
  Cursor<Element> begin() const { return Cursor<Element>(iterator()); }
  std::default_sentinel_t end() const { return {}; }
  // for (auto [x, y] : dataset.as<Array, Array>()); one type gives itself.
  // Throws TypeError when the elements have another tree.
  template <class... Ts>
  TypedDataset<Ts...> as() const {
    return TypedDataset<Ts...>(node_);
  }

 private:
  std::shared_ptr<const DatasetBase> node_;
};

}  // namespace systolic::data
