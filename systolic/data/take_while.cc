// take_while(): the elements up to the first that a predicate refuses.
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data {
namespace {

class TakeWhileIterator final : public IteratorBase {
 public:
  TakeWhileIterator(const std::string& name,
                    const detail::ElementPredicate& predicate, PassSeed& seeds,
                    bool peek, std::unique_ptr<IteratorBase> input)
      : name_(name),
        predicate_(predicate),
        peek_(peek),
        pass_(peek ? PassSeed::Pass() : seeds.begin()),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    const int64_t index = index_++;
    if (!input_->get_next(out)) {
      ended_ = true;
      return false;
    }
    // For the spec any element does.
    ended_ = !peek_ && !goes_on(*out, index);
    return !ended_;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    PassSeed::save(pass_, state);
    state.write_int(index_);
    state.write_bool(ended_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    pass_ = PassSeed::restore_pass(state);
    index_ = state.read_int();
    ended_ = state.read_bool();
    input_->restore(state);
  }

 private:
  bool goes_on(Element element, int64_t index) const {
    try {
      const internal::ElementSeedScope scope(
          {pass_.seed, pass_.number, static_cast<uint64_t>(index)});
      return predicate_.call(element);
    } catch (...) {
      std::rethrow_exception(
          detail::error_for_element(std::current_exception(), name_, index));
    }
  }

  const std::string name_;
  const detail::ElementPredicate& predicate_;
  const bool peek_;
  PassSeed::Pass pass_;
  std::unique_ptr<IteratorBase> input_;
  int64_t index_ = 0;
  bool ended_ = false;
};

class TakeWhileDataset final : public TransformBase {
 public:
  TakeWhileDataset(std::shared_ptr<const DatasetBase> input,
                   detail::ElementPredicate predicate, const std::string& name)
      : TransformBase(std::move(input), "take_while", name),
        predicate_(std::move(predicate)) {
    detail::check_parameters(this->name(), predicate_.parameters,
                             this->input().structure());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<TakeWhileIterator>(name(), predicate_, seeds_,
                                               context.peek,
                                               input().make_iterator(context));
  }
  int64_t cardinality() const override {
    return input().cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }

 private:
  const detail::ElementPredicate predicate_;
  mutable PassSeed seeds_{internal::draw_pipeline_seed()};
};

}  // namespace

Dataset Dataset::take_while_elements(detail::ElementPredicate predicate,
                                     const std::string& name) const {
  return Dataset(
      std::make_shared<TakeWhileDataset>(node(), std::move(predicate), name));
}

}  // namespace systolic::data
