// filter(): the elements that a predicate keeps.
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data {
namespace {

class FilterIterator final : public IteratorBase {
 public:
  FilterIterator(const std::string& name,
                 const detail::ElementPredicate& predicate, PassSeed& seeds,
                 const IteratorContext& context,
                 std::unique_ptr<IteratorBase> input)
      : name_(name),
        predicate_(predicate),
        context_(context),
        stage_(context.stage(name)),
        input_(std::move(input)),
        pass_(context.peek ? PassSeed::Pass() : seeds.begin()) {}

  bool get_next(Element* out) override {
    while (!context_.stop.stop_requested()) {
      const int64_t index = index_++;
      if (!input_->get_next(out)) return false;
      // For the spec any element does.
      if (context_.peek || keeps(*out, index)) return true;
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    PassSeed::save(pass_, state);
    state.write_int(index_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    pass_ = PassSeed::restore_pass(state);
    index_ = state.read_int();
    input_->restore(state);
  }

 private:
  bool keeps(Element element, int64_t index) const {
    try {
      const StageTimer timer(stage_.get());
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
  const IteratorContext context_;
  const std::shared_ptr<StageCounters> stage_;
  std::unique_ptr<IteratorBase> input_;
  PassSeed::Pass pass_;
  int64_t index_ = 0;
};

class FilterDataset final : public TransformBase {
 public:
  FilterDataset(std::shared_ptr<const DatasetBase> input,
                detail::ElementPredicate predicate, const std::string& name)
      : TransformBase(std::move(input), "filter", name),
        predicate_(std::move(predicate)) {
    detail::check_parameters(this->name(), predicate_.parameters,
                             this->input().structure());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<FilterIterator>(name(), predicate_, seeds_, context,
                                            input().make_iterator(context));
  }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements == 0 ? 0 : UNKNOWN_CARDINALITY;
  }

 private:
  const detail::ElementPredicate predicate_;
  mutable PassSeed seeds_{internal::draw_pipeline_seed()};
};

}  // namespace

Dataset Dataset::filter_elements(detail::ElementPredicate predicate,
                                 const std::string& name) const {
  return Dataset(
      std::make_shared<FilterDataset>(node(), std::move(predicate), name));
}

}  // namespace systolic::data
