// The options that a Dataset's transforms take, with tf.data's names and
// defaults, given with designated initializers:
//   dataset.map(decode, {.num_parallel_calls = AUTOTUNE}).batch(32);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/base/optional_int.h"
#include "systolic/data/dataset_base.h"
#include "systolic/data/element_spec.h"

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

// Options of interleave().
struct InterleaveOptions {
  // How many data sets are read in turn: no more are open at once. AUTOTUNE:
  // num_parallel_calls where that is a number, else 16.
  int64_t cycle_length = AUTOTUNE;
  // How many elements of one follow each other.
  int64_t block_length = 1;
  // How many threads read: 1 is the reading thread itself, AUTOTUNE one for
  // each data set of the cycle.
  int64_t num_parallel_calls = 1;
  // Whether the order is that of one thread (the default), or elements come
  // as they are read.
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

// Options of from_generator().
struct GeneratorOptions {
  // What each element is checked against; when not set, the first element
  // shows what the others are like.
  ElementSpec output_signature = {};
  std::string name = {};
};

// Options of list_files().
struct ListFilesOptions {
  // Whether each pass gives the paths in another random order, as in tf.data;
  // if not they are sorted.
  bool shuffle = true;
  // Unset: drawn from the program's seed (set_random_seed).
  OptionalInt seed = {};
  std::string name = {};
};

// Options of random().
struct RandomOptions {
  // Unset: drawn from the program's seed (set_random_seed).
  OptionalInt seed = {};
  // Whether each pass has other numbers.
  bool rerandomize_each_iteration = false;
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

}  // namespace systolic::data
