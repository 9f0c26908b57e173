#include "systolic/graph/region.h"

#include <unordered_set>

#include "systolic/graph/op.h"

namespace systolic::internal::graph {

Recorded record_region(
    std::span<const TensorSpec> parameters, std::string_view name,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>&
        body) {
  Recorded recorded;
  recorded.region = std::make_shared<Region>();
  Context inner;
  const Context& outer = context();
  inner.placement =
      outer.placement ? outer.placement : Placement::current_default();
  inner.in_step = true;
  inner.step_name = name;
  inner.region = next_region();
  inner.valid_rows = outer.valid_rows;
  recorded.region->id = inner.region;
  std::vector<Tensor> arguments;
  for (const TensorSpec& spec : parameters) {
    NodePtr parameter = make_parameter(spec, inner.region);
    arguments.push_back(Tensor(Ref{parameter, 0}));
    recorded.region->parameters.push_back(std::move(parameter));
  }
  const ContextGuard guard(inner);
  recorded.results = body(arguments);
  recorded.variables = std::move(inner.variables);
  return recorded;
}

void close_region(Region& region, std::vector<Ref> results) {
  std::unordered_set<const Node*> seen;
  for (const NodePtr& parameter : region.parameters) {
    seen.insert(parameter.get());
  }
  std::vector<Ref> stack(results.rbegin(), results.rend());
  while (!stack.empty()) {
    const Ref ref = std::move(stack.back());
    stack.pop_back();
    const Node& node = *ref.node;
    if (node.kind == NodeKind::literal) continue;
    const bool inside = node.region == region.id &&
                        node.kind == NodeKind::operation &&
                        node.is_pending(ref.output);
    if (inside || node.kind == NodeKind::parameter) {
      if (!seen.insert(&node).second) continue;
    }
    if (inside) {
      for (const Ref& input : node.inputs) stack.push_back(input);
      continue;
    }
    bool known = node.kind == NodeKind::parameter && node.region == region.id;
    for (const Ref& capture : region.captures) known |= capture == ref;
    if (!known) region.captures.push_back(ref);
  }
  region.results = std::move(results);
}

}  // namespace systolic::internal::graph
