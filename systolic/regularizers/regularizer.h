// Regularizer: a penalty on a weight's size, added to the loss.
//
//   layers::Dense(64, {.kernel_regularizer = regularizers::L2(1e-4)});
//   layers::Dense(64, {.kernel_regularizer = "l2"});
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

#include "systolic/graph/arg.h"

namespace systolic::regularizers {

// What a regularizer is, behind its handles. Derive from it to write one.
class RegularizerBase {
 public:
  virtual ~RegularizerBase() = default;

  // Keras's name of the class, such as "L2".
  virtual std::string_view class_name() const = 0;

  // The penalty. Shapes: any -> ().
  virtual Tensor call(const Tensor& x) const = 0;
};

class Regularizer;

// A function from Tensor to Tensor, and no Regularizer itself.
template <class F>
concept RegularizerFunction =
    std::is_invocable_r_v<Tensor, const F&, const Tensor&> &&
    !std::derived_from<F, Regularizer>;

// A handle on a regularizer; default-made it is unset: no penalty.
class Regularizer {
 public:
  // Unset: no penalty.
  Regularizer() = default;

  // By Keras's name: "L1", "L2", "L1L2", or these in small letters.
  // Throws: ValueError that lists the names.
  Regularizer(const char* name,
              SourceLocation where = SourceLocation::current());
  Regularizer(const std::string& name,
              SourceLocation where = SourceLocation::current());

  // A function x -> penalty.
  template <RegularizerFunction F>
  Regularizer(F function) : Regularizer(from_function(std::move(function))) {}

  // A handle on an object of a class of one's own.
  explicit Regularizer(std::shared_ptr<const RegularizerBase> base)
      : base_(std::move(base)) {}

  // Whether there is a regularizer.
  bool is_set() const { return base_ != nullptr; }

  // Keras's name of the class; empty when unset.
  std::string_view class_name() const;

  // The penalty of x, a scalar of its dtype. Throws ValueError when unset.
  Tensor operator()(const Arg& x) const;

 private:
  static Regularizer from_function(
      std::function<Tensor(const Tensor&)> function);

  std::shared_ptr<const RegularizerBase> base_;
};

// What L1L2 can be told.
struct L1L2Options {
  // Factor of sum(|x|).
  double l1 = 0.0;
  // Factor of sum(x * x).
  double l2 = 0.0;

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("l1", l1);
    v("l2", l2);
  }
};

// l1 * sum(|x|).
class L1 : public Regularizer {
 public:
  // Throws: ValueError unless l1 is a finite number.
  explicit L1(double l1 = 0.01);
};

// l2 * sum(x * x).
class L2 : public Regularizer {
 public:
  // Throws: ValueError unless l2 is a finite number.
  explicit L2(double l2 = 0.01);
};

// l1 * sum(|x|) + l2 * sum(x * x).
class L1L2 : public Regularizer {
 public:
  // Throws: ValueError unless l1 and l2 are finite numbers.
  explicit L1L2(const L1L2Options& options = {});
};

static_assert(sizeof(L1) == sizeof(Regularizer) &&
              sizeof(L2) == sizeof(Regularizer) &&
              sizeof(L1L2) == sizeof(Regularizer));

// The regularizer with that name (keras.regularizers.get).
// Throws: ValueError that lists the names.
inline Regularizer get(const Regularizer& identifier) { return identifier; }

}  // namespace systolic::regularizers
