// Tested by: systolic/distribute/variables_platform_test.cc
#include "systolic/graph/aggregate.h"

#include "systolic/base/message.h"
#include "systolic/graph/op.h"

namespace systolic::internal::graph {

namespace {

struct AggregateOptions {
  VariableAggregation aggregation = VariableAggregation::sum;
  template <class V>
  void visit(V&& v) const {
    v("aggregation", aggregation);
  }
};

Values lower_aggregate(Lower& l, const AggregateOptions& o) {
  using stablehlo::Value;
  const int replicas = l.placement.num_replicas();
  if (replicas == 1) return {l[0]};
  Value value = l[0];
  const TensorSpec& spec = value.spec;
  if (o.aggregation == VariableAggregation::only_first_replica) {
    const Value zero = l.e.splat_integer({DType::uint32, Shape::scalar()}, 0);
    const Value first = l.e.compare("EQ", l.e.replica_id(), zero);
    // Not multiplied away: the others may hold NaN.
    value =
        l.e.select(l.e.broadcast(first, spec.shape), value, l.e.splat(spec, 0));
  }
  const auto combine = spec.dtype == DType::boolean
                           ? stablehlo::Combine::logical_or
                           : stablehlo::Combine::add;
  value = l.e.all_reduce(combine, std::span(&value, 1), replicas)[0];
  if (o.aggregation == VariableAggregation::mean) {
    value = l.e.binary("divide", value, l.e.splat(spec, replicas));
  }
  return {value};
}

// What is assigned to a Variable is no part of what tapes differentiate.
constexpr Op<AggregateOptions> kAggregate{
    .name = "aggregate",
    .infer = [](Infer& in, const AggregateOptions&) -> Specs { return in[0]; },
    .lower = lower_aggregate,
    .vjp = not_differentiable("it is what a Variable is assigned"),
    .residuals = {0, 0}};

}  // namespace

bool is_aggregated(const VariableState& state) {
  const Context& here = context();
  return here.replicas_differ && here.placement->is_replicated() &&
         state.synchronization != VariableSynchronization::on_read;
}

Tensor aggregated(const VariableState& state, const Tensor& value,
                  const SourceLocation& where) {
  if (state.aggregation == VariableAggregation::none) {
    Message("Variable \"" + state.path + "\"")
        .rule(
            "each replica may assign another value, and nothing says which "
            "one to keep")
        .detail("inside", context().step_name)
        .detail("variable", state.spec)
        .hint(
            "make it with {.aggregation = VariableAggregation::mean} (or sum, "
            "only_first_replica), or {.synchronization = "
            "VariableSynchronization::on_read} to keep the parts apart")
        .at(where)
        .raise<ValueError>();
  }
  return record<kAggregate>({value.ref()}, AggregateOptions{state.aggregation},
                            where);
}

ReplicasAgree::ReplicasAgree()
    : context_(context()), before_(context_.replicas_differ) {
  context_.replicas_differ = false;
}

ReplicasAgree::~ReplicasAgree() { context_.replicas_differ = before_; }

}  // namespace systolic::internal::graph
