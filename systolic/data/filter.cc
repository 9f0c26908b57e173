// filter(): the elements that a predicate keeps.
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/data/predicate_transform.h"

namespace systolic::data {
namespace {

class FilterDataset final : public detail::PredicateTransform {
 public:
  FilterDataset(std::shared_ptr<const DatasetBase> input,
                detail::ElementPredicate predicate, const std::string& name)
      : PredicateTransform(std::move(input), "filter", name,
                           std::move(predicate)) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<FilterIterator>(*this, context);
  }

 private:
  class FilterIterator final : public Reader {
   public:
    using Reader::Reader;

    bool get_next(Element* out) override {
      bool keeps = false;
      while (!keeps && !is_stopped()) {
        if (!read(out, &keeps)) return false;
      }
      return keeps;
    }
  };
};

}  // namespace

Dataset Dataset::filter_elements(detail::ElementPredicate predicate,
                                 const std::string& name) const {
  return Dataset(
      std::make_shared<FilterDataset>(node(), std::move(predicate), name));
}

}  // namespace systolic::data
