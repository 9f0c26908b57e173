// Tested by: systolic/data/interleave_test.cc
#include "systolic/data/cycle.h"

#include <utility>
#include <vector>

#include "systolic/base/element_seed.h"
#include "systolic/data/element_error.h"
#include "systolic/data/origin_scope.h"

namespace systolic::data::detail {

PassSeed::Pass begin_pass(const CycleSettings& settings,
                          const IteratorContext& context) {
  if (settings.seeds == nullptr || context.peek) return {};
  return settings.seeds->begin();
}

void CyclePlace::open(const CycleSettings& settings, const PassSeed::Pass& pass,
                      Element element, int64_t number,
                      const IteratorContext& context) {
  const OriginScope origins(element);
  try {
    index = number;
    const internal::ElementSeedScope scope(
        {pass.seed, pass.number, static_cast<uint64_t>(number)});
    Element argument = element;
    dataset = settings.make(argument);
    iterator =
        dataset->make_iterator(context.made_by(*settings.node, *dataset));
    input = std::move(element);
  } catch (...) {
    close();
    std::rethrow_exception(error_for_element(
        std::current_exception(), settings.who, number, origins.text()));
  }
}

void CyclePlace::close() {
  iterator.reset();
  dataset.reset();
  input = Element();
}

void CyclePlace::save(StateWriter& state) const {
  state.write_bool(is_open());
  if (!is_open()) return;
  state.write_element(input);
  state.write_int(index);
  save_pass(*dataset, *iterator, state);
}

void CyclePlace::restore(StateReader& state, const CycleSettings& settings,
                         const PassSeed::Pass& pass,
                         const IteratorContext& context) {
  close();
  if (!state.read_bool()) return;
  Element element = state.read_element();
  const int64_t number = state.read_int();
  open(settings, pass, std::move(element), number, context);
  restore_pass(*dataset, *iterator, state);
}

namespace {

class CycleIterator final : public IteratorBase {
 public:
  CycleIterator(const CycleSettings& settings, const DatasetBase& input,
                const IteratorContext& context)
      : settings_(settings),
        context_(context),
        pass_(begin_pass(settings, context)),
        input_(input.make_iterator(context)),
        places_(static_cast<size_t>(settings.cycle_length)) {}

  bool get_next(Element* out) override {
    while (!context_.stop.stop_requested()) {
      CyclePlace& place = places_[turn_];
      if (place.is_open()) {
        if (read(place, out)) return true;
      } else if (!ended_) {
        open(place);
      } else if (open_ == 0) {
        return false;
      } else {
        next_turn();
      }
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(settings_.who);
    PassSeed::save(pass_, state);
    state.write_int(static_cast<int64_t>(turn_));
    state.write_int(given_);
    state.write_int(index_);
    state.write_bool(ended_);
    input_->save(state);
    for (const CyclePlace& place : places_) place.save(state);
  }
  void restore(StateReader& state) override {
    state.expect(settings_.who);
    pass_ = PassSeed::restore_pass(state);
    turn_ = static_cast<size_t>(state.read_int()) % places_.size();
    given_ = state.read_int();
    index_ = state.read_int();
    ended_ = state.read_bool();
    input_->restore(state);
    open_ = 0;
    for (CyclePlace& place : places_) {
      place.restore(state, settings_, pass_, context_);
      if (place.is_open()) ++open_;
    }
  }

 private:
  bool read(CyclePlace& place, Element* out) {
    bool got = false;
    try {
      got = place.iterator->get_next(out);
    } catch (...) {
      count_one();  // what it throws stands for an element
      throw;
    }
    if (got) {
      count_one();
      return true;
    }
    if (context_.stop.stop_requested()) return false;
    place.close();
    --open_;
    next_turn();
    return false;
  }

  void open(CyclePlace& place) {
    const int64_t index = index_++;
    try {
      Element element;
      if (!input_->get_next(&element)) {
        ended_ = true;
        return;
      }
      place.open(settings_, pass_, std::move(element), index, context_);
      ++open_;
    } catch (...) {
      next_turn();
      throw;
    }
  }

  void count_one() {
    if (++given_ == settings_.block_length) next_turn();
  }
  void next_turn() {
    given_ = 0;
    turn_ = (turn_ + 1) % places_.size();
  }

  const CycleSettings& settings_;
  const IteratorContext context_;
  PassSeed::Pass pass_;
  std::unique_ptr<IteratorBase> input_;
  std::vector<CyclePlace> places_;
  size_t turn_ = 0;    // whose turn it is
  int64_t given_ = 0;  // in this turn
  int64_t index_ = 0;  // of the input's next element
  int64_t open_ = 0;
  bool ended_ = false;  // the input
};

}  // namespace

std::unique_ptr<IteratorBase> make_cycle_iterator(
    const CycleSettings& settings, const DatasetBase& input,
    const IteratorContext& context) {
  return std::make_unique<CycleIterator>(settings, input, context);
}

}  // namespace systolic::data::detail
