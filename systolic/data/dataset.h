// Input pipelines, as tf.data has them: a source, transforms, a loop.
//   auto train = Dataset::from_tensor_slices(images, labels)
//       .map(prepare, {.num_parallel_calls = AUTOTUNE}).cache()
//       .shuffle(10'000).repeat().batch(64).prefetch(AUTOTUNE);
//   for (auto [x, y] : train.take(3).as<Array, Array>()) ...
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/optional_int.h"
#include "systolic/data/dataset_base.h"
#include "systolic/data/function.h"
#include "systolic/data/iterator.h"

namespace systolic::data {

// Options of map().
struct MapOptions {
  // How many threads run the function: 1 is the reading thread itself,
  // AUTOTUNE one per hardware thread.
  int64_t num_parallel_calls = 1;
  // Whether elements keep their order (the default) or come as they are done.
  std::optional<bool> deterministic = {};
  std::string name = {};
};

// Options of shuffle().
struct ShuffleOptions {
  // Unset: drawn from the program's seed (set_random_seed).
  OptionalInt seed = {};
  // Whether each pass has another order.
  bool reshuffle_each_iteration = true;
  std::string name = {};
};

// Options of batch().
struct BatchOptions {
  // Whether a last batch with fewer elements is left out.
  bool drop_remainder = false;
  // How many threads put batches together; as in map().
  int64_t num_parallel_calls = 1;
  std::optional<bool> deterministic = {};
  std::string name = {};
};

// A sequence of elements that can be read any number of times: a cheap handle
// over nodes that pipelines share. Transforms return a new Dataset.
class Dataset {
 public:
  // A handle on a node, which may be a user's own.
  explicit Dataset(std::shared_ptr<const DatasetBase> node);

  // One element per index of the first axis of every Array in `tensors`: an
  // Array, pair, tuple or map. Elements are views, nothing is copied.
  // Throws ValueError when an Array is a scalar or first axes differ.
  static Dataset from_tensor_slices(const Element& tensors);
  // The same for a tuple of `first`, `second`, `more`.
  template <class... More>
  static Dataset from_tensor_slices(Element first, Element second,
                                    More... more) {
    return from_tensor_slices(Element::tuple(
        {std::move(first), std::move(second), Element(std::move(more))...}));
  }
  // The int64 scalars 0, 1, ... below `stop`.
  static Dataset range(int64_t stop);
  // The int64 scalars start, start + step, ... before `stop`.
  // Throws ValueError for a step of 0.
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1);
  // Tuples of one element of each data set, as long as the shortest.
  // Throws ValueError for no data set.
  static Dataset zip(std::vector<Dataset> datasets);
  template <class... More>
  static Dataset zip(Dataset first, Dataset second, More... more) {
    return zip(std::vector<Dataset>{std::move(first), std::move(second),
                                    std::move(more)...});
  }

  // `function` of each element. Its typed parameters take the element's
  // items (Array, pair, tuple, map, number, string, Element); it returns one
  // of those. With parallel calls it is called from several threads at once.
  // Throws TypeError here when the parameters do not fit the elements.
  template <class F>
  Dataset map(F function, const MapOptions& options = {}) const {
    return map_elements(detail::adapt_function<Element>(std::move(function)),
                        options);
  }
  // The elements for which `predicate` returns true; see map() for its
  // parameters.
  template <class F>
  Dataset filter(F predicate, const std::string& name = "") const {
    return filter_elements(detail::adapt_function<bool>(std::move(predicate)),
                           name);
  }
  // The elements in random order: each is drawn from a buffer of the next
  // `buffer_size`, which is filled anew in each pass. Equal seeds give equal
  // orders. Throws ValueError for a buffer_size below 1.
  Dataset shuffle(int64_t buffer_size,
                  const ShuffleOptions& options = {}) const;
  // The elements `count` times, or without end for -1. Reading an empty data
  // set without end throws DataError after one pass.
  Dataset repeat(int64_t count = -1) const;
  // Stacks `batch_size` elements along a new first axis; the last batch may
  // have fewer. Throws ValueError for a batch_size below 1; reading throws
  // ShapeError when elements of a batch differ in shape.
  Dataset batch(int64_t batch_size, const BatchOptions& options = {}) const;
  // Keeps the elements of the first complete pass in memory for later ones.
  Dataset cache() const;
  // Makes up to `buffer_size` elements (AUTOTUNE: as many as help, within 128
  // MiB) ahead in a thread of its own. 0 does nothing.
  Dataset prefetch(int64_t buffer_size) const;
  // The first `count` elements; all for -1.
  Dataset take(int64_t count) const;
  // The elements behind the first `count`; none for -1.
  Dataset skip(int64_t count) const;
  // Tuples (index, element) with int64 indices from `start`.
  Dataset enumerate(int64_t start = 0) const;
  // The elements of this data set, then those of `other`.
  // Throws TypeError when their element specs differ in tree, dtype or rank.
  Dataset concatenate(const Dataset& other) const;

  // The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY.
  int64_t cardinality() const { return node_->cardinality(); }
  // The tree, dtypes and shapes of the elements; runs a mapped function on
  // the first element to find out.
  ElementSpec element_spec() const { return node_->element_spec(); }
  // What errors call this data set, such as `map "decode"`.
  std::string name() const { return node_->name(); }
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
  Dataset map_elements(detail::ElementFunction function,
                       const MapOptions& options) const;
  Dataset filter_elements(detail::ElementPredicate predicate,
                          const std::string& name) const;

  std::shared_ptr<const DatasetBase> node_;
};

}  // namespace systolic::data
