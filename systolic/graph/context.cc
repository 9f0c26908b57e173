#include "systolic/graph/context.h"

#include <atomic>

#include "systolic/array/elementwise.h"
#include "systolic/array/unary.h"
#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

namespace {

thread_local Context root_context;
thread_local Context* top = nullptr;
thread_local const Placement* thread_variable_placement = nullptr;

Tensor data_tensor(StoragePtr storage, const TensorSpec& spec) {
  return Tensor(Ref{make_data(std::move(storage), spec), 0});
}

bool is_split(const VariableState& state) {
  return state.synchronization == VariableSynchronization::on_read &&
         state.placement->is_replicated();
}

// The replicas' parts of an on-read variable, combined on the host.
Tensor combined(const VariableState& state) {
  const StoragePtr storage = storage_of(state.current.ref());
  std::vector<Array> parts = storage->replicas();
  if (storage->placement() != state.placement ||
      state.aggregation == VariableAggregation::only_first_replica ||
      state.aggregation == VariableAggregation::none) {
    return data_tensor(std::make_shared<Storage>(parts[0]), state.spec);
  }
  Array total = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) total = total + parts[i];
  if (state.aggregation == VariableAggregation::mean) {
    total = cast(total / static_cast<double>(parts.size()), state.spec.dtype);
  }
  return data_tensor(std::make_shared<Storage>(total), state.spec);
}

// A new value for an on-read variable outside a step: the parts must add up
// to it (or be equal, where they are averaged).
Tensor split(const VariableState& state, const Tensor& value) {
  const Array whole = storage_of(value.ref())->host();
  const Array zeros = Array::zeros(state.spec.shape, state.spec.dtype);
  std::vector<runtime::BufferPtr> buffers;
  for (const auto& device : state.placement->devices()) {
    const bool first = buffers.empty();
    const bool whole_here =
        first || state.aggregation != VariableAggregation::sum;
    buffers.push_back(runtime::to_device(whole_here ? whole : zeros, device));
  }
  return data_tensor(
      std::make_shared<Storage>(state.placement, std::move(buffers)),
      state.spec);
}

RegionVariable* find(Context& here, const VariablePtr& state) {
  for (RegionVariable& variable : here.variables) {
    if (variable.state == state) return &variable;
  }
  return nullptr;
}

RegionVariable& enter_region(Context& here, const VariablePtr& state) {
  if (RegionVariable* known = find(here, state)) return *known;
  RegionVariable variable;
  variable.state = state;
  variable.parameter = make_parameter(state->spec, here.region);
  variable.current = Tensor(Ref{variable.parameter, 0});
  here.variables.push_back(std::move(variable));
  return here.variables.back();
}

}  // namespace

Context& context() { return top != nullptr ? *top : root_context; }

ContextGuard::ContextGuard(Context& context) : context_(&context) {
  context.outer = top;
  top = &context;
}

ContextGuard::~ContextGuard() { top = context_->outer; }

OutsideSteps::OutsideSteps() : guard_(root_) {}

uint64_t next_region() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Tensor read_variable(const VariablePtr& state) {
  Context& here = context();
  Tensor value;
  if (here.region != 0) {
    value = enter_region(here, state).current;
  } else if (!here.in_step && is_split(*state)) {
    value = combined(*state);
  } else {
    value = state->current;
  }
  if (state->trainable) value = watch_variable(state, value);
  return value;
}

void write_variable(const VariablePtr& state, Tensor value) {
  Context& here = context();
  if (here.region != 0) {
    RegionVariable& variable = enter_region(here, state);
    variable.current = std::move(value);
    variable.assigned = true;
    return;
  }
  if (here.in_step) {
    bool known = false;
    for (const auto& [saved, old] : here.saved) known |= saved == state;
    if (!known) here.saved.emplace_back(state, state->current);
  } else if (is_split(*state)) {
    value = split(*state, value);
  }
  state->current = std::move(value);
}

const Placement* variable_placement() {
  return thread_variable_placement != nullptr ? thread_variable_placement
                                              : Placement::current_default();
}

VariablePlacementGuard::VariablePlacementGuard(const Placement* placement)
    : previous_(thread_variable_placement) {
  thread_variable_placement = placement;
}

VariablePlacementGuard::~VariablePlacementGuard() {
  thread_variable_placement = previous_;
}

}  // namespace systolic::internal::graph
