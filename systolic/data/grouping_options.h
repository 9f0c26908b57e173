// The options of the transforms that put elements together, with tf.data's
// names and defaults:
//   dataset.window(5, {.shift = 1, .drop_remainder = true});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/optional_int.h"
#include "systolic/data/element.h"

namespace systolic::data {

// Options of batch().
struct BatchOptions {
  // Whether a last batch with fewer elements is left out.
  bool drop_remainder = false;
  // How many threads put batches together; as in map().
  int64_t num_parallel_calls = 1;
  std::optional<bool> deterministic = {};
  std::string name = {};
};

// Options of padded_batch().
struct PaddedBatchOptions {
  // The shape that each Array is filled up to: a Shape, or a tuple or dict of
  // them like the elements; -1 is the longest of the batch, which is also what
  // all axes have without this.
  //   .padded_shapes = std::pair(Shape{-1}, Shape::scalar())
  std::optional<Element> padded_shapes = {};
  // What fills up: one value for all Arrays, or a tree of values; zero and ""
  // without this.
  std::optional<Element> padding_values = {};
  // Whether a last batch with fewer elements is left out.
  bool drop_remainder = false;
  std::string name = {};
};

// Options of ragged_batch().
struct RaggedBatchOptions {
  // Whether a last batch with fewer elements is left out.
  bool drop_remainder = false;
  std::string name = {};
};

// Options of sparse_batch().
struct SparseBatchOptions {
  // Whether a last batch with fewer elements is left out.
  bool drop_remainder = false;
  std::string name = {};
};

// Options of rebatch().
struct RebatchOptions {
  // Whether a last batch with fewer elements is left out.
  bool drop_remainder = false;
  std::string name = {};
};

// Options of window().
struct WindowOptions {
  // From the first element of a window to the next one's: the window's size
  // where it is not set.
  OptionalInt shift = {};
  // From one element of a window to the next one.
  int64_t stride = 1;
  // Whether last windows with fewer elements are left out.
  bool drop_remainder = false;
  std::string name = {};
};

// Options of group_by_window(): one of the two sizes.
struct GroupByWindowOptions {
  // How many elements of a key make a window.
  OptionalInt window_size = {};
  // The same as a function of the key.
  std::function<int64_t(int64_t)> window_size_func = {};
  std::string name = {};
};

// Options of bucket_by_sequence_length().
struct BucketOptions {
  // The lengths at which the next bucket begins, rising.
  std::vector<int64_t> bucket_boundaries;
  // The batch size of each bucket: one more than there are boundaries.
  std::vector<int64_t> bucket_batch_sizes;
  // As in padded_batch().
  std::optional<Element> padded_shapes = {};
  std::optional<Element> padding_values = {};
  // Whether unknown lengths are filled up to the bucket's boundary less one
  // instead of to the longest of the batch.
  bool pad_to_bucket_boundary = false;
  // Whether elements of a bucket have one shape anyway.
  bool no_padding = false;
  bool drop_remainder = false;
  std::string name = {};
};

}  // namespace systolic::data
