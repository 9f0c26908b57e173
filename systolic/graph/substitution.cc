// Tested by: systolic/ops/control_flow_gradient_platform_test.cc
#include "systolic/graph/substitution.h"

#include "systolic/graph/op.h"
#include "systolic/graph/region.h"

namespace systolic::internal::graph {

void Substitution::set(const Ref& ref, Tensor value) {
  *values_.insert(ref.node.get(), ref.output).first = std::move(value);
}

Tensor Substitution::operator()(const Ref& ref) {
  if (const Tensor* known = values_.find(ref)) return *known;
  if (!is_inside(region_, ref)) return Tensor(ref);
  repeat(ref.node);
  return *values_.find(ref);
}

void Substitution::repeat(const Region& region) {
  for (const NodePtr& node : operations_of(region)) repeat(node);
}

void Substitution::repeat(const NodePtr& node) {
  std::vector<Ref> inputs;
  for (const Ref& input : node->inputs) inputs.push_back((*this)(input).ref());
  std::shared_ptr<const void> options = node->options;
  if (node->op->regions != nullptr) {
    Regions regions;
    for (const auto& region : node->op->regions(options.get())) {
      regions.push_back(copy(*region));
    }
    options = node->op->with_regions(options.get(), std::move(regions));
  }
  const NodePtr again =
      record(*node->op, std::move(inputs), std::move(options), node->where);
  for (int i = 0; i < node->num_outputs; ++i) {
    set(Ref{node, i}, Tensor(Ref{again, i}));
  }
  recorded_.push_back(again);
}

std::shared_ptr<const Region> Substitution::copy(const Region& region) {
  const auto made = std::make_shared<Region>();
  Context inner = region_context(context().step_name);
  made->id = inner.region;
  Substitution into(region);
  // One by one, so that the op's inputs keep their places.
  for (const Ref& capture : region.captures) {
    const Tensor value = (*this)(capture);
    made->captures.push_back(value.ref());
    into.set(capture, value);
  }
  const ContextGuard guard(inner);
  for (const NodePtr& parameter : region.parameters) {
    made->parameters.push_back(make_parameter(parameter->first.spec, made->id));
    into.set(Ref{parameter, 0}, Tensor(Ref{made->parameters.back(), 0}));
  }
  into.repeat(region);
  for (const Ref& result : region.results) {
    made->results.push_back(into(result).ref());
  }
  for (const auto& [parameter, ref] : region.reads) {
    made->reads.emplace_back(parameter, into(ref).ref());
  }
  return made;
}

}  // namespace systolic::internal::graph
