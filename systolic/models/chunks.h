// Chunks: the batches of one launch, read and sent ahead of it.
//
//   ChunkReader chunks(batches, placement, steps_per_execution);
//   while (chunks.prepare(limit)) launch(chunks.take());
//   chunks.rethrow();
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
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
  /// Steps count from here, for messages; epochs from 0.
  void begin_epoch(int epoch);
  /// "  in: fit, epoch 2, steps 7 to 9": the line of messages for steps of
  /// one launch, from 1.
  std::string place(int64_t first, int64_t last) const;

 private:
  std::optional<HostBatch> read();

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

/// Makes the chunks of a run and sends them: the next one while the devices
/// work on the one before.
class ChunkReader {
 public:
  /// `steps_per_execution` above 1 makes stacks, all of one size.
  ChunkReader(BatchReader& batches, const graph::Placement& placement,
              int64_t steps_per_execution);

  /// Sees to it that the next chunk is on its way to the devices, with up to
  /// `limit` batches; false where there is none. Does not throw: what the data
  /// throw is kept, and ends the chunk.
  bool prepare(int64_t limit);
  /// The chunk that was prepared.
  Chunk take();
  /// Throws what the data threw, if they did.
  void rethrow();

 private:
  Chunk make(HostBatch first, int64_t limit);

  BatchReader& batches_;
  const graph::Placement& placement_;
  const int64_t steps_per_execution_;
  std::optional<Chunk> next_;
  std::exception_ptr failure_;
};

}  // namespace systolic::internal::models
