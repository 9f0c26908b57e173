// OptimizerBase: what an optimizer of one's own derives from.
//
//   struct Plain : optimizers::OptimizerBase {
//     Plain() : OptimizerBase({.learning_rate = 0.1}) {}
//     std::string_view class_name() const override { return "Plain"; }
//     void update_step(const Tensor& gradient, Variable variable,
//                      const Tensor& learning_rate) override {
//       variable.assign_sub(gradient * learning_rate);
//     }
//   };
//   optimizers::Optimizer optimizer(std::make_shared<Plain>());
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// What all optimizers have.
struct OptimizerOptions {
  /// Factor of each step.
  Rate learning_rate = 0.01;
  /// Each update takes this share of a variable, times the learning rate.
  std::optional<double> weight_decay = {};
  /// At most one of these three: the largest norm of each gradient, the
  /// largest size of each element, the largest norm of all gradients.
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  /// Whether averages of the variables are kept, of which each step keeps
  /// ema_momentum; the variables become them every ema_overwrite_frequency
  /// steps, unset: never.
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  /// The loss is multiplied by it, and the gradients divided.
  std::optional<double> loss_scale_factor = {};
  /// So many gradients are averaged for each update, at least 2.
  std::optional<int64_t> gradient_accumulation_steps = {};
  /// Empty: the class's name in snake case, numbered.
  std::string name = {};
};

/// The common ones of an optimizer's options.
template <class Options>
OptimizerOptions common_options(const Options& options) {
  return {.learning_rate = options.learning_rate,
          .weight_decay = options.weight_decay,
          .clipnorm = options.clipnorm,
          .clipvalue = options.clipvalue,
          .global_clipnorm = options.global_clipnorm,
          .use_ema = options.use_ema,
          .ema_momentum = options.ema_momentum,
          .ema_overwrite_frequency = options.ema_overwrite_frequency,
          .loss_scale_factor = options.loss_scale_factor,
          .gradient_accumulation_steps = options.gradient_accumulation_steps,
          .name = options.name};
}

/// State and common steps (clipping, weight decay) of an optimizer.
class OptimizerBase {
 public:
  /// Throws: ValueError where more than one way of clipping is given, or a
  /// number is negative or not finite.
  explicit OptimizerBase(OptimizerOptions options);
  virtual ~OptimizerBase();
  OptimizerBase(const OptimizerBase&) = delete;
  OptimizerBase& operator=(const OptimizerBase&) = delete;

  /// Keras's name of the class.
  virtual std::string_view class_name() const = 0;

  /// Updates one variable; gradient and learning rate (from step_size) have
  /// its dtype.
  virtual void update_step(const Tensor& gradient, Variable variable,
                           const Tensor& learning_rate) = 0;

  /// What update_step gets as learning rate, worked out once for all
  /// variables of a dtype; the learning rate itself unless overridden.
  virtual Tensor step_size(const Tensor& learning_rate) const;

  /// See Optimizer.
  virtual void build(const std::vector<Variable>& variables);
  /// Whether build was called, by apply or by hand.
  bool built() const { return built_; }
  /// See Optimizer.
  void apply(const std::vector<Tensor>& grads,
             const std::vector<Variable>& trainable_variables);
  /// The rest of apply, for gradients that are there and are those of all
  /// replicas together.
  virtual void apply_reduced(std::vector<Tensor> grads,
                             const std::vector<Variable>& variables);
  /// See Optimizer.
  virtual Tensor scale_loss(const Tensor& loss) const;
  /// See Optimizer.
  virtual void finalize_variable_values(const std::vector<Variable>& variables);
  /// See Optimizer.
  void exclude_from_weight_decay(const WeightDecayExclusions& which);

  /// The variables it was built with.
  const std::vector<Variable>& trainable_variables() const {
    return trainable_variables_;
  }
  /// The number of updates so far (int32 scalar); of gradients, where they are
  /// accumulated.
  virtual const Variable& iterations() const { return variables_[0]; }
  /// The learning rate (float32 scalar); see Optimizer.
  virtual const Variable& learning_rate() const;
  /// Whether the learning rate is a schedule.
  virtual bool has_schedule() const;
  /// All state: iterations, learning rate unless there is a schedule, then the
  /// slots.
  virtual std::vector<Variable> variables() const { return variables_; }
  /// The name; empty until one is given.
  const std::string& name() const { return options_.name; }
  /// Names it; the paths of its state become `<name>/<state's name>`.
  void set_name(const std::string& name);

 protected:
  /// Makes the slots, with add_slot; called once by build.
  virtual void build_slots(const std::vector<Variable>& variables);

  /// What is done before the variables of a step are updated.
  virtual void begin_update() {}

  /// The number of updates so far: iterations, or those that were updates.
  Tensor updates() const;

  /// State like `reference` that starts as `value` and lives where it does;
  /// its path is `<optimizer>/<reference's path, with _ for />_<name>`.
  Variable add_slot(const Variable& reference, const std::string& name,
                    double value = 0);

  /// One slot for each variable.
  std::vector<Variable> add_slots(const std::vector<Variable>& references,
                                  const std::string& name, double value = 0);

  /// A scalar of state, `<optimizer>/<name>`.
  Variable add_scalar(const Array& value, const std::string& name);

  /// The slot that belongs to a variable it was built with.
  Variable& slot_of(std::vector<Variable>& slots, const Variable& variable);

  /// `Adam "adam"`, for messages.
  std::string who() const;

 private:
  struct Updates {
    std::vector<Tensor> grads;
    std::vector<Variable> variables;
  };

  Updates filter_empty(const std::vector<Tensor>& grads,
                       const std::vector<Variable>& variables);
  void check(const std::vector<Tensor>& grads,
             const std::vector<Variable>& variables) const;
  Tensor current_rate() const;
  void clip_gradients(std::vector<Tensor>& grads) const;
  void decay_weights(const std::vector<Variable>& variables) const;
  bool decays(const Variable& variable) const;
  void update(std::vector<Tensor> grads,
              const std::vector<Variable>& variables);
  void accumulate(const Updates& updates);
  void constrain(const std::vector<Variable>& variables) const;
  void average_variables();

  OptimizerOptions options_;
  bool built_ = false;
  bool warned_ = false;
  std::vector<Variable> variables_;
  std::vector<Variable> trainable_variables_;
  std::unordered_map<const void*, size_t> index_;
  // Of no use but to be looked at, where there is a schedule.
  Variable rate_;
  std::vector<Variable> accumulators_;
  std::vector<Variable> averages_;
  WeightDecayExclusions no_decay_;
};

}  // namespace systolic::optimizers
