// LoggedValue: a number of a step of one's own, which is logged as it is: that
// of the last step, made one of all replicas' numbers.
#pragma once

#include "systolic/metrics/metric.h"
#include "systolic/models/options.h"

namespace systolic::internal::models {

/// The metric; update_state takes the number (a scalar), in a step.
metrics::Metric make_logged_value(const std::string& name,
                                  systolic::models::LogReduction reduction);

}  // namespace systolic::internal::models
