// Tested by: systolic/optimizers/optimizer_base_platform_test.cc
#include "systolic/optimizers/ftrl.h"

#include "systolic/ops/math.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/options.h"

namespace systolic::optimizers {
namespace {

class FtrlBase final : public OptimizerBase {
 public:
  explicit FtrlBase(const FtrlOptions& options)
      : OptimizerBase(common_options(options)), options_(options) {
    const std::pair<std::string_view, double> numbers[] = {
        {"initial_accumulator_value", options.initial_accumulator_value},
        {"l1_regularization_strength", options.l1_regularization_strength},
        {"l2_regularization_strength", options.l2_regularization_strength},
        {"l2_shrinkage_regularization_strength",
         options.l2_shrinkage_regularization_strength}};
    for (const auto& [name, value] : numbers) {
      internal::check_option("Ftrl", name, value, internal::kNotNegative);
    }
    internal::check_option("Ftrl", "learning_rate_power",
                           options.learning_rate_power, {-1e300, 0, "<= 0"});
  }

  std::string_view class_name() const override { return "Ftrl"; }

  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& rate) override {
    const FtrlOptions& o = options_;
    Variable accumulator = slot_of(accumulators_, variable);
    Variable linear = slot_of(linears_, variable);
    const Tensor shrunk =
        gradient + 2 * o.l2_shrinkage_regularization_strength * variable;
    const Tensor before = power(accumulator, -o.learning_rate_power);
    accumulator.assign_add(square(gradient));
    const Tensor after = power(accumulator, -o.learning_rate_power);
    linear.assign_add(shrunk - (after - before) / rate * variable);
    const Tensor l2 = o.l2_regularization_strength + o.beta / (2 * rate);
    const double l1 = o.l1_regularization_strength;
    variable.assign((clip(linear, -l1, l1) - linear) / (after / rate + 2 * l2));
  }

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      accumulators_.push_back(add_slot(variable, "accumulator",
                                       options_.initial_accumulator_value));
      linears_.push_back(add_slot(variable, "linear"));
    }
  }

 private:
  FtrlOptions options_;
  std::vector<Variable> accumulators_;
  std::vector<Variable> linears_;
};

}  // namespace

Ftrl::Ftrl(const FtrlOptions& options)
    : Optimizer(std::make_shared<FtrlBase>(options)) {}

}  // namespace systolic::optimizers
