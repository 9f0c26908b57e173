// Activation: the function that a layer applies to its result.
//
//   layers::Dense(64, {.activation = "relu"});
//   layers::Dense(64, {.activation = [](const Tensor& x) { return x * x; }});
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "systolic/base/null.h"
#include "systolic/graph/tensor.h"

namespace systolic::activations {

class Activation;

// A function from Tensor to Tensor, and no Activation itself.
template <class F>
concept ActivationFunction =
    std::is_invocable_r_v<Tensor, const F&, const Tensor&> &&
    !std::is_same_v<F, Activation>;

// A named or a user's own activation; default-made it is "linear".
class Activation {
 public:
  Activation() = default;

  // By Keras's name, such as "relu".
  // Throws: ValueError that lists the names.
  Activation(const char* name,
             SourceLocation where = SourceLocation::current());
  Activation(const std::string& name,
             SourceLocation where = SourceLocation::current());

  // A function of one Tensor.
  // Throws: ValueError for a null pointer or an empty std::function.
  template <ActivationFunction F>
  Activation(F function) : name_(), function_(std::move(function)) {
    internal::require_function(function_, "activation");
  }

  // Keras's name; empty for a user's own function.
  std::string_view name() const { return name_; }

  // Whether it changes nothing.
  bool is_linear() const { return name_ == "linear"; }

  // The function's value; same shape.
  Tensor operator()(const Tensor& x) const;

 private:
  std::string_view name_ = "linear";  // of the catalogue
  std::function<Tensor(const Tensor&)> function_;
};

// The activation with that name (keras.activations.get).
// Throws: ValueError that lists the names.
inline Activation get(const Activation& identifier) { return identifier; }

}  // namespace systolic::activations
