// Chunks: the batches of one launch, read and sent ahead of it.
//
//   ChunkReader chunks(batches, placement, steps_per_execution, steps);
//   while (chunks.prepare()) launch(chunks.take());
//   chunks.rethrow();
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/models/feed.h"

namespace systolic::internal::models {

/// Reads batches of a data set, keeping one that ended a chunk for the next.
class BatchReader {
 public:
  /// What is taken of the data set's elements.
  enum class Takes : uint8_t { all, inputs };

  BatchReader(const data::Dataset& dataset, std::string_view who,
              Takes takes = Takes::all);

  /// Each batch goes through it when it is read: weights of classes.
  void set_change(std::function<void(HostBatch&)> change) {
    change_ = std::move(change);
  }

  /// Whether there is one more batch; waits for it.
  bool has_next();
  /// The next batch, or nothing at the end. What the data throw says at which
  /// step that was.
  std::optional<HostBatch> next();
  /// Puts a batch back in front.
  void put_back(HostBatch batch) { kept_ = std::move(batch); }
  /// Starts again from the beginning.
  void restart();
  /// Ends waits for data, from another thread: there is no batch any more
  /// before restart().
  void stop() { iterator_.stop(); }
  /// Whether a thread of the data set's own makes its elements: then batches
  /// may be read on any thread.
  bool works_ahead() const { return dataset_.node()->works_ahead(); }
  /// The position as bytes, behind the batches that were read; one that was
  /// put back comes again.
  std::string save();
  /// Goes on where save() was called. Throws ValueError for another data set.
  void restore(std::string_view state);
  /// Steps count from here, for messages; epochs from 0.
  void begin_epoch(int epoch);
  /// "  in: fit, epoch 2, steps 7 to 9": the line of messages for steps of
  /// one launch, from 1.
  std::string place(int64_t first, int64_t last) const;

 private:
  std::optional<HostBatch> read();
  HostBatch unpacked(data::Element element) const;

  data::Dataset dataset_;
  std::string_view who_;
  Takes takes_;
  data::Iterator iterator_;
  std::function<void(HostBatch&)> change_;
  std::optional<HostBatch> kept_;
  std::optional<int> epoch_;
  int64_t step_ = 0;
};

/// The batches of one launch: a single one, or a stack of one spec.
struct Chunk {
  DeviceBatch sent;
  /// Labels on the host, for each batch that has some.
  std::vector<Arrays> labels;
  /// Rows of each batch, and how many batches there are.
  int64_t rows = 0;
  int64_t steps = 0;
  /// Whether sent is a stack.
  bool is_stack = false;
};

/// A batch as a chunk of one step.
Chunk single_chunk(const HostBatch& batch, const graph::Placement& placement);

/// Makes the chunks of a run, one after the other, and sends them.
class ChunkMaker {
 public:
  /// `steps_per_execution` above 1 makes stacks, all of one size. No chunk goes
  /// beyond an execution, nor beyond the `steps` of the run.
  ChunkMaker(BatchReader& batches, const graph::Placement& placement,
             int64_t steps_per_execution, std::optional<int64_t> steps);

  /// The next chunk, on its way to the devices; nothing where there is none.
  /// Does not throw: what the data throw is kept, and ends the chunk.
  std::optional<Chunk> next();
  /// Throws what the data threw, if they did.
  void rethrow();
  /// Ends waits for data, from another thread.
  void stop() { batches_.stop(); }

 private:
  int64_t limit() const;
  Chunk make(HostBatch first);

  BatchReader& batches_;
  const graph::Placement& placement_;
  const int64_t execution_;  // steps
  const int64_t launch_;     // steps that one launch may have
  const std::optional<int64_t> steps_;
  int64_t given_ = 0;  // steps
  std::exception_ptr failure_;
};

/// The chunks of a run, prepared while the devices work on those before: two of
/// them by a thread of its own where the data set's elements are made by one,
/// else the next one by the caller.
class ChunkReader {
 public:
  /// As ChunkMaker.
  ChunkReader(BatchReader& batches, const graph::Placement& placement,
              int64_t steps_per_execution, std::optional<int64_t> steps = {});
  /// Stops the reading.
  ~ChunkReader();
  ChunkReader(const ChunkReader&) = delete;
  ChunkReader& operator=(const ChunkReader&) = delete;

  /// Prepares the next chunk, unless a thread does; waits for nothing else.
  void read_ahead();
  /// Whether there is a next chunk; waits for it.
  bool prepare();
  /// The chunk that was prepared.
  Chunk take();
  /// Throws what the data threw, if they did, behind the last chunk.
  void rethrow() { maker_.rethrow(); }

 private:
  class Thread;

  ChunkMaker maker_;
  std::unique_ptr<Thread> thread_;
  std::optional<Chunk> next_;
};

}  // namespace systolic::internal::models
