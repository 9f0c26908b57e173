// Losses by name.
//
//   losses::Loss loss = losses::get("mse");
//   losses::get(losses::MeanSquaredError());   // an object is taken as it is
//
// Names are Keras's: class names, function names, and their short forms.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/array/spec.h"
#include "systolic/base/null.h"
#include "systolic/losses/loss.h"

namespace systolic::losses {

/// A loss given as a name, an object or a function of y_true and y_pred.
class Identifier {
 public:
  /// None.
  Identifier() = default;
  Identifier(const char* name) : name_(internal::name_text(name, "loss")) {}
  Identifier(std::string name) : name_(std::move(name)) {}
  Identifier(Loss loss) : loss_(std::move(loss)) {}
  template <class F>
  requires std::invocable<F, const Tensor&, const Tensor&> &&
      (!std::derived_from<F, Loss>)Identifier(F fn)
      : loss_(LossFunctionWrapper(std::move(fn))) {}

  bool is_set() const { return loss_.is_defined() || !name_.empty(); }
  /// Empty unless it is given as a name.
  const std::string& name() const { return name_; }
  /// Undefined unless it is given as an object or function.
  const Loss& loss() const { return loss_; }

 private:
  std::string name_;
  Loss loss_;
};

/// The loss; one made from a name carries that name, as in Keras.
/// Throws: ValueError that lists the names.
Loss get(const Identifier& identifier);

/// As get, where "crossentropy" and "ce" choose by the shapes of labels and
/// predictions (-1: unknown size), as compile does.
Loss resolve(const Identifier& identifier, const TensorSpec& y_true,
             const TensorSpec& y_pred);

/// What `get` knows: class names, function names, short forms.
std::vector<std::string_view> names();

}  // namespace systolic::losses

namespace systolic::internal {

/// What the shapes of labels and predictions say of the task, by Keras's rule
/// for "accuracy" and "crossentropy".
enum class ClassificationKind { binary, sparse_categorical, categorical };
ClassificationKind classification_kind(const TensorSpec& y_true,
                                       const TensorSpec& y_pred);

}  // namespace systolic::internal
