// Metric: a number that gathers over batches.
//
//   metrics::Mean loss("loss");
//   loss.update_state(value);
//   float so_far = loss.result().item<float>();
//
// A handle: copies share the state, which lives on the devices; inside a step
// each replica keeps its own part, and reading outside adds them up.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/variable.h"

namespace systolic::metrics {

/// What all metrics have.
struct MetricOptions {
  /// Empty: the class's name in snake case.
  std::string name = {};
  /// Of the computation and the state.
  DType dtype = DType::float32;

  template <class V>
  void visit(V&& v) const {
    v("name", name);
    v("dtype", dtype);
  }
};

/// A text: what a metric may be made from, as in Mean("loss"). A template, so
/// that a braced list always means the options.
template <class T>
concept MetricName = std::convertible_to<const T&, std::string_view>;

class MetricBase {
 public:
  explicit MetricBase(MetricOptions options = {})
      : options_(std::move(options)) {}
  virtual ~MetricBase();

  /// Keras's name of the class.
  virtual std::string_view class_name() const = 0;

  /// Takes a batch in. A metric of values gets (values, sample_weight,
  /// undefined); `sample_weight` may be undefined.
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred,
                            const Tensor& sample_weight) = 0;

  /// The value over what was taken in since the last reset.
  virtual Tensor result() const = 0;

  /// Forgets what was taken in: sets all state to zero.
  virtual void reset_state();

  /// Whether it takes values in place of y_true and y_pred.
  virtual bool takes_values() const { return false; }

  const std::string& name() const { return options_.name; }
  void set_name(std::string name) { options_.name = std::move(name); }
  DType dtype() const { return options_.dtype; }

  /// The state, in the order in which it was made.
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  /// State of the metric's dtype that starts as zeros and whose replicas'
  /// parts add up; its path is `<metric>/<name>`.
  Variable add_variable(const Shape& shape, const std::string& name);

  /// `Mean "loss"`, for messages.
  std::string who() const;

 private:
  MetricOptions options_;
  std::vector<Variable> variables_;
};

class Metric {
 public:
  /// No metric; only assignment and is_defined() are allowed.
  Metric() = default;

  /// A handle on an object of one's own.
  explicit Metric(std::shared_ptr<MetricBase> base);

  bool is_defined() const { return base_ != nullptr; }

  /// Takes in a batch of values; only for metrics of values (Mean, Sum).
  void update_state(const Arg& values) const;

  /// Takes in a batch of labels and predictions; for metrics of values, of
  /// values and their weights. An undefined Tensor means no weights.
  /// Throws: ShapeError where the shapes do not go together; TypeError where
  /// the metric takes something else.
  void update_state(const Arg& y_true, const Arg& y_pred) const;

  /// The same with a weight for each example.
  void update_state(const Arg& y_true, const Arg& y_pred,
                    const Arg& sample_weight) const;

  /// A whole number is no weight: most often it is the batch size.
  template <std::integral Count>
  void update_state(const Arg& y_true, const Arg& y_pred,
                    Count not_a_weight) const = delete;

  /// The value over what was taken in since the last reset. Inside a step:
  /// of this replica's part.
  Tensor result() const { return base().result(); }

  /// Forgets what was taken in.
  void reset_state() const { base().reset_state(); }

  const std::string& name() const { return base().name(); }
  DType dtype() const { return base().dtype(); }
  const std::vector<Variable>& variables() const { return base().variables(); }

  /// The object behind the handle. Throws ValueError for no metric.
  MetricBase& base() const;

 private:
  std::shared_ptr<MetricBase> base_;
};

}  // namespace systolic::metrics
