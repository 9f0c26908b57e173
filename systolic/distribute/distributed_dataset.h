// DistributedDataset: batches whose rows are spread over the replicas.
//
//   auto train = strategy.distribute_dataset(dataset.batch(200));
//   auto it = train.iterator();
//   strategy.run(step, it.next());
//   for (auto batch : train) strategy.run(step, batch);
//   auto resumed = train.iterator(it.save());
//
// A batch whose rows do not divide is filled up with zeros; how many rows are
// real goes with it (valid_rows()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/data/dataset.h"
#include "systolic/distribute/distributed_values.h"

namespace systolic {

namespace internal::distribute {
struct DistributedSource;
struct HostStep;
}  // namespace internal::distribute

/// What a function that makes a data set knows of its replicas.
struct InputContext {
  /// Input pipelines in all, one for each host.
  int num_input_pipelines = 1;
  /// This one's number.
  int input_pipeline_id = 0;
  /// Replicas of all pipelines.
  int num_replicas_in_sync = 1;

  /// The share of one replica. Throws ValueError where it does not divide.
  int64_t get_per_replica_batch_size(int64_t global_batch_size) const;
};

/// What a function that makes one replica's value knows.
struct ValueContext {
  int replica_id_in_sync_group = 0;
  int num_replicas_in_sync = 1;
};

namespace distribute {

using systolic::InputContext;
using systolic::ValueContext;

/// One pass over a DistributedDataset. Used by one thread at a time.
///
/// An exception ends no pass: the next call goes on behind the element whose
/// making failed, as tf.data does. The elements of a batch that were read
/// before it for other replicas are kept for the next batch, by save() too. A
/// batch that can not be split is left out; one that can not be sent, alone or
/// in a stack of run_steps, is sent by the next call.
class DistributedIterator {
 public:
  DistributedIterator(DistributedIterator&&) noexcept;
  DistributedIterator& operator=(DistributedIterator&&) noexcept;
  ~DistributedIterator();

  /// The next batch, on its way to the devices. Throws OutOfRangeError past
  /// the end; ShapeError, TypeError, ValueError for what can not be split or
  /// sent.
  DistributedValues next();
  /// TensorFlow's name of next.
  DistributedValues get_next() { return next(); }
  /// The next batch, or nothing at the end.
  std::optional<DistributedValues> get_next_as_optional();

  /// The position as bytes, as data::Iterator::save(): what a program keeps
  /// with its checkpoint to go on with the next batch in another run. What
  /// run_steps read and could not send is in it, and what the data threw that
  /// nobody has been told of. Throws TypeError when a node of the pipeline
  /// cannot save its position.
  std::string save();

  /// For this room.
  struct State;
  explicit DistributedIterator(std::unique_ptr<State> state);
  State& state() const;

 private:
  std::unique_ptr<State> state_;
};

/// The position of a range-for.
class DistributedCursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = DistributedValues;
  using difference_type = std::ptrdiff_t;
  using reference = DistributedValues&;
  using pointer = DistributedValues*;

  explicit DistributedCursor(DistributedIterator iterator)
      : iterator_(std::move(iterator)),
        value_(iterator_.get_next_as_optional()) {}

  reference operator*() const { return *value_; }
  pointer operator->() const { return &*value_; }
  DistributedCursor& operator++() {
    value_ = iterator_.get_next_as_optional();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const DistributedCursor& cursor,
                         std::default_sentinel_t) {
    return !cursor.value_.has_value();
  }

 private:
  DistributedIterator iterator_;
  mutable std::optional<DistributedValues> value_;
};

/// A handle; copies share the data set.
class DistributedDataset {
 public:
  /// A new pass over the batches.
  DistributedIterator iterator() const;
  /// A pass that goes on where save() was called on one over an equal data
  /// set; batches of all replicas may go on with another number of replicas.
  /// Throws ValueError for the state of another one, DataError for damage.
  DistributedIterator iterator(std::string_view state) const;
  DistributedCursor begin() const { return DistributedCursor(iterator()); }
  std::default_sentinel_t end() const { return {}; }

  /// The number of batches of all replicas, data::INFINITE_CARDINALITY or
  /// data::UNKNOWN_CARDINALITY.
  int64_t cardinality() const;
  /// The spec of what the pipeline gives, before it is split.
  data::ElementSpec element_spec() const;
  /// The batches of all replicas, as distribute_dataset was given them. Throws
  /// ValueError where each element is one replica's.
  data::Dataset whole_batches() const;

  /// For this room.
  explicit DistributedDataset(
      std::shared_ptr<internal::distribute::DistributedSource> source)
      : source_(std::move(source)) {}

 private:
  std::shared_ptr<internal::distribute::DistributedSource> source_;
};

}  // namespace distribute
}  // namespace systolic
