// Tested by: systolic/models/callbacks/early_stopping_platform_test.cc
#include "systolic/models/callbacks/monitor.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/models/model_base.h"

namespace systolic::callbacks {

using internal::Message;

MonitorCallback::MonitorCallback(std::string_view who, std::string monitor,
                                 std::string mode, double min_delta)
    : who_(who),
      monitor_(std::move(monitor)),
      mode_(std::move(mode)),
      min_delta_(std::abs(min_delta)) {
  if (mode_ == "auto" || mode_ == "min" || mode_ == "max") return;
  Message(who_)
      .expected("mode \"auto\", \"min\" or \"max\"")
      .got("\"", mode_, "\"")
      .raise<ValueError>();
}

std::optional<double> MonitorCallback::monitored(
    const Logs& logs, std::string_view condition) const {
  if (logs.contains(monitor_)) return logs.at(monitor_);
  std::string names;
  for (const auto& [name, value] : logs) {
    names += (names.empty() ? "" : ",") + name;
  }
  log(LogLevel::warning, std::string(condition) + " `" + monitor_ +
                             "` which is not available. Available metrics "
                             "are: " +
                             names);
  return std::nullopt;
}

MonitorCallback::Better MonitorCallback::direction() const {
  if (mode_ == "min") return Better::less;
  if (mode_ == "max") return Better::greater;
  std::string name = monitor_;
  if (name.starts_with("val_")) name = name.substr(4);
  if (name == "loss" || name == "loss_sum") return Better::less;
  for (const auto& [known, metric] : model().base().named_metrics()) {
    if (known != name) continue;
    // As Keras has them: these are better when they are less.
    const std::string kind(metric.base().class_name());
    for (const std::string_view part :
         {"Error", "crossentropy", "Crossentropy", "Hinge", "KLDivergence",
          "Poisson", "LogCosh"}) {
      if (kind.find(part) != std::string::npos) return Better::less;
    }
    if (kind != "Mean" && kind != "MeanMetricWrapper") return Better::greater;
  }
  Message(who_)
      .rule("whether \"", monitor_,
            "\" is better when it is less or greater is not known")
      .hint("give .mode = \"max\" or .mode = \"min\"")
      .raise<ValueError>();
}

bool MonitorCallback::is_improvement(double value, std::optional<double> best) {
  if (better_ == Better::unknown) better_ = direction();
  if (!best) return true;
  return better_ == Better::less ? value + min_delta_ < *best
                                 : value - min_delta_ > *best;
}

}  // namespace systolic::callbacks
