// StepPlan: a step that was recorded before, launched again without recording.
//
//   StepPlans plans;
//   if (const StepPlan* plan = plans.find(inputs)) return plan->launch(inputs);
//   Step step(placement, "train_step", Step::Keep::plan);
//   ... ops on the inputs ...
//   step.commit({});
//   plans.learn(inputs, step.plan(inputs));
//
// A plan is used once two recordings have given the same program, of the same
// variables, so a step that changes from time to time goes on being recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"

namespace systolic::internal::graph {

/// Where each argument of a step's program comes from, and where its values
/// go.
class StepPlan {
 public:
  /// The plan of a launch, made right after it. `used` are the values that
  /// variables had before the step, `assigned` the variables that it changed,
  /// `results` what it gave besides. Nothing where the launch can not be
  /// repeated: a value came from elsewhere, or somebody else holds one.
  static std::optional<StepPlan> make(const LaunchRecord& launch,
                                      std::span<const VariableValue> used,
                                      std::span<const VariableValue> assigned,
                                      std::span<const Ref> results,
                                      std::span<const Tensor> inputs);

  /// Launches the program with these inputs and the variables' values of now;
  /// gives the results. Failures leave all as Step::commit does.
  std::vector<Tensor> launch(std::span<const Tensor> inputs) const;

  /// Whether both launch the same program with the same variables.
  bool operator==(const StepPlan&) const = default;

 private:
  enum class From : uint8_t { variable, input, constant };
  struct Argument {
    From from;
    int index;
    bool is_donated;
    bool operator==(const Argument&) const = default;
  };
  struct Assignment {
    int output;
    int variable;
    bool operator==(const Assignment&) const = default;
  };
  class Launch;

  int variable_index(const VariablePtr& state);
  bool add_argument(const Ref& ref, std::span<const VariableValue> used,
                    std::span<const Tensor> inputs);
  std::vector<Tensor> take(
      const std::vector<std::vector<runtime::BufferPtr>>& values) const;

  const Compiled* compiled_ = nullptr;
  const Placement* placement_ = nullptr;
  // What the step is called.
  std::string name_;
  std::vector<VariablePtr> variables_;
  std::vector<StoragePtr> constants_;
  std::vector<Argument> arguments_;
  std::vector<Assignment> assignments_;
  std::vector<int> results_;
  std::vector<AfterLaunch> after_launch_;
};

/// The plans of one step by the specs of its inputs.
class StepPlans {
 public:
  /// The plan for inputs of these specs, once it is known to repeat.
  const StepPlan* find(std::span<const Tensor> inputs) const;
  /// Takes note of what one recording gave.
  void learn(std::span<const Tensor> inputs, std::optional<StepPlan> plan);
  /// Forgets all: the step may be another one from now on.
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::vector<TensorSpec> specs;
    std::optional<StepPlan> plan;
    bool repeats = false;
  };
  std::vector<Entry> entries_;
};

/// Called where an exception of a launch is handled: throws it anew, naming
/// the variables whose memory the failed program had taken, if there are any.
[[noreturn]] void rethrow_naming_lost(std::span<const VariablePtr> assigned);

}  // namespace systolic::internal::graph
