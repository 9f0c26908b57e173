// scan() and reduce(): a state that goes from element to element.
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"
#include "systolic/data/first_element.h"
#include "systolic/data/origin_scope.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data {
namespace {

// Calls a function of (state, element).
class StateFunction {
 public:
  StateFunction(std::string name, detail::ElementFunction function,
                const Element& initial, const ElementSpec& structure)
      : name_(std::move(name)), function_(std::move(function)) {
    detail::check_parameters(name_, function_.parameters,
                             ElementSpec::tuple({initial.spec(), structure}));
  }

  const std::string& name() const { return name_; }

  Element call(Element state, Element element, const PassSeed::Pass& pass,
               int64_t index) const {
    const detail::OriginScope origins(element);
    try {
      const internal::ElementSeedScope scope(
          {pass.seed, pass.number, static_cast<uint64_t>(index)});
      Element both = Element::tuple({std::move(state), std::move(element)});
      return function_.call(both);
    } catch (...) {
      std::rethrow_exception(detail::error_for_element(
          std::current_exception(), name_, index, origins.text()));
    }
  }

 private:
  const std::string name_;
  const detail::ElementFunction function_;
};

class ScanIterator final : public IteratorBase {
 public:
  ScanIterator(const StateFunction& function, const PassSeed::Pass& pass,
               Element initial, std::unique_ptr<IteratorBase> input)
      : function_(function),
        pass_(pass),
        state_(std::move(initial)),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    Element element;
    const int64_t index = index_++;
    if (!input_->get_next(&element)) return false;
    Element result = function_.call(state_, std::move(element), pass_, index);
    if (result.kind() != ElementKind::tuple || result.size() != 2) {
      internal::Message(function_.name())
          .expected("the function to return a pair: the new state, the output")
          .got(result.spec())
          .raise<TypeError>();
    }
    const auto items = result.items();
    state_ = std::move(items[0]);
    *out = std::move(items[1]);
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(function_.name());
    PassSeed::save(pass_, state);
    state.write_int(index_);
    state.write_element(state_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(function_.name());
    pass_ = PassSeed::restore_pass(state);
    index_ = state.read_int();
    state_ = state.read_element();
    input_->restore(state);
  }

 private:
  const StateFunction& function_;
  PassSeed::Pass pass_;
  Element state_;
  std::unique_ptr<IteratorBase> input_;
  int64_t index_ = 0;
};

class ScanDataset final : public TransformBase {
 public:
  ScanDataset(std::shared_ptr<const DatasetBase> input, Element initial,
              detail::ElementFunction function, const std::string& name)
      : TransformBase(std::move(input), "scan", name),
        initial_(std::move(initial)),
        structure_(function.result.kind() == ElementKind::tuple &&
                           function.result.items().size() == 2
                       ? function.result.items()[1]
                       : ElementSpec()),
        function_(this->name(), std::move(function), initial_,
                  this->input().structure()) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<ScanIterator>(
        function_, context.peek ? PassSeed::Pass() : seeds_.begin(), initial_,
        input().make_iterator(context));
  }
  ElementSpec element_spec() const override {
    return spec_.of_first(*this, structure());
  }
  ElementSpec structure() const override { return structure_; }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }

 private:
  const Element initial_;
  const ElementSpec structure_;
  const StateFunction function_;
  mutable PassSeed seeds_{internal::draw_pipeline_seed()};
  mutable detail::LazySpec spec_;
};

}  // namespace

Dataset Dataset::scan_elements(Element initial_state,
                               detail::ElementFunction function,
                               const std::string& name) const {
  return Dataset(std::make_shared<ScanDataset>(node(), std::move(initial_state),
                                               std::move(function), name));
}

Element Dataset::reduce_elements(Element initial_state,
                                 detail::ElementFunction function) const {
  const StateFunction reduce("reduce", std::move(function), initial_state,
                             node()->structure());
  const PassSeed::Pass pass{internal::draw_pipeline_seed(), 0};
  Iterator elements = iterator();
  Element element;
  for (int64_t index = 0; elements.get_next(&element); ++index) {
    initial_state =
        reduce.call(std::move(initial_state), std::move(element), pass, index);
  }
  return initial_state;
}

}  // namespace systolic::data
