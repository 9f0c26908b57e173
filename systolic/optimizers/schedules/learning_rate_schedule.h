// Learning-rate schedules: the learning rate as a function of the step.
//
//   optimizers::schedules::CosineDecay rate(0.0, 10'000,
//       {.warmup_target = 1e-3, .warmup_steps = 500});
//   optimizers::Adam({.learning_rate = rate});
//
// They are computed in the program, from the optimizer's iterations.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"

namespace systolic::optimizers::schedules {

/// What a schedule is, behind its handles. Derive from it to write one.
class LearningRateScheduleBase {
 public:
  virtual ~LearningRateScheduleBase() = default;

  /// Keras's name of the class, such as "CosineDecay".
  virtual std::string_view class_name() const = 0;

  /// The rate of a step. Shapes: integers () -> float32 ().
  virtual Tensor call(const Tensor& step) const = 0;
};

class LearningRateSchedule;

/// A function from Tensor to Tensor, and no schedule itself.
template <class F>
concept ScheduleFunction =
    std::is_invocable_r_v<Tensor, const F&, const Tensor&> &&
    !std::derived_from<F, LearningRateSchedule>;

/// A handle on a schedule; default-made it is unset. Copies share the object.
class LearningRateSchedule {
 public:
  LearningRateSchedule() = default;

  /// A function of the step, an integer.
  template <ScheduleFunction F>
  LearningRateSchedule(F function)
      : LearningRateSchedule(from_function(std::move(function))) {}

  /// A handle on an object of a class of one's own.
  explicit LearningRateSchedule(
      std::shared_ptr<const LearningRateScheduleBase> base)
      : base_(std::move(base)) {}

  bool is_set() const { return base_ != nullptr; }
  /// Keras's name of the class; empty when unset.
  std::string_view class_name() const;
  /// The rate of a step. Throws ValueError when unset.
  Tensor operator()(const Arg& step) const;

 private:
  static LearningRateSchedule from_function(
      std::function<Tensor(const Tensor&)> function);

  std::shared_ptr<const LearningRateScheduleBase> base_;
};

/// What ExponentialDecay and InverseTimeDecay can be told.
struct DecayOptions {
  /// Whether the rate changes every decay_steps steps only.
  bool staircase = false;
};

/// initial * rate ^ (step / steps).
class ExponentialDecay : public LearningRateSchedule {
 public:
  /// Throws: ValueError unless decay_steps > 0.
  ExponentialDecay(double initial_learning_rate, double decay_steps,
                   double decay_rate, DecayOptions options = {});
};

/// initial / (1 + rate * step / steps).
class InverseTimeDecay : public LearningRateSchedule {
 public:
  /// Throws: ValueError unless decay_steps > 0.
  InverseTimeDecay(double initial_learning_rate, double decay_steps,
                   double decay_rate, DecayOptions options = {});
};

/// values[i] up to the step boundaries[i], itself included; then the last.
class PiecewiseConstantDecay : public LearningRateSchedule {
 public:
  /// Throws: ValueError unless there is one value more than boundaries, and
  /// those rise.
  PiecewiseConstantDecay(std::vector<int64_t> boundaries,
                         std::vector<double> values);
};

/// What PolynomialDecay can be told.
struct PolynomialDecayOptions {
  /// The rate at the end.
  double end_learning_rate = 0.0001;
  /// 1: a straight line.
  double power = 1.0;
  /// Whether it starts anew at the end, over as many steps more.
  bool cycle = false;
};

/// (initial - end) * (1 - step / steps) ^ power + end.
class PolynomialDecay : public LearningRateSchedule {
 public:
  /// Throws: ValueError unless decay_steps > 0.
  PolynomialDecay(double initial_learning_rate, double decay_steps,
                  PolynomialDecayOptions options = {});
};

/// What CosineDecay can be told.
struct CosineDecayOptions {
  /// The share of the rate that stays at the end.
  double alpha = 0.0;
  /// The rate that warm-up rises to, in a straight line; unset: no warm-up.
  std::optional<double> warmup_target = {};
  /// The steps of warm-up, before those of decay.
  double warmup_steps = 0;
};

/// Half a cosine from the initial rate, or the target of warm-up, to alpha
/// times that (Loshchilov and Hutter 2016).
class CosineDecay : public LearningRateSchedule {
 public:
  /// Throws: ValueError unless decay_steps > 0.
  CosineDecay(double initial_learning_rate, double decay_steps,
              CosineDecayOptions options = {});
};

/// What CosineDecayRestarts can be told.
struct CosineDecayRestartsOptions {
  /// Each period has so many times the steps of the one before.
  double t_mul = 2.0;
  /// Each period starts at so many times the rate of the one before.
  double m_mul = 1.0;
  /// The share of the rate that stays at the end of a period.
  double alpha = 0.0;
};

/// CosineDecay again and again.
class CosineDecayRestarts : public LearningRateSchedule {
 public:
  /// Throws: ValueError unless first_decay_steps > 0.
  CosineDecayRestarts(double initial_learning_rate, double first_decay_steps,
                      CosineDecayRestartsOptions options = {});
};

static_assert(sizeof(CosineDecay) == sizeof(LearningRateSchedule));

}  // namespace systolic::optimizers::schedules
