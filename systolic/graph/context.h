// Context: what recording on this thread means right now: outside any step,
// inside one (on which devices), or inside the body of a loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/graph/node.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/variable.h"

namespace systolic::internal::graph {

struct Context;

/// What a Variable is, behind its handles.
struct VariableState {
  TensorSpec spec;
  std::string name;
  std::string path;
  bool trainable = true;
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  VariableAggregation aggregation = VariableAggregation::none;
  /// What an optimizer does to the value after it has changed it; unset:
  /// nothing.
  std::function<Tensor(const Tensor&)> constraint;
  const Placement* placement = nullptr;
  Tensor current;
  /// The step that has saved the value from before it, if one is recording.
  const Context* saved_by = nullptr;
  /// Its memory went when its devices were initialised again.
  bool is_lost = false;
  /// An optimizer's, beside the weights.
  bool is_of_optimizer = false;
};

using VariablePtr = std::shared_ptr<VariableState>;

/// A Variable as a loop body sees it.
struct RegionVariable {
  VariablePtr state;
  NodePtr parameter;
  Tensor current;
  bool assigned = false;
  /// The values other than the parameter that were read.
  std::vector<Ref> reads;
};

/// A value of a variable that a step uses: whose it is, and where it stands.
struct VariableValue {
  VariablePtr state;
  const Node* node = nullptr;
  int output = 0;
};

/// What is noted of a step while it is recorded, so that it can be repeated.
/// Nobody is held: a second holder would keep a value's memory.
struct StepNotes {
  /// The values that it read of variables.
  std::vector<VariableValue> reads;
  /// Its operations, those of loop bodies apart.
  std::vector<std::weak_ptr<Node>> operations;
};

/// What is done on the host after each launch of a step: shared, so that plans
/// of the step can tell whether they do the same.
using AfterLaunch = std::shared_ptr<const std::function<void()>>;

struct Context {
  Context* outer = nullptr;
  /// Where ops go; null: the thread's default.
  const Placement* placement = nullptr;
  /// Code runs when it is recorded, and may run again on the device.
  bool in_step = false;
  /// What the step is called in messages: "strategy.run", "train_step".
  std::string_view step_name;
  /// The loop body being recorded; 0 outside.
  uint64_t region = 0;
  /// Real rows of this replica's share of the batch; unset: all.
  Tensor valid_rows;
  /// Rows of that share, filling included; -1: not known.
  int64_t batch_rows = -1;
  /// Replicas may assign different values to a variable: user code runs.
  bool replicas_differ = false;
  /// Values that variables had before this step first assigned them.
  std::vector<std::pair<VariablePtr, Tensor>> saved;
  std::vector<RegionVariable> variables;
  /// Where a step's plan comes from; null where none is wanted.
  StepNotes* notes = nullptr;
  /// In this order, once its values are being computed.
  std::vector<AfterLaunch> after_launch;
  /// State that the function being recorded keeps for itself; null elsewhere.
  std::vector<Variable>* function_state = nullptr;
};

/// The innermost context of this thread.
Context& context();

/// The innermost step or loop body around this thread's code, even where that
/// is outside it for a while (OutsideSteps); null if there is none.
const Context* step_around();

/// The step around this thread's code and the loop bodies it is in; null if
/// there is none, or where code is outside it for a while (OutsideSteps).
Context* enclosing_step();

/// Makes `context` the innermost one until the guard goes.
class ContextGuard {
 public:
  explicit ContextGuard(Context& context);
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  Context* context_;
};

/// Leaves all steps and loop bodies until the guard goes: what is recorded
/// then happens once, before them.
class OutsideSteps {
 public:
  OutsideSteps();

 private:
  Context root_;
  ContextGuard guard_;
};

/// A fresh number for a loop body.
uint64_t next_region();

/// A new variable's state, that forget_variables finds.
VariablePtr make_variable_state();

/// The state of all variables that there are now.
std::vector<VariablePtr> live_variables();

/// Takes the memory of all variables on the devices of a client: using one of
/// them is an error from then on.
void forget_variables(const runtime::Client& client);

/// Throws ValueError where forget_variables has been there.
void require_alive(const VariableState& state,
                   const SourceLocation& where = {});

/// Has eager operations run where a variable is until the guard goes; inside
/// steps, and for a variable of replicas, it does nothing.
class AtHome {
 public:
  explicit AtHome(const VariableState& state);

 private:
  std::optional<PlacementGuard> guard_;
};

/// A value for a variable on the variable's device: the value itself, or a
/// pending copy of one that is on another.
Tensor brought_home(const VariableState& state, const Tensor& value);

/// The value of a variable in this context. Throws as require_alive.
Tensor read_variable(const VariablePtr& state,
                     const SourceLocation& where = {});

/// Gives a variable a new value in this context. Throws as require_alive.
void write_variable(const VariablePtr& state, Tensor value,
                    const SourceLocation& where = {});

/// Before a step uses it: an on-read variable's first value is one for all,
/// but the replicas' parts must make up that value.
void prepare_for_step(VariableState& state);

/// Before the step being recorded uses it: one that was made outside of the
/// strategy's scope, for one device, belongs to the strategy from now on where
/// it has parts or is assigned. Throws ValueError for another strategy's.
void join_strategy(VariableState& state, bool is_assigned);

/// Where new variables of this thread are made: set by a strategy's scope.
const Placement* variable_placement();

/// Sets variable_placement until the guard goes.
class VariablePlacementGuard {
 public:
  explicit VariablePlacementGuard(const Placement* placement);
  ~VariablePlacementGuard();
  VariablePlacementGuard(const VariablePlacementGuard&) = delete;
  VariablePlacementGuard& operator=(const VariablePlacementGuard&) = delete;

 private:
  const Placement* previous_;
};

}  // namespace systolic::internal::graph
