#include "systolic/graph/step.h"

namespace systolic::internal::graph {

Step::Step(const Placement* placement, std::string_view name)
    : guard_(context_) {
  context_.placement = placement;
  context_.in_step = true;
  context_.step_name = name;
}

Step::~Step() { roll_back(); }

void Step::roll_back() {
  for (auto& [state, old] : context_.saved) state->current = std::move(old);
  context_.saved.clear();
}

void Step::commit(std::span<const Tensor> results) {
  std::vector<Root> roots;
  roots.reserve(context_.saved.size() + results.size());
  std::vector<VariablePtr> assigned;
  for (auto& [state, old] : context_.saved) {
    roots.push_back({state->current.ref(), old.ref()});
    old = Tensor();  // the root alone holds the old value now
    assigned.push_back(state);
  }
  for (const Tensor& result : results) roots.push_back({result.ref(), {}});
  context_.saved.clear();
  try {
    launch_step(roots, context_.placement);
  } catch (...) {
    // launch_step may have reordered the roots: match by the new value.
    for (const VariablePtr& state : assigned) {
      for (const Root& root : roots) {
        if (root.replaces.node != nullptr && root.ref == state->current.ref()) {
          state->current = Tensor(root.replaces);
          break;
        }
      }
    }
    throw;
  }
  for (const VariablePtr& state : assigned) {
    // A leaf of its own: a multi-output node would keep all its values alive.
    const Ref& ref = state->current.ref();
    if (ref.node->kind != NodeKind::operation) continue;
    state->current = Tensor(
        Ref{make_data(ref.node->output(ref.output).storage, ref.spec()), 0});
  }
}

}  // namespace systolic::internal::graph
