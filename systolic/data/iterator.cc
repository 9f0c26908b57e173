#include "systolic/data/iterator.h"

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/data/origin_scope.h"
#include "systolic/runtime/input_note.h"
#include "systolic/runtime/utilization.h"

namespace systolic::data {

struct Iterator::State {
  explicit State(std::shared_ptr<const DatasetBase> node)
      : dataset(std::move(node)),
        run(std::make_shared<PipelineRun>(dataset->options())) {
    iterator = dataset->make_iterator({.stop = stop.get_token(), .run = run});
  }
  ~State() {
    const std::string choices = run->report().choices_text();
    if (!choices.empty()) log(LogLevel::debug, "AUTOTUNE chose " + choices);
    // Ends loops and waits below before the iterators join their threads.
    stop.request_stop();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<const DatasetBase> dataset;
  std::shared_ptr<PipelineRun> run;
  std::stop_source stop;
  std::unique_ptr<IteratorBase> iterator;  // destroyed before the data set
  bool ended = false;
  const internal::runtime::InputNote note{
      [this] { return run->report().slowest_text(); }};
};

Iterator::Iterator(std::shared_ptr<const DatasetBase> dataset)
    : state_(std::make_unique<State>(std::move(dataset))) {}

Iterator::Iterator(std::shared_ptr<const DatasetBase> dataset,
                   std::string_view state)
    : Iterator(std::move(dataset)) {
  StateReader reader(state);
  reader.expect("iterator");
  detail::check_pipeline(*state_->dataset, reader);
  state_->ended = reader.read_bool();
  if (!state_->ended) state_->iterator->restore(reader);
  detail::restore_nodes(*state_->dataset, reader);
  reader.expect_end();
}

Iterator::Iterator(Iterator&&) noexcept = default;
Iterator& Iterator::operator=(Iterator&&) noexcept = default;
Iterator::~Iterator() = default;

void Iterator::require_state() const {
  if (state_ != nullptr) return;
  internal::Message("data::Iterator")
      .expected("an iterator")
      .got("one that was moved from")
      .raise<ValueError>();
}

Element Iterator::next() {
  Element element;
  if (!get_next(&element)) {
    internal::Message(state_->dataset->name())
        .rule("the iterator is past its last element")
        .detail("elements", state_->dataset->structure())
        .hint("make a new iterator for another pass, or repeat() the data set")
        .raise<OutOfRangeError>();
  }
  return element;
}

bool Iterator::get_next(Element* out) {
  require_state();
  if (state_->ended) return false;
  const runtime::InputWait waiting;
  if (state_->iterator->get_next(out)) {
    detail::note_given(*out);
    return true;
  }
  state_->ended = true;
  return false;
}

void Iterator::stop() {
  require_state();
  state_->stop.request_stop();
}

PipelineReport Iterator::report() const {
  require_state();
  return state_->run->report();
}

std::string Iterator::save() {
  require_state();
  StateWriter writer;
  writer.begin("iterator");
  detail::save_pipeline(*state_->dataset, writer);
  writer.write_bool(state_->ended);
  if (!state_->ended) state_->iterator->save(writer);
  detail::save_nodes(*state_->dataset, writer);
  return writer.take();
}

}  // namespace systolic::data
