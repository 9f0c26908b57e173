// Tested by: systolic/data/filter_test.cc
#include "systolic/data/predicate_transform.h"

#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/data/element_error.h"
#include "systolic/data/origin_scope.h"

namespace systolic::data::detail {

PredicateTransform::PredicateTransform(std::shared_ptr<const DatasetBase> input,
                                       const std::string& kind,
                                       const std::string& user_name,
                                       ElementPredicate predicate)
    : TransformBase(std::move(input), kind, user_name),
      predicate_(std::move(predicate)),
      seeds_(internal::draw_pipeline_seed()) {
  check_parameters(name(), predicate_.parameters, this->input().structure());
}

PredicateTransform::Reader::Reader(const PredicateTransform& node,
                                   const IteratorContext& context)
    : node_(node),
      context_(context),
      stage_(context.stage(node)),
      pass_(context.peek ? PassSeed::Pass() : node.seeds_.begin()),
      input_(node.input().make_iterator(context)) {}

bool PredicateTransform::Reader::read(Element* out, bool* holds) {
  const int64_t index = index_++;
  if (!input_->get_next(out)) return false;
  *holds = true;
  if (context_.peek) return true;
  Element element = *out;
  const OriginScope origins(element);
  try {
    const StageTimer timer(stage_.get());
    const internal::ElementSeedScope scope(
        {pass_.seed, pass_.number, static_cast<uint64_t>(index)});
    *holds = node_.predicate_.call(element);
  } catch (...) {
    std::rethrow_exception(error_for_element(
        std::current_exception(), node_.name(), index, origins.text()));
  }
  return true;
}

void PredicateTransform::Reader::save(StateWriter& state) {
  state.begin(node_.name());
  PassSeed::save(pass_, state);
  state.write_int(index_);
  input_->save(state);
}

void PredicateTransform::Reader::restore(StateReader& state) {
  state.expect(node_.name());
  pass_ = PassSeed::restore_pass(state);
  index_ = state.read_int();
  input_->restore(state);
}

}  // namespace systolic::data::detail
