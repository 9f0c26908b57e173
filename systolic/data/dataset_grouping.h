// Elements put together and taken apart: batches, buckets and windows, the part
// of data::Dataset that changes how many elements there are to one.
//   dataset.padded_batch(32);   dataset.window(5, {.shift = 1});
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "systolic/data/dataset_handle.h"
#include "systolic/data/function.h"
#include "systolic/data/grouping_options.h"

namespace systolic::data {

class Dataset;

// The grouping transforms of a Dataset.
class DatasetGrouping : public DatasetHandle {
 public:
  using DatasetHandle::DatasetHandle;

  // Stacks `batch_size` elements along a new first axis; the last batch may
  // have fewer. Throws ValueError for a batch_size below 1; reading throws
  // ShapeError when elements of a batch differ in shape.
  Dataset batch(int64_t batch_size, const BatchOptions& options = {}) const;
  // The same with elements of different lengths: Arrays are filled up to the
  // longest of the batch, or to options.padded_shapes. Reading throws
  // ShapeError when one is longer than that, or ranks differ.
  Dataset padded_batch(int64_t batch_size,
                       const PaddedBatchOptions& options = {}) const;
  // The same without padding: an Array whose lengths are not known beforehand
  // gives a RaggedArray, a scalar an Array.
  //   ragged.map([](RaggedArray words, Array label) { ... });
  Dataset ragged_batch(int64_t batch_size,
                       const RaggedBatchOptions& options = {}) const;
  // SparseArrays of shape (batch, row_shape...), of which each element fills
  // a corner; -1 in row_shape is the longest of the batch.
  Dataset sparse_batch(int64_t batch_size, const Shape& row_shape,
                       const SparseBatchOptions& options = {}) const;
  // The rows of each element, which is a batch of any size. Views: nothing is
  // copied. Reading throws ValueError when first axes of an element differ.
  Dataset unbatch(const std::string& name = "") const;
  // Batches of another size, or of several sizes in turn: as unbatch() and
  // batch(), and faster.
  Dataset rebatch(int64_t batch_size, const RebatchOptions& options = {}) const;
  Dataset rebatch(std::vector<int64_t> batch_sizes,
                  const RebatchOptions& options = {}) const;
  // Batches of elements of similar length: `element_length_func` of an element
  // says which bucket it goes to, and a full bucket is given on as a padded
  // batch. Throws ValueError for boundaries that do not rise.
  template <class F>
  Dataset bucket_by_sequence_length(F element_length_func,
                                    const BucketOptions& options) const;
  // Data sets of `size` elements that follow each other, each `shift` elements
  // behind the one before. Where elements are tuples or dicts, so are these,
  // of data sets; a parameter of type Dataset takes them as one.
  //   .window(5, {.shift = 1, .drop_remainder = true})
  //   .flat_map([](Dataset window) { return window.batch(5); })
  // Throws ValueError for lengths below 1.
  Dataset window(int64_t size, const WindowOptions& options = {}) const;
  // Elements of one key gathered: each time there are window_size of them,
  // what `reduce_func` makes of (key, Dataset) is given on, and at the end of
  // what is left. `key_func` takes an element as in map() and returns a whole
  // number. Throws ValueError unless one size is given.
  template <class K, class R>
  Dataset group_by_window(K key_func, R reduce_func,
                          const GroupByWindowOptions& options) const;

 private:
  Dataset group_elements(detail::ElementFunction key,
                         detail::AdaptedFunction<Dataset> reduce,
                         const GroupByWindowOptions& options) const;
  Dataset bucket_elements(detail::ElementFunction length,
                          const BucketOptions& options) const;
};

}  // namespace systolic::data
