// Loss: how far predictions are from the truth.
//
//   losses::Loss loss = losses::MeanSquaredError();
//   Tensor value = loss(y_true, y_pred);
//
// A handle: copies share the object. Your own: derive from LossBase, or give
// a function to LossFunctionWrapper.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/graph/arg.h"
#include "systolic/losses/reduction.h"

namespace systolic::losses {

/// What all losses have.
struct LossOptions {
  Reduction reduction = Reduction::sum_over_batch_size;
  /// Empty: the class's name in snake case.
  std::string name = {};
  /// Of the computation.
  DType dtype = DType::float32;

  template <class V>
  void visit(V&& v) const {
    v("reduction", reduction);
    v("name", name);
    v("dtype", dtype);
  }
};

/// Values for each example, from y_true and y_pred.
using LossFunction =
    std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

class LossBase {
 public:
  explicit LossBase(LossOptions options = {}) : options_(std::move(options)) {}
  virtual ~LossBase();

  /// Keras's name of the class.
  virtual std::string_view class_name() const = 0;

  /// The values before the reduction, mostly one per example.
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) = 0;

  /// Which of these values count (bool, same shape); undefined: all.
  virtual Tensor mask(const Tensor& y_true, const Tensor& y_pred) const;

  /// Whether y_true is converted to the loss's dtype; class numbers are not.
  virtual bool casts_labels() const { return true; }

  /// The class number that marks what does not count, if there is one.
  virtual std::optional<int64_t> ignored_class() const { return {}; }

  const std::string& name() const { return options_.name; }
  void set_name(std::string name) { options_.name = std::move(name); }
  Reduction reduction() const { return options_.reduction; }
  DType dtype() const { return options_.dtype; }

 private:
  LossOptions options_;
};

class Loss {
 public:
  /// No loss; only assignment and is_defined() are allowed.
  Loss() = default;

  /// A handle on an object of one's own. An object without a name gets one.
  explicit Loss(std::shared_ptr<LossBase> base);

  bool is_defined() const { return base_ != nullptr; }

  /// The loss of a batch by the reduction: a scalar unless that is none. In a
  /// replicated step the replicas' results of a mean add up to the mean over
  /// all of them.
  /// Throws: ShapeError where the shapes do not go together.
  Tensor operator()(const Arg& y_true, const Arg& y_pred) const;

  /// The same with the values multiplied by weights, of a shape that
  /// broadcasts to theirs. An undefined Tensor means no weights.
  Tensor operator()(const Arg& y_true, const Arg& y_pred,
                    const Arg& sample_weight) const;

  /// A whole number is no weight: most often it is the global batch size,
  /// which would multiply the loss without a word.
  template <std::integral Count>
  Tensor operator()(const Arg& y_true, const Arg& y_pred,
                    Count not_a_weight) const = delete;

  const std::string& name() const { return base().name(); }
  Reduction reduction() const { return base().reduction(); }
  DType dtype() const { return base().dtype(); }

  /// The object behind the handle. Throws ValueError for no loss.
  LossBase& base() const;

 private:
  std::shared_ptr<LossBase> base_;
};

/// A loss of a function's values.
class LossFunctionWrapper : public Loss {
 public:
  /// The function gives a value per example; see LossBase::call.
  /// Throws: ValueError for an empty one; TypeError for an integer dtype.
  explicit LossFunctionWrapper(LossFunction fn, LossOptions options = {});
};
static_assert(sizeof(LossFunctionWrapper) == sizeof(Loss));

}  // namespace systolic::losses
