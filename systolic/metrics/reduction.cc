#include "systolic/metrics/reduction.h"

#include <tuple>

#include "systolic/base/auto_name.h"
#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/losses/weighting.h"
#include "systolic/metrics/mean_base.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic {
namespace internal {
namespace {

using Reduce = Tensor (*)(const Arg&, const ReduceOptions&);

Tensor reduce_from(Reduce reduce, const Tensor& x, int first) {
  if (x.rank() <= first) return x;
  std::vector<int> axes;
  for (int i = first; i < x.rank(); ++i) axes.push_back(i);
  return reduce(x, {.axis = axes});
}

struct Samples {
  Tensor values;
  Tensor weight;
};

// Without the rows that only pad the batch: they get the value and the weight
// zero, since they may hold anything.
Samples drop_padding(Tensor values, Tensor weight) {
  if (values.rank() == 0) return {values, weight};
  const Tensor real = real_rows(values.shape()[0]);
  if (!real.is_defined()) return {values, weight};
  values = where(rows_of_rank(real, values.rank()), values, 0);
  if (!weight.is_defined()) return {values, as_dtype(real, values.dtype())};
  if (weight.rank() == 0) return {values, where(real, weight, 0)};
  return {values, where(rows_of_rank(real, weight.rank()), weight, 0)};
}

// Keras's reduce_to_samplewise_values: one value and weight per example.
Samples samplewise(const std::string& who, const Tensor& all_values,
                   const Tensor& all_weights, Reduce reduce, DType dtype) {
  auto [values, weight] = drop_padding(
      as_dtype(all_values, dtype),
      all_weights.is_defined() ? as_dtype(all_weights, dtype) : Tensor());
  if (weight.is_defined()) {
    std::tie(values, weight) = match_ranks(values, weight);
    values = reduce_from(reduce, values, weight.rank());
    check_weight(who, values, weight);
    if (weight.shape() != values.shape()) {
      weight = broadcast_to(weight, values.shape());
    }
    values = values * weight;
    weight = reduce_from(reduce, weight, 1);
  }
  return {reduce_from(reduce, values, 1), weight};
}

class SumBase : public metrics::MetricBase {
 public:
  explicit SumBase(metrics::MetricOptions options)
      : MetricBase(std::move(options)),
        total_(add_variable(Shape::scalar(), "total")) {}

  std::string_view class_name() const override { return "Sum"; }
  void update_state(const Tensor& values, const Tensor& sample_weight,
                    const Tensor&) override {
    total_.assign_add(
        sum(samplewise(who(), values, sample_weight, sum, dtype()).values));
  }
  Tensor result() const override { return total_.value(); }
  bool takes_values() const override { return true; }

 private:
  Variable total_;
};

}  // namespace

metrics::MetricOptions with_default_name(metrics::MetricOptions options,
                                         std::string_view class_name) {
  if (options.name.empty()) options.name = to_snake_case(class_name);
  return options;
}

MeanBase::MeanBase(metrics::MetricOptions options)
    : MetricBase(std::move(options)),
      total_(add_variable(Shape::scalar(), "total")),
      count_(add_variable(Shape::scalar(), "count")) {}

void MeanBase::update_state(const Tensor& values, const Tensor& sample_weight,
                            const Tensor&) {
  update_mean(values, sample_weight);
}

void MeanBase::update_mean(const Tensor& values, const Tensor& sample_weight) {
  const auto [samples, weight] =
      samplewise(who(), values, sample_weight, mean, dtype());
  total_.assign_add(sum(samples));
  if (weight.is_defined()) {
    count_.assign_add(sum(weight));
  } else {
    count_.assign_add(
        static_cast<double>(samples.rank() > 0 ? samples.shape()[0] : 1));
  }
}

Tensor MeanBase::result() const {
  return divide_no_nan(total_.value(), count_.value());
}

FunctionMetric::FunctionMetric(Parts parts, metrics::MetricOptions options)
    : MeanBase(std::move(options)), parts_(std::move(parts)) {
  require_function(parts_.call, parts_.class_name);
}

void FunctionMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                                  const Tensor& sample_weight) {
  const Tensor values = parts_.call(y_true, y_pred);
  Tensor weight = sample_weight;
  const Tensor kept = mask_for(who(), values, y_pred);
  if (!weight.is_defined()) {
    // As Keras: what the metric itself leaves out is taken in all the same.
    weight = kept.is_defined() ? as_dtype(kept, dtype()) : weight;
  } else if (const Tensor counts = both_masks(
                 parts_.mask ? parts_.mask(y_true, y_pred) : Tensor(), kept);
             counts.is_defined()) {
    const auto [mask, given] =
        match_ranks(as_dtype(counts, dtype()), as_dtype(weight, dtype()));
    weight = given * mask;
  }
  update_mean(values, weight);
}

Tensor FunctionMetric::result() const {
  const Tensor mean = MeanBase::result();
  return parts_.root ? sqrt(mean) : mean;
}

metrics::Metric make_function_metric(FunctionMetric::Parts parts,
                                     metrics::MetricOptions options) {
  options = with_default_name(std::move(options), parts.class_name);
  return metrics::Metric(
      std::make_shared<FunctionMetric>(std::move(parts), std::move(options)));
}

}  // namespace internal

namespace metrics {

Sum::Sum(MetricOptions options)
    : Metric(std::make_shared<internal::SumBase>(
          internal::with_default_name(std::move(options), "Sum"))) {}

Mean::Mean(MetricOptions options)
    : Metric(std::make_shared<internal::MeanBase>(
          internal::with_default_name(std::move(options), "Mean"))) {}

MeanMetricWrapper::MeanMetricWrapper(MetricFunction fn, MetricOptions options)
    : Metric(internal::make_function_metric(
          {.class_name = "MeanMetricWrapper", .call = std::move(fn)},
          {.name = options.name.empty()
                       ? internal::auto_name("MeanMetricWrapper")
                       : options.name,
           .dtype = options.dtype})) {}

}  // namespace metrics
}  // namespace systolic
