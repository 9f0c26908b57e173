// Planning: programs are looked at in place of being run, so that a plan needs
// no memory for weights and no devices that compute.
//
//   Planning planning("v3-8", [](const Program& step) { ... });
//   train();   // variables hold no values; the training step is shown
//
// While it is there, new variables stand in for values that are never
// computed, and so does all that is made of them. The environment variable
// SYSTOLIC_PLAN starts one that lasts (planned_run.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/program.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::graph {

/// What whoever trains knows of a step, beyond its program.
struct PlanningFacts {
  /// "fit of resnet50".
  std::string what;
  /// Where the user asked for it.
  SourceLocation where;
  /// Rows of a batch, of all replicas together; 0: not known.
  int64_t batch_size = 0;
  /// Steps that a launch takes in a real run.
  int64_t steps_per_execution = 1;
  double learning_rate = 0;
};

class Planning {
 public:
  /// Is shown each program that reads and writes a trainable variable.
  using Look = std::function<void(const Program&)>;

  Planning(const platforms::TpuSlice& slice, Look look);
  /// Gives the variables back what they were, and lets those that were made
  /// meanwhile start as they would have.
  ~Planning();
  Planning(const Planning&) = delete;
  Planning& operator=(const Planning&) = delete;

  /// The one that is there; null: programs are run.
  static Planning* current();

  const platforms::TpuSlice& slice() const { return slice_; }
  PlanningFacts& facts() { return facts_; }
  const PlanningFacts& facts() const { return facts_; }

  /// Rows of a batch in place of those that the data have, for all replicas.
  void set_batch_size(int64_t rows) { batch_size_ = rows; }
  int64_t batch_rows(int64_t rows) const { return batch_size_.value_or(rows); }

  /// Has a variable stand in for its value, on `placement`.
  void take_value(const VariablePtr& state, const Placement* placement);

  /// Has all variables of one placement stand in on another one. Those that
  /// are made there meanwhile belong to the first one afterwards.
  void move(const Placement* from, const Placement* to);

  /// For a new variable: whether it stands in for `initial` and needs no
  /// value. In a whole run, scalars that are not trained do not: schedules
  /// read them.
  bool stands_in(const VariablePtr& state, const Tensor& initial);

  /// For a program about to be run: whether it is made of values that are
  /// never computed. Its outputs then stand in, too.
  bool take(const Program& program);

  /// The variable whose value a program's argument is; null: none's.
  VariablePtr owner(const Ref& argument) const;

  /// Before a value that is never computed is read: is shown the program that
  /// writes the weights of steps so far, if there is one.
  void look_at_pending();

 private:
  struct Kept {
    VariablePtr state;
    Tensor value;
    const Placement* placement;
  };
  void stand_in(const VariablePtr& state, const Placement* placement);

  platforms::TpuSlice slice_;
  Look look_;
  PlanningFacts facts_;
  NameScopes scopes_;
  std::optional<int64_t> batch_size_;
  const Placement* from_ = nullptr;
  const Placement* to_ = nullptr;
  std::vector<Kept> kept_;
  std::unordered_map<const Storage*, std::weak_ptr<VariableState>> owners_;
  Planning* outer_;
};

/// As long as it lives, there is no planning for this thread: it does for real
/// what another one began to do so, and which a plan must not get into.
class WithoutPlanning {
 public:
  WithoutPlanning();
  ~WithoutPlanning();
  WithoutPlanning(const WithoutPlanning&) = delete;
  WithoutPlanning& operator=(const WithoutPlanning&) = delete;
};

/// A leaf of a step for a batch that is not sent.
Tensor planned_input(const Placement& placement, const TensorSpec& spec);

/// Throws ValueError: a value that is never computed was read at `where`.
[[noreturn]] void refuse_read(const SourceLocation& where = {});

}  // namespace systolic::internal::graph
