// concatenate(): one data set behind the other.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class ConcatenateIterator final : public IteratorBase {
 public:
  ConcatenateIterator(const DatasetBase& first, const DatasetBase& second,
                      const IteratorContext& context)
      : second_(second),
        context_(context),
        current_(first.make_iterator(context)) {}

  bool get_next(Element* out) override {
    if (current_->get_next(out)) return true;
    if (in_second_ || context_.stop.stop_requested()) return false;
    in_second_ = true;
    current_ = second_.make_iterator(context_);
    return current_->get_next(out);
  }

  void save(StateWriter& state) override {
    state.begin("concatenate");
    state.write_bool(in_second_);
    current_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("concatenate");
    in_second_ = state.read_bool();
    if (in_second_) current_ = second_.make_iterator(context_);
    current_->restore(state);
  }

 private:
  const DatasetBase& second_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> current_;
  bool in_second_ = false;
};

class ConcatenateDataset final : public TransformBase {
 public:
  ConcatenateDataset(std::shared_ptr<const DatasetBase> first,
                     std::shared_ptr<const DatasetBase> second)
      : TransformBase(std::move(first), "concatenate"),
        second_(std::move(second)) {
    merged(input().structure(), second_->structure());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<ConcatenateIterator>(input(), *second_, context);
  }
  int64_t cardinality() const override {
    return detail::add_cardinality(input().cardinality(),
                                   second_->cardinality());
  }
  std::vector<const DatasetBase*> inputs() const override {
    return {&input(), second_.get()};
  }
  ElementSpec element_spec() const override {
    return merged(input().element_spec(), second_->element_spec());
  }
  ElementSpec structure() const override {
    return merged(input().structure(), second_->structure());
  }

 private:
  ElementSpec merged(const ElementSpec& a, const ElementSpec& b) const {
    std::optional<ElementSpec> both = a.merged_with(b);
    if (!both) {
      internal::Message(name())
          .expected(
              "data sets whose elements have the same tree, dtypes "
              "and ranks")
          .got(a, " and ", b)
          .raise<TypeError>();
    }
    return *std::move(both);
  }

  const std::shared_ptr<const DatasetBase> second_;
};

}  // namespace

Dataset Dataset::concatenate(const Dataset& other) const {
  return Dataset(std::make_shared<ConcatenateDataset>(node(), other.node()));
}

}  // namespace systolic::data
