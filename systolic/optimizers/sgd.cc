// Tested by: systolic/optimizers/optimizer_base_platform_test.cc
#include "systolic/optimizers/sgd.h"

#include "systolic/ops/math.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {
namespace {

class SGDBase : public OptimizerBase {
 public:
  explicit SGDBase(const SGDOptions& options)
      : OptimizerBase(common_options(options)),
        momentum_(options.momentum),
        nesterov_(options.nesterov) {
    internal::check_option("SGD", "momentum", momentum_, internal::kShare);
  }

  std::string_view class_name() const override { return "SGD"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    const Tensor step = gradient * learning_rate;
    if (momentum_ == 0) {
      variable.assign_sub(step);
      return;
    }
    Variable m = slot_of(momentums_, variable);
    m.assign(m.value() * momentum_ - step);
    variable.assign_add(nesterov_ ? m.value() * momentum_ - step : m.value());
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    if (momentum_ != 0) momentums_ = add_slots(variables, "momentum");
  }

 private:
  double momentum_;
  bool nesterov_;
  std::vector<Variable> momentums_;
};

}  // namespace

SGD::SGD(const SGDOptions& options)
    : Optimizer(std::make_shared<SGDBase>(options)) {}

}  // namespace systolic::optimizers
