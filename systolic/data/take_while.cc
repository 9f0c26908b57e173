// take_while(): the elements up to the first that a predicate refuses.
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/data/predicate_transform.h"

namespace systolic::data {
namespace {

class TakeWhileDataset final : public detail::PredicateTransform {
 public:
  TakeWhileDataset(std::shared_ptr<const DatasetBase> input,
                   detail::ElementPredicate predicate, const std::string& name)
      : PredicateTransform(std::move(input), "take_while", name,
                           std::move(predicate)) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<TakeWhileIterator>(*this, context);
  }

 private:
  class TakeWhileIterator final : public Reader {
   public:
    using Reader::Reader;

    bool get_next(Element* out) override {
      if (ended_) return false;
      bool goes_on = false;
      ended_ = !read(out, &goes_on) || !goes_on;
      return !ended_;
    }

    void save(StateWriter& state) override {
      Reader::save(state);
      state.write_bool(ended_);
    }
    void restore(StateReader& state) override {
      Reader::restore(state);
      ended_ = state.read_bool();
    }

   private:
    bool ended_ = false;
  };
};

}  // namespace

Dataset Dataset::take_while_elements(detail::ElementPredicate predicate,
                                     const std::string& name) const {
  return Dataset(
      std::make_shared<TakeWhileDataset>(node(), std::move(predicate), name));
}

}  // namespace systolic::data
