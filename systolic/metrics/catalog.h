// Metrics by name.
//
//   metrics::Metric metric = metrics::get("mse");
//   metrics::resolve("accuracy", labels_spec, predictions_spec);
//
// Names are Keras's: class names, the same in snake case, short forms.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/array/spec.h"
#include "systolic/base/null.h"
#include "systolic/metrics/metric.h"
#include "systolic/metrics/reduction.h"

namespace systolic::metrics {

/// A metric given as a name, an object or a function of y_true and y_pred.
class Identifier {
 public:
  Identifier(const char* name) : name_(internal::name_text(name, "metric")) {}
  Identifier(std::string name) : name_(std::move(name)) {}
  Identifier(Metric metric) : metric_(std::move(metric)) {}
  template <class F>
  requires std::invocable<F, const Tensor&, const Tensor&> &&
      (!std::derived_from<F, Metric>)Identifier(F fn)
      : metric_(MeanMetricWrapper(std::move(fn))) {}

  /// Empty unless it is given as a name.
  const std::string& name() const { return name_; }
  /// Undefined unless it is given as an object or function.
  const Metric& metric() const { return metric_; }

 private:
  std::string name_;
  Metric metric_;
};

/// The metric; one made from a name is named as its class says.
/// Throws: ValueError that lists the names.
Metric get(const Identifier& identifier);

/// The metric for labels and predictions of these shapes (-1: unknown size),
/// as compile finds it: "accuracy" and "acc" become the accuracy that fits
/// them, and a metric made from a name carries that name.
/// Throws: ValueError that lists the names; TypeError for a metric of values.
Metric resolve(const Identifier& identifier, const TensorSpec& y_true,
               const TensorSpec& y_pred);

/// Throws: TypeError for a metric of values (Mean, Sum), which compile has
/// nothing to feed with.
void require_predictions(const Metric& metric);

/// What `get` knows: class names, snake case, short forms.
std::vector<std::string> names();

}  // namespace systolic::metrics
