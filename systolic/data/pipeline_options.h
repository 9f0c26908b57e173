// Options of a whole pipeline, as tf.data.Options.
//   dataset = dataset.with_options({.deterministic = false});
//   dataset = dataset.with_options({.autotune = {.ram_budget = 2LL << 30}});
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/base/error.h"

namespace systolic::data {

// shuffle() or cache() would take more than its part of the RAM budget. No bad
// element: ignore_errors() passes it on, and each further read throws it again.
class ResourceExhaustedError : public ValueError {
 public:
  using ValueError::ValueError;
};

// Threads of a pipeline.
struct ThreadingOptions {
  // The most threads that one parallel transform uses, whatever it asks for;
  // unset: as many as it asks for.
  std::optional<int64_t> private_threadpool_size = {};
};

// What AUTOTUNE may do.
struct AutotuneOptions {
  // Unset: true. Without it AUTOTUNE means one thread per hardware thread, and
  // two elements prefetched.
  std::optional<bool> enabled = {};
  // How many hardware threads AUTOTUNE fills with work; unset: all.
  std::optional<int64_t> cpu_budget = {};
  // The bytes that elements in buffers may take: a quarter for elements made
  // ahead (prefetch, interleave, parallel calls), which make fewer then; three
  // quarters for shuffle() and cache(), which throw. Unset: half of the most
  // memory that was free when a pass of the program began. Beyond it there is
  // what is just made or read: one element for each buffer and, for the reader
  // and each thread of a parallel transform, one piece of work, which is 4 MiB
  // or one element (of batch: a batch and its elements).
  std::optional<int64_t> ram_budget = {};
};

// How a data set is shared out over the hosts of a job.
enum class AutoShardPolicy {
  automatic,  // by files where there are enough of them, else by elements
  file,       // each host reads files of its own
  data,       // each host reads everything and keeps its share
  hint,       // each host has its share of each shard(SHARD_HINT, SHARD_HINT)
  off,        // each host reads everything
};

// What is unset is decided by the transforms, or by the options of a
// with_options() before this one.
struct Options {
  // Whether parallel transforms that do not say it themselves keep the order;
  // unset: true.
  std::optional<bool> deterministic = {};
  ThreadingOptions threading = {};
  AutotuneOptions autotune = {};
  std::optional<AutoShardPolicy> auto_shard_policy = {};

  // These options where they are set, those of `earlier` elsewhere.
  Options merged_over(const Options& earlier) const;
};

}  // namespace systolic::data
