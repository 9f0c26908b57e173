// Constraint: what a weight is kept to after each update of an optimizer.
//
//   layers::Dense(64, {.kernel_constraint = constraints::MaxNorm(3)});
//   layers::Dense(64, {.kernel_constraint = "non_neg"});
//
// A cheap handle: copies share the object.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "systolic/array/axes.h"
#include "systolic/graph/arg.h"

namespace systolic::constraints {

// What a constraint is, behind its handles. Derive from it to write one.
class ConstraintBase {
 public:
  virtual ~ConstraintBase() = default;

  // Keras's name of the class, such as "MaxNorm".
  virtual std::string_view class_name() const = 0;

  // The weight as it may be. Shapes: any -> same.
  virtual Tensor call(const Tensor& w) const = 0;
};

class Constraint;

// A function from Tensor to Tensor, and no Constraint itself.
template <class F>
concept ConstraintFunction =
    std::is_invocable_r_v<Tensor, const F&, const Tensor&> &&
    !std::derived_from<F, Constraint>;

// A handle on a constraint; default-made it is unset: anything goes.
class Constraint {
 public:
  // Unset: no constraint.
  Constraint() = default;

  // By Keras's name: "MaxNorm" or "max_norm", and so on.
  // Throws: ValueError that lists the names.
  Constraint(const char* name,
             SourceLocation where = SourceLocation::current());
  Constraint(const std::string& name,
             SourceLocation where = SourceLocation::current());

  // A function w -> w as it may be.
  template <ConstraintFunction F>
  Constraint(F function) : Constraint(from_function(std::move(function))) {}

  // A handle on an object of a class of one's own.
  explicit Constraint(std::shared_ptr<const ConstraintBase> base)
      : base_(std::move(base)) {}

  // Whether there is a constraint.
  bool is_set() const { return base_ != nullptr; }

  // Keras's name of the class; empty when unset.
  std::string_view class_name() const;

  // The weight as it may be. Throws ValueError when unset.
  Tensor operator()(const Arg& w) const;

 private:
  static Constraint from_function(
      std::function<Tensor(const Tensor&)> function);

  std::shared_ptr<const ConstraintBase> base_;
};

// What MaxNorm can be told. The norms are over `axis`: 0 for the weights of
// each unit of a dense layer, {0, 1, 2} for a filter of Conv2D.
struct MaxNormOptions {
  // The axes of a norm.
  Axes axis = 0;

  // Calls v(name, value) for each option of Keras's config but max_value.
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
  }
};

// Vectors longer than max_value get that length.
class MaxNorm : public Constraint {
 public:
  // Throws: ValueError unless max_value >= 0.
  explicit MaxNorm(double max_value = 2, const MaxNormOptions& options = {});
};

// Negative elements become 0.
class NonNeg : public Constraint {
 public:
  NonNeg();
};

// What UnitNorm can be told.
using UnitNormOptions = MaxNormOptions;

// Vectors get length 1.
class UnitNorm : public Constraint {
 public:
  explicit UnitNorm(const UnitNormOptions& options = {});
};

// What MinMaxNorm can be told.
struct MinMaxNormOptions {
  // Least and largest length.
  double min_value = 0.0;
  double max_value = 1.0;
  // The share of the way that each update goes; 1: all of it.
  double rate = 1.0;
  // The axes of a norm.
  Axes axis = 0;

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("min_value", min_value);
    v("max_value", max_value);
    v("rate", rate);
    v("axis", axis);
  }
};

// Vectors get a length between two limits.
class MinMaxNorm : public Constraint {
 public:
  // Throws: ValueError unless 0 <= min_value <= max_value and rate is in 0
  // ... 1.
  explicit MinMaxNorm(const MinMaxNormOptions& options = {});
};

static_assert(sizeof(MaxNorm) == sizeof(Constraint) &&
              sizeof(NonNeg) == sizeof(Constraint) &&
              sizeof(UnitNorm) == sizeof(Constraint) &&
              sizeof(MinMaxNorm) == sizeof(Constraint));

// The constraint with that name (keras.constraints.get).
// Throws: ValueError that lists the names.
inline Constraint get(const Constraint& identifier) { return identifier; }

}  // namespace systolic::constraints
