// Data on the host as fit takes them: one Array, or several in order or by
// name, for the inputs or outputs of a model.
//
//   model.fit({images, texts}, {{"price", prices}, {"kind", kinds}}, {});
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/data/dataset.h"
#include "systolic/distribute/distributed_dataset.h"

namespace systolic::models {

/// One Array, or several with or without names.
class Arrays {
 public:
  /// A name and its Array.
  using Entry = std::pair<std::string, Array>;

  /// None.
  Arrays() = default;
  /// One; none where it is unset.
  Arrays(Array array) {  // NOLINT: conversions are the point.
    if (array.is_set()) arrays_.push_back(std::move(array));
  }
  /// Several, in order.
  Arrays(std::initializer_list<Array> arrays) : arrays_(arrays) {}
  Arrays(std::vector<Array> arrays) : arrays_(std::move(arrays)) {}  // NOLINT
  /// The same under names, one for each, or none.
  Arrays(std::vector<Array> arrays, std::vector<std::string> names)
      : arrays_(std::move(arrays)), names_(std::move(names)) {}
  /// Several by name.
  Arrays(std::initializer_list<Entry> entries) {
    for (const auto& [name, array] : entries) {
      names_.push_back(name);
      arrays_.push_back(array);
    }
  }
  /// An element of a data set: an Array, or a tuple or dict of Arrays. Throws
  /// ValueError for a deeper tree, naming `who` and what it is.
  static Arrays of(const data::Element& element, std::string_view who,
                   std::string_view what);

  /// Whether there is any.
  bool is_set() const { return !arrays_.empty(); }
  /// How many there are.
  size_t size() const { return arrays_.size(); }
  /// All, in order.
  const std::vector<Array>& all() const { return arrays_; }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }
  /// Their names; empty where they have none.
  const std::vector<std::string>& names() const { return names_; }
  /// The one at a place. Throws OutOfRangeError that says how many there are.
  const Array& operator[](size_t index) const;
  /// The one of a name. Throws NotFoundError that lists the names.
  const Array& operator[](std::string_view name) const;
  /// The only one. Throws ValueError for another number.
  const Array& single() const;

  /// Others in the place of these, under the same names.
  Arrays like(std::vector<Array> arrays) const;
  /// As an element of a data set: an Array where it is one without a name.
  data::Element element() const;

 private:
  std::vector<Array> arrays_;
  std::vector<std::string> names_;
};

/// Input data: a Dataset of batches, or Arrays that fit cuts into batches.
class DataSource {
 public:
  /// No data; is_set() is false.
  DataSource() = default;
  /// A Dataset whose elements are batches: x, (x, y) or (x, y, weights). Each
  /// may be an Array, or a tuple or dict of Arrays.
  DataSource(data::Dataset dataset)  // NOLINT: conversions are the point.
      : dataset_(std::move(dataset)) {}
  /// The same, of strategy.distribute_dataset: a model splits the batches over
  /// the replicas that it has. Throws ValueError where each element is one
  /// replica's.
  DataSource(const distribute::DistributedDataset& dataset)  // NOLINT
      : dataset_(dataset.whole_batches()) {}
  /// Inputs alone, one row each.
  DataSource(Array x) : x_(std::move(x)) {}   // NOLINT
  DataSource(Arrays x) : x_(std::move(x)) {}  // NOLINT
  /// Inputs and labels, as a pair.
  DataSource(std::pair<Array, Array> xy)  // NOLINT
      : x_(std::move(xy.first)), y_(std::move(xy.second)) {}
  /// Inputs, labels and, where set, a weight for each row.
  DataSource(Arrays x, Arrays y, Arrays sample_weight = {})
      : x_(std::move(x)),
        y_(std::move(y)),
        sample_weight_(std::move(sample_weight)) {}

  /// Whether there is any data.
  bool is_set() const { return dataset_.has_value() || x_.is_set(); }
  /// The Dataset; unset where the data are Arrays.
  const std::optional<data::Dataset>& dataset() const { return dataset_; }
  /// The inputs; unset for a Dataset.
  const Arrays& x() const { return x_; }
  /// The labels; unset for a Dataset or inputs alone.
  const Arrays& y() const { return y_; }
  /// The rows' weights; unset for a Dataset or where none were given.
  const Arrays& sample_weight() const { return sample_weight_; }

 private:
  std::optional<data::Dataset> dataset_;
  Arrays x_, y_, sample_weight_;
};

}  // namespace systolic::models
