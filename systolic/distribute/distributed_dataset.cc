#include "systolic/distribute/distributed_dataset.h"

#include <algorithm>
#include <string>
#include <vector>

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
namespace {

// Whether a leaf of the elements is known to be without rows.
bool has_scalar(const data::ElementSpec& spec) {
  if (spec.array()) return spec.array()->shape.rank() == 0;
  return std::ranges::any_of(spec.items(), has_scalar);
}

}  // namespace

using internal::distribute::HostStep;

namespace {

constexpr std::string_view kTag = "distributed iterator";

// What the elements of a source are, as errors call it.
std::string_view describe_elements(bool is_per_replica) {
  return is_per_replica ? "elements of one replica each"
                        : "batches of all replicas";
}

// Takes over the fields in front of the pipeline's own.
void expect_source(const internal::distribute::DistributedSource& source,
                   data::StateReader& reader) {
  reader.expect(kTag);
  const bool is_per_replica = reader.read_bool();
  if (is_per_replica != source.is_per_replica) {
    reader.throw_mismatch(describe_elements(source.is_per_replica),
                          describe_elements(is_per_replica));
  }
  const int64_t wanted = static_cast<int64_t>(source.elements_of_step());
  const int64_t found = reader.read_int();
  if (found != wanted) {
    reader.throw_mismatch(std::to_string(wanted) + " elements a step",
                          std::to_string(found));
  }
}

void write_elements(const std::vector<data::Element>& elements,
                    data::StateWriter& writer) {
  writer.write_int(static_cast<int64_t>(elements.size()));
  for (const data::Element& one : elements) writer.write_element(one);
}

std::vector<data::Element> read_elements(data::StateReader& reader) {
  std::vector<data::Element> elements;
  for (int64_t left = reader.read_int(); left > 0; --left) {
    elements.push_back(reader.read_element());
  }
  return elements;
}

}  // namespace

std::string DistributedIterator::State::save() {
  data::StateWriter writer;
  writer.begin(kTag);
  writer.write_bool(source->is_per_replica);
  writer.write_int(static_cast<int64_t>(source->elements_of_step()));
  writer.write_int(static_cast<int64_t>(kept.size()));
  for (const HostStep& step : kept) write_elements(step.elements, writer);
  writer.write_bool(failure != nullptr);
  if (failure != nullptr) writer.write_error(failure);
  write_elements(begun, writer);
  writer.write_string(iterator.save());
  return writer.take();
}

std::unique_ptr<DistributedIterator::State>
DistributedIterator::State::restored(
    std::shared_ptr<internal::distribute::DistributedSource> of,
    std::string_view state) {
  data::StateReader reader(state);
  expect_source(*of, reader);
  std::deque<HostStep> steps;
  for (int64_t left = reader.read_int(); left > 0; --left) {
    std::optional<HostStep> step =
        internal::distribute::make_step(read_elements(reader), *of, kWho);
    if (step) steps.push_back(*std::move(step));
  }
  std::exception_ptr waiting;
  if (reader.read_bool()) waiting = reader.read_error();
  std::vector<data::Element> elements = read_elements(reader);
  auto found =
      std::make_unique<State>(of, of->dataset.iterator(reader.read_string()));
  reader.expect_end();
  found->kept = std::move(steps);
  found->failure = std::move(waiting);
  found->begun = std::move(elements);
  return found;
}

std::optional<HostStep> DistributedIterator::State::read() {
  if (!kept.empty()) {
    std::optional<HostStep> next = std::move(kept.front());
    kept.pop_front();
    return next;
  }
  if (failure != nullptr)
    std::rethrow_exception(std::exchange(failure, nullptr));
  return internal::distribute::read_step(iterator, begun, *source, kWho);
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
  std::optional<HostStep> step = state().read();
  if (!step) return std::nullopt;
  try {
    return internal::distribute::send(*step, *state().source->placement);
  } catch (...) {
    state().kept.push_front(*std::move(step));
    throw;
  }
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

std::string DistributedIterator::save() { return state().save(); }

DistributedIterator DistributedDataset::iterator() const {
  return DistributedIterator(std::make_unique<DistributedIterator::State>(
      source_, source_->dataset.iterator()));
}

DistributedIterator DistributedDataset::iterator(std::string_view state) const {
  return DistributedIterator(
      DistributedIterator::State::restored(source_, state));
}

int64_t DistributedDataset::cardinality() const {
  const int64_t elements = source_->dataset.cardinality();
  if (elements < 0 || !source_->is_per_replica) return elements;
  const int64_t n = source_->placement->num_replicas();
  // Without rows the last step is not filled up, but left out.
  if (elements % n == 0 || has_scalar(element_spec())) return elements / n;
  return elements / n + 1;
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
