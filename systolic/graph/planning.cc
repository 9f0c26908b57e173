#include "systolic/graph/planning.h"

#include <algorithm>
#include <atomic>

#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/planned_run.h"
#include "systolic/graph/step.h"

namespace systolic::internal::graph {

namespace {

std::atomic<Planning*> innermost{nullptr};
thread_local int without_planning = 0;

const StoragePtr& storage_at(const Ref& ref) {
  return ref.node->output(ref.output).storage;
}

bool is_stand_in(const Ref& ref) {
  const StoragePtr& storage = storage_at(ref);
  return storage != nullptr && storage->is_stand_in();
}

}  // namespace

Planning::Planning(const platforms::TpuSlice& slice, Look look)
    : slice_(slice), look_(std::move(look)), outer_(innermost.exchange(this)) {}

Planning::~Planning() {
  innermost.store(outer_);
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    kept->state->current = std::move(kept->value);
    kept->state->placement = kept->placement;
  }
}

Planning* Planning::current() {
  static const bool is_started = (start_planned_run(), true);
  if (without_planning > 0) return nullptr;
  return is_started ? innermost.load(std::memory_order_relaxed) : nullptr;
}

WithoutPlanning::WithoutPlanning() { ++without_planning; }

WithoutPlanning::~WithoutPlanning() { --without_planning; }

void Planning::stand_in(const VariablePtr& state, const Placement* placement) {
  StoragePtr storage = Storage::stand_in(placement);
  owners_[storage.get()] = state;
  state->placement = placement;
  state->current = Tensor(Ref{make_data(std::move(storage), state->spec), 0});
}

void Planning::take_value(const VariablePtr& state,
                          const Placement* placement) {
  kept_.push_back({state, std::move(state->current), state->placement});
  stand_in(state, placement);
}

void Planning::move(const Placement* from, const Placement* to) {
  from_ = from;
  to_ = to;
  for (const VariablePtr& state : live_variables()) {
    if (state->placement == from && !state->is_lost) take_value(state, to);
  }
}

bool Planning::stands_in(const VariablePtr& state, const Tensor& initial) {
  if (to_ == nullptr) {
    if (!state->trainable && state->spec.shape.rank() == 0) return false;
  } else {
    kept_.push_back(
        {state, initial, state->placement == to_ ? from_ : state->placement});
  }
  stand_in(state, state->placement);
  return true;
}

VariablePtr Planning::owner(const Ref& argument) const {
  const StoragePtr& storage = storage_at(argument);
  const auto known = owners_.find(storage.get());
  if (known != owners_.end()) return known->second.lock();
  for (const VariablePtr& state : live_variables()) {
    if (!state->current.is_defined()) continue;
    const Ref& now = state->current.ref();
    if (now == argument || storage_at(now) == storage) return state;
  }
  return nullptr;
}

namespace {

// Whether a program's outputs have a new value of a variable that is trained.
bool writes_trained(const Program& program) {
  for (const VariablePtr& state : live_variables()) {
    if (!state->trainable || !state->current.is_defined()) continue;
    const Ref& now = state->current.ref();
    if (std::ranges::find(program.outputs(), now) != program.outputs().end()) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool Planning::take(const Program& program) {
  bool is_taken = false;
  bool reads = false;
  for (const Ref& argument : program.arguments()) {
    if (!is_stand_in(argument)) continue;
    is_taken = true;
    if (reads) continue;
    const VariablePtr state = owner(argument);
    reads = state != nullptr && state->trainable;
  }
  if (!is_taken) return false;
  if (reads && writes_trained(program)) look_(program);
  for (const Ref& output : program.outputs()) {
    if (!output.node->is_pending(output.output)) continue;
    output.node->set_value(output.output,
                           Storage::stand_in(program.placement()));
  }
  return true;
}

void Planning::look_at_pending() {
  std::vector<Ref> written;
  for (const VariablePtr& state : live_variables()) {
    if (!state->trainable || !state->current.is_defined()) continue;
    const Ref& now = state->current.ref();
    const bool is_own = now.node->recorder == &Recorder::current();
    if (is_own && now.node->is_pending(now.output)) written.push_back(now);
  }
  evaluate(written);
}

Tensor planned_input(const Placement& placement, const TensorSpec& spec) {
  return step_input(Storage::stand_in(&placement), spec);
}

void refuse_read(const SourceLocation& where) {
  Planning* planning = Planning::current();
  if (planning != nullptr && !context().in_step) planning->look_at_pending();
  Message("plan")
      .rule(
          "a value was read that is never computed while a plan is made: "
          "variables hold no values, nor does what is made of them")
      .hint(
          "plan a program whose first use of its variables is a training "
          "step, or read after it")
      .at(where)
      .raise<ValueError>();
}

}  // namespace systolic::internal::graph
