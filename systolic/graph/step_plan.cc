#include "systolic/graph/step_plan.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/trace.h"
#include "systolic/graph/program_cache.h"

namespace systolic::internal::graph {

namespace {

bool is_value(const Ref& ref, const VariableValue& value) {
  return ref.node.get() == value.node && ref.output == value.output;
}

}  // namespace

void rethrow_naming_lost(std::span<const VariablePtr> assigned) {
  std::string names;
  for (const VariablePtr& state : assigned) {
    const Ref& ref = state->current.ref();
    const StoragePtr& storage = ref.node->output(ref.output).storage;
    if (storage == nullptr || storage->restore()) continue;
    names += (names.empty() ? "\"" : ", \"") + state->path + "\"";
  }
  try {
    throw;
  } catch (const PlatformError& error) {
    if (names.empty()) throw;
    throw PlatformError(
        std::string(error.what()) + "\n  lost: Variable " + names +
            "; the program failed while it ran in their memory\n  hint: load "
            "a checkpoint, or assign them",
        error.call(), error.code());
  }
}

int StepPlan::variable_index(const VariablePtr& state) {
  const auto known = std::ranges::find(variables_, state);
  if (known != variables_.end()) {
    return static_cast<int>(known - variables_.begin());
  }
  variables_.push_back(state);
  return static_cast<int>(variables_.size()) - 1;
}

bool StepPlan::add_argument(const Ref& ref, std::span<const VariableValue> used,
                            std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_defined() && inputs[i].ref() == ref) {
      arguments_.push_back({From::input, static_cast<int>(i), false});
      return true;
    }
  }
  const VariablePtr* state = nullptr;
  for (const VariableValue& value : used) {
    if (!is_value(ref, value) || (state != nullptr && *state == value.state)) {
      continue;
    }
    if (state != nullptr) return false;  // two variables share it for now
    state = &value.state;
  }
  if (state != nullptr) {
    arguments_.push_back({From::variable, variable_index(*state), false});
    return true;
  }
  const StoragePtr& storage = ref.node->output(ref.output).storage;
  if (storage == nullptr || storage->is_donated()) return false;
  constants_.push_back(storage);
  arguments_.push_back(
      {From::constant, static_cast<int>(constants_.size()) - 1, false});
  return true;
}

std::optional<StepPlan> StepPlan::make(const LaunchRecord& launch,
                                       std::span<const VariableValue> used,
                                       std::span<const VariableValue> assigned,
                                       std::span<const Ref> results,
                                       std::span<const Tensor> inputs) {
  if (!launch.is_whole) return {};
  StepPlan plan;
  plan.name_ = context().step_name;
  plan.after_launch_ = context().after_launch;
  plan.compiled_ = launch.compiled;
  plan.placement_ = launch.placement;
  for (const Ref& ref : launch.arguments) {
    if (!plan.add_argument(ref, used, inputs)) return {};
  }
  // Constants of their own: scalars that have changed before may again, so a
  // plan of another recording is another one.
  for (const Array& scalar : launch.scalars) {
    plan.constants_.push_back(std::make_shared<Storage>(scalar));
    plan.arguments_.push_back(
        {From::constant, static_cast<int>(plan.constants_.size()) - 1, false});
  }
  for (int argument : launch.donated) {
    Argument& donated = plan.arguments_[static_cast<size_t>(argument)];
    if (donated.from != From::variable) return {};
    donated.is_donated = true;
  }
  std::vector<bool> taken(launch.outputs.size(), false);
  const auto output_of = [&](const Node* node, int output) {
    for (size_t i = 0; i < launch.outputs.size(); ++i) {
      if (launch.outputs[i].node.get() != node) continue;
      if (launch.outputs[i].output != output) continue;
      taken[i] = true;
      return static_cast<int>(i);
    }
    return -1;
  };
  for (const VariableValue& value : assigned) {
    const int output = output_of(value.node, value.output);
    if (output < 0) return {};
    plan.assignments_.push_back({output, plan.variable_index(value.state)});
  }
  for (const Ref& ref : results) {
    plan.results_.push_back(output_of(ref.node.get(), ref.output));
    if (plan.results_.back() < 0) return {};
  }
  // Somebody outside the step wants more of it than the plan would give.
  if (std::ranges::find(taken, false) != taken.end()) return {};
  return plan;
}

// The arguments of one launch.
class StepPlan::Launch {
 public:
  Launch(const StepPlan& plan, std::span<const Tensor> inputs)
      : plan_(plan),
        inputs_(inputs),
        lists_(plan.placement_->devices().size()) {
    const TraceScope scope("arguments");
    for (auto& list : lists_) list.reserve(plan.arguments_.size());
    for (size_t i = 0; i < plan.arguments_.size(); ++i) {
      const Argument& argument = plan.arguments_[i];
      const auto index = static_cast<size_t>(argument.index);
      switch (argument.from) {
        case From::variable:
          add_variable(*plan.variables_[index], i);
          break;
        case From::input:
          add(*storage_of(inputs_[index].ref()));
          break;
        case From::constant:
          add(*plan.constants_[index]);
          break;
      }
    }
  }

  std::vector<std::vector<runtime::BufferPtr>> run() {
    const Placement& placement = *plan_.placement_;
    if (!placement.is_replicated()) {
      options_.execute_device = &placement.devices().front();
    }
    options_.most_in_flight = kMostStepsInFlight;
    options_.name = plan_.name_;
    return runtime::launch(*plan_.compiled_->executable, lists_,
                           plan_.compiled_->outputs, options_);
  }

 private:
  void add(Storage& storage) {
    const auto buffers = storage.on(plan_.placement_);
    for (size_t r = 0; r < buffers.size(); ++r) lists_[r].push_back(buffers[r]);
  }

  void add_variable(VariableState& state, size_t position) {
    prepare_for_step(state);
    // An assignment since the last step may be pending.
    state.current = as_data(state.current);
    const Ref& ref = state.current.ref();
    const Output& output = ref.node->output(ref.output);
    if (plan_.arguments_[position].is_donated) {
      // Only the variable itself may hold what the program takes.
      const bool is_alone = output.handles.load() == 1 &&
                            ref.node.use_count() == 1 &&
                            output.storage.use_count() == 1;
      if (is_alone) {
        output.storage->move_to(plan_.placement_);
      } else {
        options_.non_donatable.push_back(static_cast<int64_t>(position));
      }
    }
    add(*output.storage);
  }

  const StepPlan& plan_;
  std::span<const Tensor> inputs_;
  std::vector<std::vector<runtime::BufferPtr>> lists_;
  runtime::LaunchOptions options_;
};

std::vector<Tensor> StepPlan::take(
    const std::vector<std::vector<runtime::BufferPtr>>& values) const {
  const auto tensor_of = [&](int output) {
    const auto index = static_cast<size_t>(output);
    std::vector<runtime::BufferPtr> buffers;
    buffers.reserve(values.size());
    for (const auto& replica : values) buffers.push_back(replica[index]);
    auto storage = std::make_shared<Storage>(placement_, std::move(buffers));
    return Tensor(
        Ref{make_data(std::move(storage), compiled_->outputs[index]), 0});
  };
  for (const Assignment& assignment : assignments_) {
    variables_[static_cast<size_t>(assignment.variable)]->current =
        tensor_of(assignment.output);
  }
  std::vector<Tensor> results;
  for (int output : results_) results.push_back(tensor_of(output));
  return results;
}

std::vector<Tensor> StepPlan::launch(std::span<const Tensor> inputs) const {
  std::vector<Tensor> results;
  try {
    results = take(Launch(*this, inputs).run());
  } catch (...) {
    std::vector<VariablePtr> assigned;
    for (const Assignment& assignment : assignments_) {
      assigned.push_back(variables_[static_cast<size_t>(assignment.variable)]);
    }
    rethrow_naming_lost(assigned);
  }
  for (const AfterLaunch& act : after_launch_) (*act)();
  return results;
}

namespace {

bool fits(std::span<const TensorSpec> specs, std::span<const Tensor> inputs) {
  return std::ranges::equal(
      specs, inputs, [](const TensorSpec& spec, const Tensor& input) {
        return input.is_defined() ? spec == input.spec() : !spec.shape.is_set();
      });
}

}  // namespace

const StepPlan* StepPlans::find(std::span<const Tensor> inputs) const {
  for (const Entry& entry : entries_) {
    if (entry.repeats && fits(entry.specs, inputs)) return &*entry.plan;
  }
  return nullptr;
}

void StepPlans::learn(std::span<const Tensor> inputs,
                      std::optional<StepPlan> plan) {
  for (Entry& entry : entries_) {
    if (!fits(entry.specs, inputs)) continue;
    entry.repeats = plan && entry.plan && *plan == *entry.plan;
    entry.plan = std::move(plan);
    return;
  }
  Entry& entry = entries_.emplace_back();
  for (const Tensor& input : inputs) {
    entry.specs.push_back(input.is_defined() ? input.spec() : TensorSpec());
  }
  entry.plan = std::move(plan);
}

}  // namespace systolic::internal::graph
