// Tested by: systolic/optimizers/optimizer_base_platform_test.cc
#include "systolic/optimizers/adamax.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {
namespace {

void check_decays(std::string_view who, double beta_1, double beta_2) {
  internal::check_option(who, "beta_1", beta_1, internal::kDecay);
  internal::check_option(who, "beta_2", beta_2, internal::kDecay);
}

class AdamaxBase final : public OptimizerBase {
 public:
  explicit AdamaxBase(const AdamaxOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    check_decays("Adamax", options.beta_1, options.beta_2);
    internal::check_option("Adamax", "epsilon", options.epsilon,
                           internal::kNotNegative);
  }

  std::string_view class_name() const override { return "Adamax"; }

  Tensor step_size(const Tensor& learning_rate) const override {
    const Tensor step = cast(updates() + 1, learning_rate.dtype());
    return learning_rate / (1 - power(options_.beta_1, step));
  }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& rate) override {
    Variable m = slot_of(momentums_, variable);
    Variable u = slot_of(norms_, variable);
    m.assign_add((gradient - m) * (1 - options_.beta_1));
    u.assign(maximum(options_.beta_2 * u, abs(gradient)));
    variable.assign_sub(rate * m / (u + options_.epsilon));
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_slot(variable, "momentum"));
      norms_.push_back(add_slot(variable, "norm"));
    }
  }

 private:
  AdamaxOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> norms_;
};

class NadamBase final : public OptimizerBase {
 public:
  explicit NadamBase(const NadamOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    check_decays("Nadam", options.beta_1, options.beta_2);
    internal::check_option("Nadam", "epsilon", options.epsilon,
                           internal::kNotNegative);
  }

  std::string_view class_name() const override { return "Nadam"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    const DType dtype = variable.dtype();
    const Tensor now = momentum_of(1, dtype), next = momentum_of(2, dtype);
    const Tensor product = cast(product_, dtype);
    Variable m = slot_of(momentums_, variable);
    Variable v = slot_of(velocities_, variable);
    m.assign_add((gradient - m) * (1 - options_.beta_1));
    v.assign_add((square(gradient) - v) * (1 - options_.beta_2));
    const Tensor m_hat =
        next * m / (1 - product * next) + (1 - now) * gradient / (1 - product);
    const Tensor step = cast(updates() + 1, dtype);
    const Tensor v_hat = v / (1 - power(options_.beta_2, step));
    variable.assign_sub(m_hat * learning_rate /
                        (sqrt(v_hat) + options_.epsilon));
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_slot(variable, "momentum"));
      velocities_.push_back(add_slot(variable, "velocity"));
    }
    product_ = add_scalar(Array::scalar(1.f), "momentum_product");
  }

  void begin_update() override {
    product_.assign(product_ * momentum_of(1, DType::float32));
  }

 private:
  // The momentum of the step so many ahead, which rises to beta_1.
  Tensor momentum_of(int ahead, DType dtype) const {
    const Tensor step = cast(updates() + ahead, dtype);
    return options_.beta_1 * (1 - 0.5 * power(0.96, step));
  }

  NadamOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
  Variable product_;
};

class LionBase final : public OptimizerBase {
 public:
  explicit LionBase(const LionOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    internal::check_option("Lion", "beta_1", options.beta_1,
                           {1e-300, 1, "in (0, 1]"});
    internal::check_option("Lion", "beta_2", options.beta_2, internal::kShare);
  }

  std::string_view class_name() const override { return "Lion"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    const double beta_1 = options_.beta_1, beta_2 = options_.beta_2;
    Variable m = slot_of(momentums_, variable);
    variable.assign_sub(learning_rate *
                        sign(m * beta_1 + gradient * (1 - beta_1)));
    m.assign(m * beta_2 + gradient * (1 - beta_2));
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    momentums_ = add_slots(variables, "momentum");
  }

 private:
  LionOptions options_;
  std::vector<Variable> momentums_;
};

}  // namespace

Adamax::Adamax(const AdamaxOptions& options)
    : Optimizer(std::make_shared<AdamaxBase>(options)) {}

Nadam::Nadam(const NadamOptions& options)
    : Optimizer(std::make_shared<NadamBase>(options)) {}

Lion::Lion(const LionOptions& options)
    : Optimizer(std::make_shared<LionBase>(options)) {}

}  // namespace systolic::optimizers
