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

#include "systolic/data/dataset_base.h"
#include "systolic/data/dataset_grouping.h"
#include "systolic/data/dataset_sources.h"
#include "systolic/data/function.h"
#include "systolic/data/options.h"
#include "systolic/data/pipeline_options.h"

namespace systolic::data {

template <>
struct ElementTraits<Dataset>;

namespace detail {
using DatasetFunction = AdaptedFunction<Dataset>;
}  // namespace detail

// A sequence of elements that can be read any number of times: a cheap handle
// over nodes that pipelines share. Transforms return a new Dataset.
class Dataset : public DatasetGrouping, public DatasetSources {
 public:
  // A handle on a node, which may be a user's own. Throws ValueError for null.
  explicit Dataset(std::shared_ptr<const DatasetBase> node)
      : DatasetGrouping(std::move(node)) {}

  // `function` of each element. Its typed parameters take the element's
  // items (Array, pair, tuple, map, number, string, Element); it returns one
  // of those. With parallel calls it is called from several threads at once.
  // Throws TypeError here when the parameters do not fit the elements.
  template <class F>
  Dataset map(F function, const MapOptions& options = {}) const {
    return map_elements(detail::adapt_function<Element>(std::move(function)),
                        options);
  }
  // The elements of the data set that `function` makes of each element, one
  // data set behind the other; see map() for its parameters.
  template <class F>
  Dataset flat_map(F function, const std::string& name = "") const {
    return flat_map_elements(
        detail::adapt_function<Dataset>(std::move(function), "flat_map"), name);
  }
  // The same, with cycle_length data sets read in turn, block_length elements
  // of each: files that are read side by side. When one ends, the next one
  // takes its place in the cycle. Throws ValueError for lengths below 1.
  template <class F>
  Dataset interleave(F function, const InterleaveOptions& options = {}) const {
    return interleave_elements(
        detail::adapt_function<Dataset>(std::move(function), "interleave"),
        options);
  }
  // The elements for which `predicate` returns true; see map() for its
  // parameters.
  template <class F>
  Dataset filter(F predicate, const std::string& name = "") const {
    return filter_elements(detail::adapt_function<bool>(std::move(predicate)),
                           name);
  }
  // The elements up to the first for which `predicate` returns false; see
  // map() for its parameters.
  template <class F>
  Dataset take_while(F predicate, const std::string& name = "") const {
    return take_while_elements(
        detail::adapt_function<bool>(std::move(predicate), "take_while"), name);
  }
  // What `function` makes of a state and each element, one after the other:
  // it takes (state, element), where an element that is a tuple is one
  // std::tuple, and returns the pair (new state, output).
  //   scan(int64_t{0}, [](int64_t sum, int64_t x) {
  //     return std::pair(sum + x, sum + x);
  //   });
  // Throws TypeError here when the parameters do not fit.
  template <class F>
  Dataset scan(Element initial_state, F function,
               const std::string& name = "") const {
    return scan_elements(
        std::move(initial_state),
        detail::adapt_function<Element>(std::move(function), "scan"), name);
  }
  // Reads all elements and returns the last state: `function` takes (state,
  // element), as in scan(), and returns the next state.
  template <class State, class F>
  State reduce(State initial_state, F function) const {
    return reduce_elements(
               Element(std::move(initial_state)),
               detail::adapt_function<Element>(std::move(function), "reduce"))
        .template to<State>();
  }
  // What `function` makes of this data set: chains functions over data sets.
  template <class F>
  auto apply(F function) const {
    return function(*this);
  }
  // The elements in random order: each is drawn from a buffer of the next
  // `buffer_size`, which is filled anew in each pass. Equal seeds give equal
  // orders. Throws ValueError for a buffer_size below 1.
  Dataset shuffle(int64_t buffer_size,
                  const ShuffleOptions& options = {}) const;
  // The elements `count` times, or without end for -1. Reading an empty data
  // set without end throws DataError after one pass.
  Dataset repeat(int64_t count = -1) const;
  // Keeps the elements of the first complete pass in memory for later ones.
  Dataset cache() const;
  // Keeps them in the file `filename`, also for other programs: remove it when
  // the data sets above change.
  Dataset cache(const std::string& filename) const;
  // The same in a folder, in several files if options.shard_func says so.
  Dataset snapshot(const std::string& path,
                   const SnapshotOptions& options = {}) const;
  // Reads all elements and writes them into the folder `path`, for
  // Dataset::load(): whole, in place of what was saved there, or not at all.
  // Throws ValueError for a data set without an end, as snapshot() does.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  // Makes up to `buffer_size` elements (AUTOTUNE: as many as help) ahead in a
  // thread of its own, fewer where they would not fit into the RAM budget. 0
  // does nothing.
  Dataset prefetch(int64_t buffer_size) const;
  // The first `count` elements; all for -1.
  Dataset take(int64_t count) const;
  // The elements behind the first `count`; none for -1.
  Dataset skip(int64_t count) const;
  // The elements that are not equal to one before: keeps each in memory.
  Dataset unique(const std::string& name = "") const;
  // Pairs (class, element), of which some are left out at random, so that
  // classes have the shares `target_dist`. `class_func` takes an element as in
  // map() and returns its class as a whole number from 0 on.
  template <class F>
  Dataset rejection_resample(F class_func, std::vector<double> target_dist,
                             const ResampleOptions& options = {}) const {
    return resample_elements(detail::adapt_function<Element>(
                                 std::move(class_func), "rejection_resample"),
                             std::move(target_dist), options);
  }
  // The elements without those whose making throws, which it counts and logs.
  Dataset ignore_errors(const IgnoreErrorsOptions& options = {}) const;
  // The same elements, said to be so many; else reading throws DataError.
  Dataset assert_cardinality(int64_t expected_cardinality) const;
  // The only element. Throws ValueError when there is none, or another.
  Element get_single_element() const;
  // Every num_shards-th element, from element `index` on: the part of one of
  // several workers. With SHARD_HINT for both, the host's that auto_shard() is
  // for, else all of them. Throws ValueError unless 0 <= index < num_shards.
  Dataset shard(int64_t num_shards, int64_t index) const;
  // The part of one of several hosts: of the files, where every source reads
  // at least num_shards of them (list_files() counts as one), else of the
  // elements; options().auto_shard_policy chooses. To share out elements, call
  // it before shuffle() and batch(); they keep their order then. Throws
  // ValueError unless 0 <= index < num_shards, for a policy `file` without
  // enough files or `hint` without a shard(SHARD_HINT, SHARD_HINT), and for an
  // order that other hosts do not know.
  Dataset auto_shard(int64_t num_shards, int64_t index) const;
  // Tuples (index, element) with int64 indices from `start`.
  Dataset enumerate(int64_t start = 0) const;
  // The elements of this data set, then those of `other`.
  // Throws TypeError when their element specs differ in tree, dtype or rank.
  Dataset concatenate(const Dataset& other) const;

  // The same elements, read with these options: they hold for the whole
  // pipeline, before and behind this place, as tf.data's do. Throws ValueError
  // for a number of threads or a budget below 1.
  Dataset with_options(const Options& options) const;

 private:
  Dataset map_elements(detail::ElementFunction function,
                       const MapOptions& options) const;
  Dataset flat_map_elements(detail::DatasetFunction function,
                            const std::string& name) const;
  Dataset interleave_elements(detail::DatasetFunction function,
                              const InterleaveOptions& options) const;
  Dataset filter_elements(detail::ElementPredicate predicate,
                          const std::string& name) const;
  Dataset take_while_elements(detail::ElementPredicate predicate,
                              const std::string& name) const;
  Dataset scan_elements(Element initial_state, detail::ElementFunction function,
                        const std::string& name) const;
  Dataset resample_elements(detail::ElementFunction class_func,
                            std::vector<double> target_dist,
                            const ResampleOptions& options) const;
  Element reduce_elements(Element initial_state,
                          detail::ElementFunction function) const;
};

}  // namespace systolic::data

#include "systolic/data/dataset_templates.h"
