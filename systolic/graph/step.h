// Step: a stretch of recording that is launched as a whole, or not at all.
//
//   Step step(placement, "train_step");
//   ... ops, assignments ...
//   step.commit({loss});               // launched; assignments take effect
//
// Leaving it without commit (an exception) drops what it recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "systolic/base/trace.h"
#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/step_plan.h"

namespace systolic::internal::graph {

/// A leaf that a step is made of: its value can not be read inside of one,
/// where it is one of many.
Tensor step_input(StoragePtr storage, const TensorSpec& spec);

class Step {
 public:
  /// Whether a step notes what a plan of it needs.
  enum class Keep : uint8_t { nothing, plan };

  /// Starts recording for the replicas of `placement`.
  Step(const Placement* placement, std::string_view name,
       Keep keep = Keep::nothing);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Context& context() { return context_; }

  /// Has commit show the program before it is launched; an exception then
  /// leaves all as it was. For a step that keeps its plan.
  void inspect_with(std::function<void(const Program&)> inspect);

  /// Launches what the results and the assigned variables need. The results
  /// hold their values afterwards. On failure all variables are as before; only
  /// a program that fails while it runs has taken their memory, and the error
  /// names those that are lost. What is to be done after a launch is done.
  void commit(std::span<const Tensor> results);

  /// After commit of a step that keeps its plan: how to launch it again with
  /// other `inputs`, the leaves that it was made of. Nothing where it can not
  /// be repeated.
  std::optional<StepPlan> plan(std::span<const Tensor> inputs) const;

  /// After commit of a step that keeps its plan: an operation whose value user
  /// code has kept besides the results; null if there is none.
  NodePtr escaped() const;

 private:
  // What the last commit did, for a plan.
  struct Done {
    LaunchRecord launch;
    StepNotes notes;
    std::vector<VariableValue> assigned;
    std::vector<Ref> results;
  };

  void roll_back();

  TraceScope recording_{"record"};
  std::optional<Done> done_;
  Context context_;
  ContextGuard guard_;
};

}  // namespace systolic::internal::graph
