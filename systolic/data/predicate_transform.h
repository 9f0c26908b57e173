// What filter() and take_while() have in common: a predicate that is called
// with each element, and with the random numbers of that element.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "systolic/data/dataset_base.h"
#include "systolic/data/function.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data::detail {

// A node with a predicate.
class PredicateTransform : public TransformBase {
 public:
  // Throws TypeError when the parameters do not fit the elements.
  PredicateTransform(std::shared_ptr<const DatasetBase> input,
                     const std::string& kind, const std::string& user_name,
                     ElementPredicate predicate);

  int64_t cardinality() const final {
    return input().cardinality() == 0 ? 0 : UNKNOWN_CARDINALITY;
  }
  void save_node(StateWriter& state) const final { seeds_.save(state); }
  void restore_node(StateReader& state) const final { seeds_.restore(state); }

 protected:
  class Reader;

 private:
  const ElementPredicate predicate_;
  mutable PassSeed seeds_;
};

// A pass over the input, with what the predicate says of each element.
class PredicateTransform::Reader : public IteratorBase {
 public:
  Reader(const PredicateTransform& node, const IteratorContext& context);

  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 protected:
  // Puts the input's next element into `*out` and whether the predicate holds
  // into `*holds`; false at the end. For a spec any element does.
  bool read(Element* out, bool* holds);
  bool is_stopped() const { return context_.stop.stop_requested(); }

 private:
  const PredicateTransform& node_;
  const IteratorContext context_;
  const std::shared_ptr<StageCounters> stage_;
  PassSeed::Pass pass_;
  std::unique_ptr<IteratorBase> input_;
  int64_t index_ = 0;  // of the input's next element
};

}  // namespace systolic::data::detail
