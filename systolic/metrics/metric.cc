#include "systolic/metrics/metric.h"

#include "systolic/base/auto_name.h"
#include "systolic/base/message.h"
#include "systolic/graph/name_scope.h"
#include "systolic/ops/manipulation.h"

namespace systolic::metrics {

using internal::Message;
using internal::graph::NameScope;

MetricBase::~MetricBase() = default;

void MetricBase::reset_state() {
  for (Variable& variable : variables_) {
    if (variable.shape().rank() == 0) {
      variable.assign(0);
    } else {
      variable.assign(zeros(variable.shape(), variable.dtype()));
    }
  }
}

Variable MetricBase::add_variable(const Shape& shape, const std::string& name) {
  if (options_.name.empty()) {
    options_.name = internal::auto_name(class_name());
  }
  // Host zeros: state this small needs no program of its own to start.
  Variable variable(
      [&] { return constant(Array::zeros(shape, options_.dtype)); },
      {.trainable = false,
       .name = name,
       .synchronization = VariableSynchronization::on_read,
       .aggregation = VariableAggregation::sum});
  std::string scope = options_.name;
  for (char& c : scope) {
    if (c == '/') c = '>';  // as Keras: a slash would be another scope
  }
  variable.set_path(scope + "/" + name);
  variables_.push_back(variable);
  return variable;
}

std::string MetricBase::who() const {
  return std::string(class_name()) + " \"" + name() + "\"";
}

Metric::Metric(std::shared_ptr<MetricBase> base) : base_(std::move(base)) {
  if (base_ != nullptr && base_->name().empty()) {
    base_->set_name(internal::auto_name(base_->class_name()));
  }
}

MetricBase& Metric::base() const {
  if (base_ == nullptr) {
    Message("Metric")
        .expected("a metric")
        .got("an undefined one (Metric())")
        .raise<ValueError>();
  }
  return *base_;
}

void Metric::update_state(const Arg& values) const {
  MetricBase& metric = base();
  if (!metric.takes_values()) {
    Message(std::string(metric.class_name()) + " \"" + metric.name() + "\"")
        .expected("y_true and y_pred")
        .got("one argument")
        .hint("update_state(y_true, y_pred)")
        .at(values.where())
        .raise<TypeError>();
  }
  const NameScope scope("metrics", values.where());
  metric.update_state(values.tensor(), Tensor(), Tensor());
}

void Metric::update_state(const Arg& y_true, const Arg& y_pred) const {
  MetricBase& metric = base();
  const NameScope scope("metrics", y_true.where());
  metric.update_state(y_true.tensor(), y_pred.tensor(), Tensor());
}

void Metric::update_state(const Arg& y_true, const Arg& y_pred,
                          const Arg& sample_weight) const {
  MetricBase& metric = base();
  const Tensor weight = sample_weight.tensor();
  if (metric.takes_values() && weight.is_defined()) {
    Message(std::string(metric.class_name()) + " \"" + metric.name() + "\"")
        .expected("values, and their weights where there are any")
        .got("y_true, y_pred and sample_weight")
        .hint(
            "to average a function of y_true and y_pred, use "
            "MeanMetricWrapper")
        .at(y_true.where())
        .raise<TypeError>();
  }
  const NameScope scope("metrics", y_true.where());
  metric.update_state(y_true.tensor(), y_pred.tensor(), weight);
}

}  // namespace systolic::metrics
