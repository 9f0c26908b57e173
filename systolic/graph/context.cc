#include "systolic/graph/context.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "systolic/array/elementwise.h"
#include "systolic/array/unary.h"
#include "systolic/base/message.h"
#include "systolic/graph/device.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/intrinsics.h"
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

// Whether the replicas hold parts of the value, not yet the whole of it.
bool is_spread(const VariableState& state) {
  const Ref& ref = state.current.ref();
  if (ref.node->is_pending(ref.output)) return ref.node->in_step;
  const StoragePtr& storage = ref.node->output(ref.output).storage;
  return storage != nullptr && storage->placement() == state.placement;
}

// The replicas' parts of an on-read variable, combined on the host.
Tensor combined(const VariableState& state) {
  const StoragePtr storage = storage_of(state.current.ref());
  std::vector<Array> parts = storage->replicas();
  if (!is_spread(state) ||
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

// The value that the variable had before the steps around `here`, if it was
// assigned in one; null otherwise.
const Tensor* value_before(const Context& here, const VariablePtr& state) {
  const Tensor* before = nullptr;
  for (const Context* c = here.outer; c != nullptr; c = c->outer) {
    for (const auto& [saved, old] : c->saved) {
      if (saved == state) before = &old;
    }
  }
  return before;
}

// Keeps the value that a variable had before the step of `here`.
void save(Context& here, const VariablePtr& state) {
  if (state->saved_by == &here) return;
  for (const auto& [saved, old] : here.saved) {
    if (saved == state) return;
  }
  join_strategy(*state, true);
  prepare_for_step(*state);
  here.saved.emplace_back(state, state->current);
  state->saved_by = &here;
}

// Whether a step on one device reads the whole of a value that is in parts.
bool is_whole_here(const VariableState& state, const Context& here) {
  return is_split(state) && state.saved_by == nullptr &&
         here.placement != nullptr && !here.placement->is_replicated();
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

Tensor read_in_region(RegionVariable& variable) {
  const Ref& ref = variable.current.ref();
  if (ref.node != variable.parameter &&
      std::ranges::find(variable.reads, ref) == variable.reads.end()) {
    variable.reads.push_back(ref);
  }
  return variable.current;
}

}  // namespace

Context& context() { return top != nullptr ? *top : root_context; }

const Context* step_around() {
  for (const Context* c = top; c != nullptr; c = c->outer) {
    if (c->in_step) return c;
  }
  return nullptr;
}

Context* enclosing_step() {
  for (Context* c = top; c != nullptr && c->in_step; c = c->outer) {
    if (c->region == 0) return c;
  }
  return nullptr;
}

ContextGuard::ContextGuard(Context& context) : context_(&context) {
  context.outer = top;
  top = &context;
}

ContextGuard::~ContextGuard() { top = context_->outer; }

OutsideSteps::OutsideSteps() : guard_(root_) {}

namespace {

// All variables that there are; those that went are dropped from time to time.
struct AllVariables {
  std::mutex mutex;
  std::vector<std::weak_ptr<VariableState>> list;
  size_t next_sweep = 1024;
};

AllVariables& all_variables() {
  static auto* all = new AllVariables;
  return *all;
}

}  // namespace

VariablePtr make_variable_state() {
  auto state = std::make_shared<VariableState>();
  auto& [mutex, list, next_sweep] = all_variables();
  const std::lock_guard lock(mutex);
  if (list.size() >= next_sweep) {
    std::erase_if(list, [](const auto& weak) { return weak.expired(); });
    next_sweep = std::max<size_t>(1024, 2 * list.size());
  }
  list.push_back(state);
  return state;
}

std::vector<VariablePtr> live_variables() {
  auto& [mutex, list, unused] = all_variables();
  const std::lock_guard lock(mutex);
  std::vector<VariablePtr> live;
  for (const auto& weak : list) {
    if (VariablePtr state = weak.lock()) live.push_back(std::move(state));
  }
  return live;
}

void forget_variables(const runtime::Client& client) {
  auto& [mutex, list, unused] = all_variables();
  const std::lock_guard lock(mutex);
  for (const auto& weak : list) {
    const VariablePtr state = weak.lock();
    if (state == nullptr || &state->placement->client() != &client) continue;
    state->is_lost = true;
    state->current = Tensor();
  }
}

void require_alive(const VariableState& state, const SourceLocation& where) {
  if (!state.is_lost) return;
  Message("Variable \"" + state.path + "\"")
      .rule(
          "its memory was freed when the TPU system was initialised again "
          "after it was made")
      .detail("variable", state.spec)
      .hint(
          "make the model and its optimizer after initialize_tpu_system; "
          "what must last is saved before it and loaded after it")
      .at(where)
      .raise<ValueError>();
}

AtHome::AtHome(const VariableState& state) {
  if (!context().in_step && !state.placement->is_replicated()) {
    guard_.emplace(state.placement);
  }
}

Tensor brought_home(const VariableState& state, const Tensor& value) {
  const Ref& ref = value.ref();
  const Node& node = *ref.node;
  const Placement* there = node.placement;
  if (node.kind == NodeKind::literal) return value;
  if (!node.is_pending(ref.output)) {
    const StoragePtr& storage = node.output(ref.output).storage;
    if (storage == nullptr) return value;
    there = storage->placement();
    // The host's Arrays go where they are used.
    if (there == nullptr) return value;
  }
  if (there == state.placement || context().in_step ||
      state.placement->is_replicated()) {
    return value;
  }
  const AtHome home(state);
  return identity(value);
}

void join_strategy(VariableState& state, bool is_assigned) {
  const Placement* here = context().placement;
  if (here == nullptr || here == state.placement || !here->is_replicated()) {
    return;
  }
  if (state.placement->is_replicated()) {
    Message("Variable \"" + state.path + "\"")
        .rule("it belongs to another strategy than ", context().step_name)
        .detail("the variable's", describe(*state.placement))
        .detail("the step's", describe(*here))
        .hint("make what works together in the scope of one strategy")
        .raise<ValueError>();
  }
  // Parts of one device would be counted once for each replica.
  const bool has_parts =
      state.synchronization == VariableSynchronization::on_read;
  if (is_assigned || has_parts) state.placement = here;
}

void prepare_for_step(VariableState& state) {
  require_alive(state);
  if (is_split(state) && !is_spread(state)) {
    state.current = split(state, state.current);
  }
}

uint64_t next_region() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Tensor read_variable(const VariablePtr& state, const SourceLocation& where) {
  require_alive(*state, where);
  Context& here = context();
  Tensor value;
  if (here.region != 0) {
    value = read_in_region(enter_region(here, state));
  } else if (here.in_step && is_whole_here(*state, here)) {
    value = combined(*state);
  } else if (here.in_step) {
    join_strategy(*state, false);
    prepare_for_step(*state);
    value = state->current;
    if (here.notes != nullptr) {
      const Ref& ref = value.ref();
      here.notes->reads.push_back({state, ref.node.get(), ref.output});
    }
  } else if (const Tensor* before = value_before(here, state)) {
    value = *before;
  } else if (is_split(*state)) {
    value = combined(*state);
  } else {
    value = state->current;
  }
  watch_variable(state, value.ref());
  return value;
}

void write_variable(const VariablePtr& state, Tensor value,
                    const SourceLocation& where) {
  require_alive(*state, where);
  Context& here = context();
  value = without_tape(value);
  if (here.region != 0) {
    RegionVariable& variable = enter_region(here, state);
    variable.current = std::move(value);
    variable.assigned = true;
    return;
  }
  Node& node = *value.ref().node;
  if (node.kind != NodeKind::operation ||
      node.recorder != &Recorder::current()) {
    evaluate(value.ref());
  }
  if (here.in_step) {
    save(here, state);
    // A plan needs each new value to be the program's own.
    const Ref& ref = value.ref();
    if (here.notes != nullptr && !ref.node->is_pending(ref.output)) {
      value = identity(value);
    }
  } else {
    // State is an argument of programs, whatever its first value was.
    if (node.kind == NodeKind::literal) value = as_data(value);
    value =
        is_split(*state) ? split(*state, value) : brought_home(*state, value);
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
