#include "systolic/graph/region.h"

#include <algorithm>
#include <unordered_set>

#include "systolic/graph/op.h"
#include "systolic/graph/ref_table.h"

namespace systolic::internal::graph {

const RegionVariable* Recorded::find(const VariablePtr& state) const {
  for (const RegionVariable& variable : variables) {
    if (variable.state == state) return &variable;
  }
  return nullptr;
}

Ref Recorded::add_parameter(const VariablePtr& state) {
  const int number = static_cast<int>(region->parameters.size());
  const RegionVariable* known = find(state);
  if (known == nullptr) {
    region->parameters.push_back(make_parameter(state->spec, region->id));
    return Ref{region->parameters.back(), 0};
  }
  region->parameters.push_back(known->parameter);
  for (const Ref& read : known->reads) region->reads.emplace_back(number, read);
  return known->current.ref();
}

Context region_context(std::string_view name) {
  Context inner;
  const Context& outer = context();
  inner.placement =
      outer.placement ? outer.placement : Placement::current_default();
  inner.in_step = true;
  inner.step_name = name;
  inner.region = next_region();
  inner.valid_rows = outer.valid_rows;
  inner.batch_rows = outer.batch_rows;
  inner.replicas_differ = outer.replicas_differ;
  return inner;
}

Recorded record_region(
    std::span<const TensorSpec> parameters, std::string_view name,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>&
        body) {
  Recorded recorded;
  recorded.region = std::make_shared<Region>();
  Context inner = region_context(name);
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

bool is_inside(uint64_t region, const Ref& ref) {
  const Node& node = *ref.node;
  return node.region == region && node.kind == NodeKind::operation &&
         node.is_pending(ref.output);
}

void close_region(Region& region, std::vector<Ref> results) {
  std::unordered_set<const Node*> seen;
  for (const NodePtr& parameter : region.parameters) {
    seen.insert(parameter.get());
  }
  std::vector<Ref> stack(results.rbegin(), results.rend());
  for (const auto& read : region.reads) stack.push_back(read.second);
  while (!stack.empty()) {
    const Ref ref = std::move(stack.back());
    stack.pop_back();
    const Node& node = *ref.node;
    // A scalar is written where it is used, unless a tape watches it.
    if (node.kind == NodeKind::literal && node.watched.load() == 0) continue;
    const bool inside = is_inside(region.id, ref);
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

std::vector<NodePtr> operations_of(const Region& region) {
  struct Frame {
    NodePtr node;
    size_t next;
  };
  std::vector<NodePtr> order;
  std::vector<Frame> stack;
  std::unordered_set<const Node*> seen;
  const auto visit = [&](const Ref& ref) {
    if (!is_inside(region.id, ref) || !seen.insert(ref.node.get()).second) {
      return;
    }
    stack.push_back({ref.node, 0});
  };
  const auto finish = [&](const Ref& root) {
    visit(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next < frame.node->inputs.size()) {
        visit(frame.node->inputs[frame.next++]);
        continue;
      }
      order.push_back(std::move(frame.node));
      stack.pop_back();
    }
  };
  for (const Ref& result : region.results) finish(result);
  for (const auto& read : region.reads) finish(read.second);
  return order;
}

namespace {

// Finds what of a body has to be kept.
class ResidualSearch {
 public:
  ResidualSearch(const Region& region, std::span<const Varies> parameters,
                 Varies captures)
      : region_(region), captures_(captures) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const NodePtr& node = region.parameters[i];
      *facts_.insert(node.get(), 0).first = {
          parameters[i], is_inexact(node->first.spec.dtype)};
    }
  }

  std::vector<Ref> run() {
    for (const NodePtr& node : operations_of(region_)) visit(node);
    return std::move(kept_);
  }

 private:
  struct Facts {
    Varies varies = Varies::never;
    // Whether a gradient may lead here.
    bool is_active = false;
    bool is_kept = false;
  };

  Facts facts(const Ref& ref) const {
    if (const Facts* known = facts_.find(ref)) return *known;
    const Node& node = *ref.node;
    const bool is_watched = node.watched.load() != 0;
    if (node.kind == NodeKind::literal && !is_watched) return {};
    const bool is_constant = node.kind == NodeKind::data && !is_watched;
    return {captures_, !is_constant && is_inexact(ref.spec().dtype)};
  }

  void visit(const NodePtr& node) {
    const OpDef& op = *node->op;
    // A loop that does not vary is kept too: to run it again costs more.
    Facts own{op.regions == nullptr ? Varies::never : Varies::known};
    for (const Ref& input : node->inputs) {
      const Facts found = facts(input);
      own.is_active |= found.is_active;
      if (found.varies != Varies::never) own.varies = Varies::unknown;
    }
    own.is_active &= op.vjp != nullptr;
    for (int i = 0; i < node->num_outputs; ++i) {
      *facts_.insert(node.get(), i).first = own;
    }
    if (!own.is_active) return;
    const void* options = node->options.get();
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (rule_reads(op, options, Side::input, i)) keep(node->inputs[i]);
    }
    for (int i = 0; i < node->num_outputs; ++i) {
      if (rule_reads(op, options, Side::output, i)) keep(Ref{node, i});
    }
  }

  void keep(const Ref& ref) {
    Facts* found = facts_.find(ref);
    if (found == nullptr || found->is_kept) return;
    if (found->varies == Varies::never) return;
    const bool is_parameter = ref.node->kind == NodeKind::parameter;
    if (is_parameter && found->varies == Varies::known) return;
    found->is_kept = true;
    kept_.push_back(ref);
  }

  const Region& region_;
  Varies captures_;
  RefTable<Facts> facts_;
  std::vector<Ref> kept_;
};

}  // namespace

std::vector<Ref> residuals_of(const Region& region,
                              std::span<const Varies> parameters,
                              Varies captures) {
  return ResidualSearch(region, parameters, captures).run();
}

}  // namespace systolic::internal::graph
