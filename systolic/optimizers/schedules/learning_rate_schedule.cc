// Tested by: systolic/optimizers/schedules_platform_test.cc
#include "systolic/optimizers/schedules/learning_rate_schedule.h"

#include <cmath>
#include <numbers>

#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::optimizers::schedules {

namespace {

using Function = std::function<Tensor(const Tensor&)>;

class FromFunction final : public LearningRateScheduleBase {
 public:
  FromFunction(std::string_view class_name, Function function)
      : class_name_(class_name), function_(std::move(function)) {}
  std::string_view class_name() const override { return class_name_; }
  Tensor call(const Tensor& step) const override { return function_(step); }

 private:
  std::string_view class_name_;
  Function function_;
};

// A schedule whose function takes the step as float32.
std::shared_ptr<const LearningRateScheduleBase> make(
    std::string_view class_name, Function of_step) {
  return std::make_shared<FromFunction>(
      class_name, [of_step = std::move(of_step)](const Tensor& step) {
        return of_step(cast(step, DType::float32));
      });
}

void check_steps(std::string_view who, std::string_view name, double steps) {
  if (steps > 0 && std::isfinite(steps)) return;
  internal::Message(std::string(who))
      .expected(name, " > 0")
      .got(steps)
      .raise<ValueError>();
}

// The part of a decay that is over.
Tensor progress(const Tensor& step, double steps, bool staircase) {
  const Tensor part = step / steps;
  return staircase ? floor(part) : part;
}

std::shared_ptr<const LearningRateScheduleBase> make_piecewise(
    std::vector<int64_t> boundaries, std::vector<double> values) {
  constexpr std::string_view kName = "PiecewiseConstantDecay";
  if (boundaries.size() + 1 != values.size()) {
    internal::Message(std::string(kName))
        .expected("one value more than boundaries")
        .got(values.size(), " values and ", boundaries.size(), " boundaries")
        .raise<ValueError>();
  }
  for (size_t i = 1; i < boundaries.size(); ++i) {
    if (boundaries[i - 1] < boundaries[i]) continue;
    internal::Message(std::string(kName))
        .expected("boundaries that rise")
        .got(boundaries[i], " after ", boundaries[i - 1])
        .raise<ValueError>();
  }
  return std::make_shared<FromFunction>(kName, [=](const Tensor& step) {
    Tensor rate = full(Shape::scalar(), static_cast<float>(values.back()));
    for (size_t i = boundaries.size(); i-- > 0;) {
      rate = where(less_equal(step, boundaries[i]), values[i], rate);
    }
    return rate;
  });
}

Tensor polynomial(Tensor step, double initial, double decay_steps,
                  const PolynomialDecayOptions& o) {
  Tensor part;
  if (o.cycle) {
    const Tensor periods = where(equal(step, 0), 1.f, ceil(step / decay_steps));
    part = step / (periods * decay_steps);
  } else {
    part = minimum(step, decay_steps) / decay_steps;
  }
  return (initial - o.end_learning_rate) * power(1 - part, o.power) +
         o.end_learning_rate;
}

// From `rate` to alpha times that while `part` goes from 0 to 1.
Tensor cosine(const Tensor& part, double rate, double alpha) {
  const Tensor decayed = 0.5 * (1 + cos(part * std::numbers::pi));
  return rate * ((1 - alpha) * decayed + alpha);
}

Tensor cosine_with_warmup(const Tensor& step, double initial,
                          double decay_steps, const CosineDecayOptions& o) {
  if (!o.warmup_target) {
    return cosine(minimum(step, decay_steps) / decay_steps, initial, o.alpha);
  }
  const double target = *o.warmup_target;
  const Tensor after =
      clip(step - o.warmup_steps, 0, decay_steps) / decay_steps;
  const Tensor decayed = cosine(after, target, o.alpha);
  if (o.warmup_steps <= 0) return decayed;
  const Tensor rising = (target - initial) * (step / o.warmup_steps) + initial;
  return where(less(step, o.warmup_steps), rising, decayed);
}

Tensor cosine_restarts(const Tensor& step, double initial, double first_steps,
                       const CosineDecayRestartsOptions& o) {
  Tensor part = step / first_steps;
  Tensor restarts;
  if (o.t_mul == 1) {
    restarts = floor(part);
    part = part - restarts;
  } else {
    restarts = floor(log(1 - part * (1 - o.t_mul)) / std::log(o.t_mul));
    const Tensor length = power(o.t_mul, restarts);
    part = (part - (1 - length) / (1 - o.t_mul)) / length;
  }
  const Tensor decayed =
      0.5 * power(o.m_mul, restarts) * (1 + cos(part * std::numbers::pi));
  return initial * ((1 - o.alpha) * decayed + o.alpha);
}

}  // namespace

LearningRateSchedule LearningRateSchedule::from_function(Function function) {
  internal::require_function(function, "learning-rate schedule");
  return LearningRateSchedule(
      std::make_shared<FromFunction>("function", std::move(function)));
}

std::string_view LearningRateSchedule::class_name() const {
  return is_set() ? base_->class_name() : std::string_view();
}

Tensor LearningRateSchedule::operator()(const Arg& step) const {
  if (!is_set()) {
    internal::Message("LearningRateSchedule")
        .expected("a schedule")
        .got("an unset one (LearningRateSchedule())")
        .at(step.where())
        .raise<ValueError>();
  }
  return base_->call(step.tensor());
}

ExponentialDecay::ExponentialDecay(double initial_learning_rate,
                                   double decay_steps, double decay_rate,
                                   DecayOptions options)
    : LearningRateSchedule(make("ExponentialDecay", [=](const Tensor& step) {
        const Tensor part = progress(step, decay_steps, options.staircase);
        return initial_learning_rate * power(decay_rate, part);
      })) {
  check_steps("ExponentialDecay", "decay_steps", decay_steps);
}

InverseTimeDecay::InverseTimeDecay(double initial_learning_rate,
                                   double decay_steps, double decay_rate,
                                   DecayOptions options)
    : LearningRateSchedule(make("InverseTimeDecay", [=](const Tensor& step) {
        const Tensor part = progress(step, decay_steps, options.staircase);
        return initial_learning_rate / (1 + decay_rate * part);
      })) {
  check_steps("InverseTimeDecay", "decay_steps", decay_steps);
}

PiecewiseConstantDecay::PiecewiseConstantDecay(std::vector<int64_t> boundaries,
                                               std::vector<double> values)
    : LearningRateSchedule(
          make_piecewise(std::move(boundaries), std::move(values))) {}

PolynomialDecay::PolynomialDecay(double initial_learning_rate,
                                 double decay_steps,
                                 PolynomialDecayOptions options)
    : LearningRateSchedule(make("PolynomialDecay", [=](const Tensor& step) {
        return polynomial(step, initial_learning_rate, decay_steps, options);
      })) {
  check_steps("PolynomialDecay", "decay_steps", decay_steps);
}

CosineDecay::CosineDecay(double initial_learning_rate, double decay_steps,
                         CosineDecayOptions options)
    : LearningRateSchedule(make("CosineDecay", [=](const Tensor& step) {
        return cosine_with_warmup(step, initial_learning_rate, decay_steps,
                                  options);
      })) {
  check_steps("CosineDecay", "decay_steps", decay_steps);
}

CosineDecayRestarts::CosineDecayRestarts(double initial_learning_rate,
                                         double first_decay_steps,
                                         CosineDecayRestartsOptions options)
    : LearningRateSchedule(make("CosineDecayRestarts", [=](const Tensor& step) {
        return cosine_restarts(step, initial_learning_rate, first_decay_steps,
                               options);
      })) {
  check_steps("CosineDecayRestarts", "first_decay_steps", first_decay_steps);
}

}  // namespace systolic::optimizers::schedules
