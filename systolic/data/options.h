// The options that a Dataset's transforms take, with tf.data's names and
// defaults, given with designated initializers:
//   dataset.map(decode, {.num_parallel_calls = AUTOTUNE}).batch(32);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/optional_int.h"
#include "systolic/data/dataset_base.h"
#include "systolic/data/element.h"
#include "systolic/data/element_spec.h"

namespace systolic::data {

class Dataset;

// Options of map().
struct MapOptions {
  // How many threads run the function: 1 is the reading thread itself,
  // AUTOTUNE as many as help: one per hardware thread, more for work that
  // waits, none for light work.
  int64_t num_parallel_calls = 1;
  // Whether elements keep their order or come as they are done; unset: as the
  // pipeline's options say, and they keep it where those say nothing.
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
  // How many threads read: 1 is the reading thread itself, AUTOTUNE one per
  // hardware thread, more where reading waits: as many as the cycle has data
  // sets, at most 64.
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

// Options of sample_from_datasets().
struct SampleOptions {
  // How likely each data set is drawn from; all alike when empty.
  std::vector<double> weights = {};
  // Unset: drawn from the program's seed (set_random_seed).
  OptionalInt seed = {};
  // Whether the end of one data set ends all, or the others go on.
  bool stop_on_empty_dataset = false;
  // Whether each pass draws anew.
  bool rerandomize_each_iteration = false;
  std::string name = {};
};

// Options of choose_from_datasets().
struct ChooseOptions {
  // Whether the end of one data set ends all, or its choices are skipped.
  bool stop_on_empty_dataset = true;
  std::string name = {};
};

// Options of rejection_resample().
struct ResampleOptions {
  // The share of each class in the input; counted on the way when empty.
  std::vector<double> initial_dist = {};
  // Unset: drawn from the program's seed (set_random_seed).
  OptionalInt seed = {};
  std::string name = {};
};

// Options of ignore_errors().
struct IgnoreErrorsOptions {
  // Whether each error is logged as it comes; else one line at the end of a
  // pass says how many there were, and the first.
  bool log_warning = false;
  // Counts the elements left out of all passes.
  std::shared_ptr<std::atomic<int64_t>> ignored = {};
  std::string name = {};
};

// The number of the file that an element goes to.
using ShardFunction = std::function<int64_t(const Element&)>;
// Makes one data set of a data set of data sets, one for each file.
using ReaderFunction = std::function<Dataset(const Dataset&)>;

// Options of Dataset::save().
struct SaveOptions {
  // "" or "GZIP".
  std::string compression = {};
  // Without it there is one file.
  ShardFunction shard_func = {};
};

// Options of Dataset::load().
struct LoadOptions {
  // As it was saved; unset: whatever that was.
  std::optional<std::string> compression = {};
  // Without it the files are read in turn, an element of each.
  ReaderFunction reader_func = {};
};

// Options of snapshot().
struct SnapshotOptions {
  // "GZIP", or "" and "AUTO" for none.
  std::string compression = "AUTO";
  // As in save() and load().
  ShardFunction shard_func = {};
  ReaderFunction reader_func = {};
  std::string name = {};
};

}  // namespace systolic::data
