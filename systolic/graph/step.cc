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
  for (auto& [state, old] : context_.saved) {
    state->current = std::move(old);
    state->saved_by = nullptr;
  }
  context_.saved.clear();
}

namespace {

// Called where an exception is handled: names the variables whose memory the
// failed program had taken, if there are any.
void name_lost(const std::vector<VariablePtr>& assigned) {
  std::string names;
  for (const VariablePtr& state : assigned) {
    const Ref& ref = state->current.ref();
    const StoragePtr& storage = ref.node->output(ref.output).storage;
    if (storage == nullptr || storage->restore()) continue;
    names += (names.empty() ? "\"" : ", \"") + state->path + "\"";
  }
  if (names.empty()) return;
  try {
    throw;
  } catch (const PlatformError& error) {
    throw PlatformError(
        std::string(error.what()) + "\n  lost: Variable " + names +
            "; the program failed while it ran in their memory\n  hint: load "
            "a checkpoint, or assign them",
        error.call(), error.code());
  }
}

}  // namespace

void Step::commit(std::span<const Tensor> results) {
  for (const Tensor& result : results) result.spec();  // throws if undefined
  std::vector<Root> roots;
  roots.reserve(context_.saved.size() + results.size());
  std::vector<VariablePtr> assigned;
  for (auto& [state, old] : context_.saved) {
    roots.push_back(
        {state->current.ref(), old.ref(), static_cast<int>(assigned.size())});
    state->saved_by = nullptr;
    old = Tensor();  // the root alone holds the old value now
    assigned.push_back(state);
  }
  for (const Tensor& result : results) roots.push_back({result.ref(), {}});
  context_.saved.clear();
  try {
    launch_step(roots, context_.placement);
  } catch (...) {
    for (const Root& root : roots) {
      if (root.variable >= 0) {
        assigned[root.variable]->current = Tensor(root.replaces);
      }
    }
    name_lost(assigned);
    throw;
  }
  // A leaf of its own: a multi-output node would keep all its values alive.
  for (const VariablePtr& state : assigned) {
    state->current = as_data(state->current);
  }
}

}  // namespace systolic::internal::graph
