// Tested by: systolic/models/logged_value_platform_test.cc
#include "systolic/models/logged_value.h"

#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::internal::models {

namespace {

using systolic::models::LogReduction;

class LoggedValue final : public metrics::MetricBase {
 public:
  LoggedValue(const std::string& name, LogReduction reduction)
      : MetricBase({.name = name}),
        reduction_(reduction),
        value_(add_variable(Shape::scalar(), "value")) {}

  std::string_view class_name() const override { return "LoggedValue"; }
  bool takes_values() const override { return true; }

  // The replicas' parts of the variable are added where it is read.
  void update_state(const Tensor& values, const Tensor&,
                    const Tensor&) override {
    Tensor part = cast(values, dtype());
    if (reduction_ == LogReduction::mean) part = part / num_replicas_in_sync();
    if (reduction_ == LogReduction::first && num_replicas_in_sync() > 1) {
      part = where(equal(replica_id_in_sync_group(), 0), part, 0);
    }
    value_.assign(part);
  }

  Tensor result() const override { return value_.value(); }

 private:
  LogReduction reduction_;
  Variable value_;
};

}  // namespace

metrics::Metric make_logged_value(const std::string& name,
                                  LogReduction reduction) {
  return metrics::Metric(std::make_shared<LoggedValue>(name, reduction));
}

}  // namespace systolic::internal::models
