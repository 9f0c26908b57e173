// What an iterator is told by the one that reads from it.
//   std::unique_ptr<IteratorBase> make_iterator(
//       const IteratorContext& context) const override {
//     return std::make_unique<It>(context.stop,
//     input().make_iterator(context));
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "systolic/data/pipeline_run.h"

namespace systolic::data {

// The part of their files that sources read: every `count`-th, from `index` on.
struct FileShard {
  int64_t count = 1;
  int64_t index = 0;
};

class DatasetBase;

// What an iterator is told by the one that reads from it.
struct IteratorContext {
  // Requested when nobody reads any more: a loop that may run long without
  // giving out an element looks at it and returns as at the end.
  std::stop_token stop = {};
  // Only the first element is wanted, for its spec: no buffer is filled, no
  // thread started, no state of the data set changed.
  bool peek = false;
  // What the whole pipeline shares; null outside of a data::Iterator.
  std::shared_ptr<PipelineRun> run = {};
  // For sources of files: see auto_shard().
  FileShard files = {};
  // For shard(SHARD_HINT, SHARD_HINT): the part of its elements.
  FileShard hint = {};
  // Other hosts read the same and keep other elements of it: all have to find
  // one order, or elements are lost. See auto_shard().
  bool hosts_share = false;
  // Where a data set is read that a function made of an element: the node of
  // the pipeline that called the function. Else null.
  const DatasetBase* maker = nullptr;
  // That data set, and which of the maker's functions' it is: a number that is
  // the same for what the same place of the program makes.
  const DatasetBase* made = nullptr;
  uint64_t place = 0;

  // The pipeline's options, or no options.
  const Options& options() const;
  // Whether a transform with this option of its own keeps the order; where it
  // does not, the run knows (PipelineRun::loses_order). Hosts that share the
  // elements always keep it.
  bool is_deterministic(std::optional<bool> own) const;
  // Throws ValueError, naming `who`, where hosts share the elements and their
  // order depends on a seed that is drawn anew in each process.
  void require_one_order(const std::string& who, bool is_seeded) const;
  // The counters of a node, or null where nobody counts. The data sets that a
  // maker's functions make have them in common, node by node.
  std::shared_ptr<StageCounters> stage(const DatasetBase& node) const;
  // The same context with another token: what a node with threads of its own
  // hands to its input.
  IteratorContext with_stop(std::stop_token token) const {
    IteratorContext context = *this;
    context.stop = std::move(token);
    return context;
  }
  // The same for `dataset`, which a function of `node` made.
  IteratorContext made_by(const DatasetBase& node,
                          const DatasetBase& dataset) const;

 private:
  // Which of the nodes of a made data set this one is.
  uint64_t place_of(const DatasetBase& node) const;
};

}  // namespace systolic::data
