// Variable: named state on devices, changed by assignment.
//
//   Variable step(constant(0), {.trainable = false, .name = "step"});
//   step.assign_add(1);
//
// A handle: copies share the state. Under a strategy's scope there is one
// buffer per replica.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// How a value read outside a step comes from the replicas' values.
enum class VariableAggregation : uint8_t {
  none,
  sum,
  mean,
  only_first_replica
};

/// When the replicas' values are brought together.
enum class VariableSynchronization : uint8_t {
  automatic,
  on_write,  // all replicas hold the same value
  on_read    // each replica holds its own part, combined when read
};

struct VariableOptions {
  bool trainable = true;
  std::string name = {};
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  VariableAggregation aggregation = VariableAggregation::none;
};

namespace internal::graph {
struct VariableState;
}

class Variable {
 public:
  /// No state; only assignment and is_defined() are allowed.
  Variable() = default;

  /// State that starts as `initial`.
  explicit Variable(Arg initial, VariableOptions options = {});

  /// State that starts as what `initializer` gives. The function records its
  /// ops outside any step or loop body, so the state outlives both.
  explicit Variable(const std::function<Tensor()>& initializer,
                    VariableOptions options = {});

  bool is_defined() const { return state_ != nullptr; }
  const TensorSpec& spec() const;
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  const std::string& name() const;

  /// The name with the names of its owners: `dense/kernel`.
  const std::string& path() const;
  void set_path(std::string path);

  bool trainable() const;
  void set_trainable(bool trainable);
  VariableSynchronization synchronization() const;
  VariableAggregation aggregation() const;

  /// Full name of the device that holds it; the first of several replicas'.
  std::string device() const;

  /// The current value. Recorded by live tapes if trainable. This and all that
  /// uses the state throw ValueError once its TPU system was initialised anew.
  Tensor value(SourceLocation where = SourceLocation::current()) const;
  operator Tensor() const { return value(SourceLocation()); }

  /// Takes a new value of the same shape; the dtype is converted, and a value
  /// of another device is copied to the Variable's.
  void assign(Arg value);
  void assign_add(Arg delta);
  void assign_sub(Arg delta);

  /// The current value on the host. Throws as Tensor::numpy.
  Array numpy(SourceLocation where = SourceLocation::current()) const;

  template <class T>
  T item(SourceLocation where = SourceLocation::current()) const {
    return numpy(where).item<T>();
  }

  /// Each replica's value on the host. Throws as Tensor::numpy.
  std::vector<Array> replica_values(
      SourceLocation where = SourceLocation::current()) const;

  bool operator==(const Variable&) const = default;

  /// For the graph.
  const std::shared_ptr<internal::graph::VariableState>& state() const {
    return state_;
  }
  explicit Variable(std::shared_ptr<internal::graph::VariableState> state)
      : state_(std::move(state)) {}

 private:
  std::shared_ptr<internal::graph::VariableState> state_;
};

/// What operator<< takes: a Variable and the line that prints it.
struct PrintedVariable {
  PrintedVariable(const Variable& v,
                  SourceLocation location = SourceLocation::current())
      : variable(v), where(location) {}
  const Variable& variable;
  SourceLocation where;
};

/// Prints `<Variable path=w, shape=(2,), dtype=float32, value=[1. 2.]>`.
/// Throws as Variable::numpy.
std::ostream& operator<<(std::ostream& out, const PrintedVariable& printed);

}  // namespace systolic
