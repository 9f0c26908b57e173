#include "systolic/graph/step.h"

#include <algorithm>
#include <memory>

namespace systolic::internal::graph {

Tensor step_input(StoragePtr storage, const TensorSpec& spec) {
  const NodePtr node = make_data(std::move(storage), spec);
  node->in_step = true;
  return Tensor(Ref{node, 0});
}

Step::Step(const Placement* placement, std::string_view name, Keep keep)
    : guard_(context_) {
  context_.placement = placement;
  context_.in_step = true;
  context_.step_name = name;
  recording_.note("step", name);
  if (keep == Keep::plan) context_.notes = &done_.emplace().notes;
}

Step::~Step() { roll_back(); }

void Step::roll_back() {
  for (auto& [state, old] : context_.saved) {
    state->current = std::move(old);
    state->saved_by = nullptr;
  }
  context_.saved.clear();
}

void Step::commit(std::span<const Tensor> results) {
  recording_.end();
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
    launch_step(roots, context_.placement, done_ ? &done_->launch : nullptr);
  } catch (...) {
    for (const Root& root : roots) {
      if (root.variable >= 0) {
        assigned[root.variable]->current = Tensor(root.replaces);
      }
    }
    rethrow_naming_lost(assigned);
  }
  if (done_) {
    for (const Root& root : roots) {
      if (root.variable < 0) {
        done_->results.push_back(root.ref);
        continue;
      }
      const VariablePtr& state = assigned[root.variable];
      done_->notes.reads.push_back(
          {state, root.replaces.node.get(), root.replaces.output});
      done_->assigned.push_back({state, root.ref.node.get(), root.ref.output});
    }
  }
  // A leaf of its own: a multi-output node would keep all its values alive.
  for (const VariablePtr& state : assigned) {
    state->current = as_data(state->current);
  }
  for (const AfterLaunch& act : context_.after_launch) (*act)();
}

void Step::inspect_with(std::function<void(const Program&)> inspect) {
  done_->launch.inspect = std::move(inspect);
}

NodePtr Step::escaped() const {
  for (const std::weak_ptr<Node>& weak : done_->notes.operations) {
    const NodePtr node = weak.lock();
    if (node == nullptr) continue;
    for (int i = 0; i < node->num_outputs; ++i) {
      if (node->output(i).handles.load() == 0) continue;
      const bool is_result = std::ranges::find(done_->results, Ref{node, i}) !=
                             done_->results.end();
      if (!is_result) return node;
    }
  }
  return nullptr;
}

std::optional<StepPlan> Step::plan(std::span<const Tensor> inputs) const {
  if (!done_ || done_->launch.compiled == nullptr || escaped() != nullptr) {
    return std::nullopt;
  }
  return StepPlan::make(done_->launch, done_->notes.reads, done_->assigned,
                        done_->results, inputs);
}

}  // namespace systolic::internal::graph
