// filter(): the elements that a predicate keeps.
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/data/element_error.h"

namespace systolic::data {
namespace {

class FilterIterator final : public IteratorBase {
 public:
  FilterIterator(const std::string& name,
                 const detail::ElementPredicate& predicate,
                 const IteratorContext& context,
                 std::unique_ptr<IteratorBase> input)
      : name_(name),
        predicate_(predicate),
        context_(context),
        input_(std::move(input)) {}

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
    state.write_int(index_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    index_ = state.read_int();
    input_->restore(state);
  }

 private:
  bool keeps(Element element, int64_t index) const {
    try {
      return predicate_.call(element);
    } catch (...) {
      std::rethrow_exception(
          detail::error_for_element(std::current_exception(), name_, index));
    }
  }

  const std::string name_;
  const detail::ElementPredicate& predicate_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
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
    return std::make_unique<FilterIterator>(name(), predicate_, context,
                                            input().make_iterator(context));
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements == 0 ? 0 : UNKNOWN_CARDINALITY;
  }

 private:
  const detail::ElementPredicate predicate_;
};

}  // namespace

Dataset Dataset::filter_elements(detail::ElementPredicate predicate,
                                 const std::string& name) const {
  return Dataset(
      std::make_shared<FilterDataset>(node(), std::move(predicate), name));
}

}  // namespace systolic::data
