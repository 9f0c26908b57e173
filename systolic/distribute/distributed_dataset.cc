#include "systolic/distribute/distributed_dataset.h"

#include "systolic/base/message.h"
#include "systolic/distribute/iterator_state.h"

namespace systolic {

using internal::Message;

int64_t InputContext::get_per_replica_batch_size(
    int64_t global_batch_size) const {
  if (global_batch_size < 1 || global_batch_size % num_replicas_in_sync != 0) {
    Message("InputContext.get_per_replica_batch_size")
        .expected("a global_batch_size that divides by the ",
                  num_replicas_in_sync, " replicas")
        .got(global_batch_size)
        .hint(
            "distribute_dataset takes batches of any size: it splits them and "
            "fills them up")
        .raise<ValueError>();
  }
  return global_batch_size / num_replicas_in_sync;
}

namespace distribute {

using internal::distribute::HostStep;

std::optional<HostStep> DistributedIterator::State::read() {
  if (kept) return std::exchange(kept, std::nullopt);
  return internal::distribute::read_step(iterator, *source, kWho);
}

DistributedIterator::DistributedIterator(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
DistributedIterator::DistributedIterator(DistributedIterator&&) noexcept =
    default;
DistributedIterator& DistributedIterator::operator=(
    DistributedIterator&&) noexcept = default;
DistributedIterator::~DistributedIterator() = default;

DistributedIterator::State& DistributedIterator::state() const {
  if (state_ == nullptr) {
    Message("DistributedIterator")
        .expected("an iterator")
        .got("one that was moved from")
        .raise<ValueError>();
  }
  return *state_;
}

std::optional<DistributedValues> DistributedIterator::get_next_as_optional() {
  const std::optional<HostStep> step = state().read();
  if (!step) return std::nullopt;
  return internal::distribute::send(*step, *state().source->placement);
}

DistributedValues DistributedIterator::next() {
  std::optional<DistributedValues> values = get_next_as_optional();
  if (!values) {
    Message("DistributedIterator.next")
        .rule("the iterator is past its last batch")
        .detail("data set", state().source->dataset.name())
        .hint("make a new iterator for another pass, or repeat() the data set")
        .raise<OutOfRangeError>();
  }
  return *std::move(values);
}

DistributedIterator DistributedDataset::iterator() const {
  return DistributedIterator(std::make_unique<DistributedIterator::State>(
      source_, source_->dataset.iterator()));
}

int64_t DistributedDataset::cardinality() const {
  const int64_t elements = source_->dataset.cardinality();
  if (elements < 0 || !source_->is_per_replica) return elements;
  const int64_t n = source_->placement->num_replicas();
  return (elements + n - 1) / n;
}

data::ElementSpec DistributedDataset::element_spec() const {
  return source_->dataset.element_spec();
}

data::Dataset DistributedDataset::whole_batches() const {
  if (!source_->is_per_replica) return source_->dataset;
  Message("DistributedDataset")
      .expected("batches of all replicas, of distribute_dataset")
      .got("batches of one replica each, of distribute_datasets_from_function")
      .detail("data set", source_->dataset.name())
      .hint(
          "fit, evaluate and predict split batches themselves: give them a "
          "data set of batches for all replicas")
      .raise<ValueError>();
}

}  // namespace distribute
}  // namespace systolic
