// batch(): elements stacked along a new first axis.
#include <algorithm>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parallel_iterator.h"
#include "systolic/data/spec_tree.h"
#include "systolic/data/stacker.h"

namespace systolic::data {
namespace {

struct BatchSettings {
  std::string who;
  int64_t size = 1;
  bool drop_remainder = false;
};

class BatchIterator final : public IteratorBase {
 public:
  BatchIterator(const BatchSettings& settings, int64_t capacity,
                const IteratorContext& context,
                std::shared_ptr<StageCounters> stage,
                std::unique_ptr<IteratorBase> input)
      : settings_(settings),
        capacity_(capacity),
        stop_(context.stop),
        stage_(std::move(stage)),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    const StageTimer timer(stage_.get());
    const int64_t rows = input_->get_block(settings_.size, out);
    if (rows != kNoBlocks) return end_unless(rows);
    return stack(out);
  }

  void save(StateWriter& state) override {
    state.begin(settings_.who);
    state.write_bool(ended_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(settings_.who);
    ended_ = state.read_bool();
    input_->restore(state);
  }

 private:
  bool stack(Element* out) {
    detail::Stacker stacker(settings_.who, capacity_);
    input_->begin_batch(capacity_);
    Element element;
    while (stacker.size() < settings_.size && !stop_.stop_requested()) {
      if (!input_->get_next(&element)) break;
      stacker.add(element);
    }
    if (!end_unless(stacker.size())) return false;
    *out = stacker.finish();
    return true;
  }

  // Whether `rows` make a batch; fewer than asked for mean the end.
  bool end_unless(int64_t rows) {
    ended_ = rows < settings_.size;
    return rows == settings_.size || (rows > 0 && !settings_.drop_remainder);
  }

  const BatchSettings& settings_;
  const int64_t capacity_;
  const std::stop_token stop_;
  const std::shared_ptr<StageCounters> stage_;
  std::unique_ptr<IteratorBase> input_;
  bool ended_ = false;
};

class BatchDataset final : public TransformBase {
 public:
  BatchDataset(std::shared_ptr<const DatasetBase> input, int64_t batch_size,
               const BatchOptions& options)
      : TransformBase(std::move(input), "batch", options.name),
        settings_{name(), batch_size, options.drop_remainder},
        num_parallel_calls_(options.num_parallel_calls),
        deterministic_(options.deterministic) {
    detail::check_parallel_calls(name(), num_parallel_calls_);
    if (batch_size < 1) {
      internal::Message(name())
          .expected("batch_size >= 1")
          .got(batch_size)
          .raise<ValueError>();
    }
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (num_parallel_calls_ == 1 || context.peek) {
      return std::make_unique<BatchIterator>(settings_, capacity(), context,
                                             context.stage(*this),
                                             input().make_iterator(context));
    }
    return std::make_unique<detail::ParallelIterator>(
        input(), context,
        detail::ParallelOptions{
            .name = name(),
            .stage = context.stage(*this),
            .threads = detail::thread_range(context, num_parallel_calls_),
            .chunk = settings_.size,
            .deterministic = context.is_deterministic(deterministic_)},
        [this](detail::ParallelChunk& chunk, const std::stop_token&) {
          stack_chunk(chunk);
        });
  }

  int64_t cardinality() const override {
    return detail::batch_cardinality(input().cardinality(), settings_.size,
                                     settings_.drop_remainder);
  }
  ElementSpec element_spec() const override {
    return detail::batched_spec(input().element_spec(), batch_length());
  }
  ElementSpec structure() const override {
    return detail::batched_spec(input().structure(), batch_length());
  }
  std::string parameters() const override {
    return internal::concatenate_text(*element_parameters(), ", ",
                                      detail::calls_text(num_parallel_calls_));
  }
  std::optional<std::string> element_parameters() const override {
    return internal::concatenate_text(
        "batch_size ", settings_.size,
        settings_.drop_remainder ? ", drop_remainder" : "");
  }

 private:
  // What memory is first made for: no more than there is.
  int64_t capacity() const {
    const int64_t elements = input().cardinality();
    if (elements <= 0) return settings_.size;
    return std::min(settings_.size, elements);
  }

  // Known when no batch is shorter.
  int64_t batch_length() const {
    const bool whole = detail::batches_are_whole(
        input().cardinality(), settings_.size, settings_.drop_remainder);
    return whole ? settings_.size : -1;
  }

  void stack_chunk(detail::ParallelChunk& chunk) const {
    if (chunk.error) return;  // what it cut short is no batch
    const int64_t rows = static_cast<int64_t>(chunk.inputs.size());
    if (rows < settings_.size && settings_.drop_remainder) return;
    detail::ParallelResult& result = chunk.results.emplace_back();
    try {
      detail::Stacker stacker(settings_.who, rows);
      for (const Element& element : chunk.inputs) stacker.add(element);
      result.element = stacker.finish();
    } catch (...) {
      result.error = std::current_exception();
    }
  }

  const BatchSettings settings_;
  const int64_t num_parallel_calls_;
  const std::optional<bool> deterministic_;
};

}  // namespace

Dataset DatasetGrouping::batch(int64_t batch_size,
                               const BatchOptions& options) const {
  return Dataset(std::make_shared<BatchDataset>(node(), batch_size, options));
}

}  // namespace systolic::data
