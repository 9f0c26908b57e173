#include "systolic/optimizers/optimizer_base.h"

#include <algorithm>
#include <map>
#include <regex>
#include <tuple>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/graph/aggregate.h"
#include "systolic/graph/context.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/planning.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/optimizers/options.h"
#include "systolic/optimizers/when.h"

namespace systolic::optimizers {

using internal::Message;

namespace {

Tensor as_dtype(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : cast(x, dtype);
}

Variable scalar_state(const Array& value, const std::string& name) {
  Variable variable([&] { return constant(value); },
                    {.trainable = false,
                     .name = name,
                     .aggregation = VariableAggregation::only_first_replica});
  variable.state()->is_of_optimizer = true;
  return variable;
}

Tensor clip_by_norm(const Tensor& gradient, double clipnorm) {
  const Tensor norm = sqrt(sum(square(gradient)));
  return gradient * clipnorm / maximum(norm, clipnorm);
}

void clip_by_global_norm(std::vector<Tensor>& grads, double clipnorm) {
  Tensor squares;
  for (const Tensor& gradient : grads) {
    const Tensor here = sum(square(gradient));
    squares = squares.is_defined() ? squares + here : here;
  }
  const Tensor norm = sqrt(squares);
  // NaN where the norm is not finite, as Keras: a bad step is not hidden.
  const Tensor scale =
      clipnorm * minimum(1 / norm, 1 / clipnorm) + (norm - norm);
  for (Tensor& gradient : grads) {
    gradient = as_dtype(gradient * scale, gradient.dtype());
  }
}

// A negative limit would else switch clipping off, and a rate that is no
// number every weight.
void check_factors(const OptimizerOptions& options) {
  const std::string who =
      options.name.empty() ? "Optimizer" : "Optimizer \"" + options.name + "\"";
  const std::pair<std::string_view, std::optional<double>> factors[] = {
      {"learning_rate", options.learning_rate.number()},
      {"weight_decay", options.weight_decay},
      {"clipnorm", options.clipnorm},
      {"clipvalue", options.clipvalue},
      {"global_clipnorm", options.global_clipnorm},
      {"loss_scale_factor", options.loss_scale_factor}};
  for (const auto& [name, value] : factors) {
    internal::check_option(who, name, value.value_or(0),
                           internal::kNotNegative);
  }
}

void check_counts(const OptimizerOptions& options) {
  internal::check_option("Optimizer", "ema_momentum", options.ema_momentum,
                         internal::kShare);
  const std::tuple<std::string_view, std::optional<int64_t>, int64_t> counts[] =
      {{"ema_overwrite_frequency", options.ema_overwrite_frequency, 1},
       {"gradient_accumulation_steps", options.gradient_accumulation_steps, 2}};
  for (const auto& [name, value, least] : counts) {
    if (!value || *value >= least) continue;
    Message("Optimizer")
        .expected(name, " >= ", least)
        .got(*value)
        .raise<ValueError>();
  }
}

std::string list_paths(const std::vector<Variable>& variables) {
  std::string text;
  for (const Variable& variable : variables) {
    text += (text.empty() ? "'" : ", '") + variable.path() + "'";
  }
  return text;
}

}  // namespace

OptimizerBase::OptimizerBase(OptimizerOptions options)
    : options_(std::move(options)) {
  const int ways = options_.clipnorm.has_value() +
                   options_.clipvalue.has_value() +
                   options_.global_clipnorm.has_value();
  if (ways > 1) {
    Message("Optimizer")
        .expected("at most one of clipnorm, clipvalue and global_clipnorm")
        .got(ways, " of them")
        .raise<ValueError>();
  }
  check_factors(options_);
  check_counts(options_);
  variables_.push_back(scalar_state(Array::scalar(0), "iteration"));
  rate_ = scalar_state(
      Array::scalar(static_cast<float>(options_.learning_rate.number())),
      "learning_rate");
  if (!options_.learning_rate.schedule().is_set()) {
    variables_.push_back(rate_);
  }
  if (!options_.name.empty()) set_name(options_.name);
}

OptimizerBase::~OptimizerBase() = default;

void OptimizerBase::set_name(const std::string& name) {
  options_.name = name;
  for (Variable& variable : variables_) {
    variable.set_path(name + "/" + variable.name());
  }
}

std::string OptimizerBase::who() const {
  return std::string(class_name()) + " \"" + name() + "\"";
}

Tensor OptimizerBase::step_size(const Tensor& learning_rate) const {
  return learning_rate;
}

void OptimizerBase::build_slots(const std::vector<Variable>&) {}

void OptimizerBase::build(const std::vector<Variable>& variables) {
  if (built_) return;
  for (size_t i = 0; i < variables.size(); ++i) {
    index_[variables[i].state().get()] = i;
  }
  trainable_variables_ = variables;
  if (options_.use_ema) averages_ = add_slots(variables, "average");
  if (options_.gradient_accumulation_steps) {
    accumulators_ = add_slots(variables, "gradient_accumulator");
  }
  build_slots(variables);
  built_ = true;
}

bool OptimizerBase::has_schedule() const {
  return options_.learning_rate.schedule().is_set();
}

Tensor OptimizerBase::current_rate() const {
  if (!has_schedule()) return rate_.value();
  return as_dtype(options_.learning_rate.schedule()(variables_[0].value()),
                  DType::float32);
}

const Variable& OptimizerBase::learning_rate() const {
  if (has_schedule()) {
    Variable rate = rate_;
    rate.assign(current_rate());
  }
  return rate_;
}

Tensor OptimizerBase::updates() const {
  const Tensor count = variables_[0].value();
  if (!options_.gradient_accumulation_steps) return count;
  return floor_divide(count, *options_.gradient_accumulation_steps);
}

void OptimizerBase::exclude_from_weight_decay(
    const WeightDecayExclusions& which) {
  if (built_) {
    Message(who())
        .rule("what weight decay leaves alone is said before it is built")
        .hint("call exclude_from_weight_decay before fit, apply and build")
        .raise<ValueError>();
  }
  no_decay_ = which;
}

Tensor OptimizerBase::scale_loss(const Tensor& loss) const {
  return options_.loss_scale_factor ? loss * *options_.loss_scale_factor : loss;
}

Variable OptimizerBase::add_scalar(const Array& value,
                                   const std::string& name) {
  const internal::graph::VariablePlacementGuard beside(
      variables_[0].state()->placement);
  Variable variable = scalar_state(value, name);
  variable.set_path(options_.name + "/" + name);
  variables_.push_back(variable);
  return variable;
}

Variable OptimizerBase::add_slot(const Variable& reference,
                                 const std::string& name, double value) {
  std::string slot = reference.path();
  std::replace(slot.begin(), slot.end(), '/', '_');
  slot += "_" + name;
  const internal::graph::VariablePlacementGuard beside(
      reference.state()->placement);
  Variable variable(
      [&] {
        return value == 0
                   ? zeros(reference.shape(), reference.dtype())
                   : cast(full(reference.shape(), value), reference.dtype());
      },
      {.trainable = false, .name = slot});
  variable.state()->is_of_optimizer = true;
  variable.set_path(options_.name + "/" + slot);
  variables_.push_back(variable);
  return variable;
}

std::vector<Variable> OptimizerBase::add_slots(
    const std::vector<Variable>& references, const std::string& name,
    double value) {
  std::vector<Variable> slots;
  for (const Variable& reference : references) {
    slots.push_back(add_slot(reference, name, value));
  }
  return slots;
}

Variable& OptimizerBase::slot_of(std::vector<Variable>& slots,
                                 const Variable& variable) {
  return slots[index_.at(variable.state().get())];
}

void OptimizerBase::check(const std::vector<Tensor>& grads,
                          const std::vector<Variable>& variables) const {
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i];
    if (index_.count(variable.state().get()) == 0) {
      Message(who())
          .expected("the variables it was built with")
          .got("another one, '", variable.path(), "'")
          .detail("variable", variable.spec())
          .hint("make a new optimizer for another set of variables")
          .raise<ValueError>();
    }
    if (!is_floating(variable.dtype())) {
      Message(who())
          .expected("variables of a floating-point dtype")
          .got("'", variable.path(), "' of ", variable.dtype())
          .hint("steps are fractions: an integer would stay as it is")
          .raise<TypeError>();
    }
    if (grads[i].is_defined() && grads[i].shape() != variable.shape()) {
      Message(who())
          .expected("a gradient of the shape of '", variable.path(), "'")
          .got(grads[i].shape())
          .detail("variable", variable.spec())
          .detail("gradient", grads[i].spec())
          .hint("gradients and variables go in the same order")
          .raise<ShapeError>();
    }
  }
}

OptimizerBase::Updates OptimizerBase::filter_empty(
    const std::vector<Tensor>& grads, const std::vector<Variable>& variables) {
  Updates updates;
  std::vector<Variable> missing;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].is_defined()) {
      missing.push_back(variables[i]);
      continue;
    }
    updates.grads.push_back(grads[i]);
    updates.variables.push_back(variables[i]);
  }
  if (updates.grads.empty()) {
    Message(who())
        .rule("no gradients provided for any variable")
        .detail("variables", list_paths(variables))
        .hint("compute the loss from the variables while the tape lives")
        .raise<ValueError>();
  }
  if (!missing.empty() && !warned_) {
    // A step is recorded again and again: one line is enough.
    warned_ = true;
    log(LogLevel::warning,
        who() + ": gradients do not exist for the variables " +
            list_paths(missing) +
            " when minimizing the loss; with compile(), is a loss missing?");
  }
  return updates;
}

void OptimizerBase::clip_gradients(std::vector<Tensor>& grads) const {
  if (options_.clipnorm.value_or(0) > 0) {
    for (Tensor& g : grads) g = clip_by_norm(g, *options_.clipnorm);
  } else if (options_.global_clipnorm.value_or(0) > 0) {
    clip_by_global_norm(grads, *options_.global_clipnorm);
  } else if (options_.clipvalue.value_or(0) > 0) {
    const double limit = *options_.clipvalue;
    for (Tensor& g : grads) g = clip(g, -limit, limit);
  }
}

bool OptimizerBase::decays(const Variable& variable) const {
  for (const Variable& excluded : no_decay_.var_list) {
    if (excluded == variable) return false;
  }
  for (const std::string& pattern : no_decay_.var_names) {
    if (std::regex_search(variable.name(), std::regex(pattern))) return false;
  }
  return true;
}

void OptimizerBase::decay_weights(
    const std::vector<Variable>& variables) const {
  if (!options_.weight_decay) return;
  const Tensor current = current_rate();
  for (Variable variable : variables) {
    if (!decays(variable)) continue;
    const Tensor rate = as_dtype(current, variable.dtype());
    variable.assign_sub(variable.value() * *options_.weight_decay * rate);
  }
}

void OptimizerBase::update(std::vector<Tensor> grads,
                           const std::vector<Variable>& variables) {
  clip_gradients(grads);
  decay_weights(variables);
  begin_update();
  std::map<DType, Tensor> rates;
  for (size_t i = 0; i < grads.size(); ++i) {
    const DType dtype = variables[i].dtype();
    Tensor& rate = rates[dtype];
    if (!rate.is_defined()) rate = step_size(as_dtype(current_rate(), dtype));
    update_step(as_dtype(grads[i], dtype), variables[i], rate);
  }
}

void OptimizerBase::accumulate(const Updates& updates) {
  const int64_t steps = *options_.gradient_accumulation_steps;
  std::vector<Tensor> sums;
  for (size_t i = 0; i < updates.grads.size(); ++i) {
    Variable sum = slot_of(accumulators_, updates.variables[i]);
    sum.assign_add(as_dtype(updates.grads[i], sum.dtype()));
    sums.push_back(sum);
  }
  const Tensor is_last = equal(mod(variables_[0].value() + 1, steps), 0);
  internal::when(is_last, [&] {
    std::vector<Tensor> means;
    for (const Variable& variable : updates.variables) {
      means.push_back(slot_of(accumulators_, variable).value() / steps);
    }
    update(means, updates.variables);
    for (Variable& accumulator : accumulators_) {
      accumulator.assign(zeros_like(accumulator));
    }
  });
}

void OptimizerBase::constrain(const std::vector<Variable>& variables) const {
  for (Variable variable : variables) {
    const auto& constraint = variable.state()->constraint;
    if (constraint) variable.assign(constraint(variable.value()));
  }
}

void OptimizerBase::average_variables() {
  const Tensor keep = where(equal(updates(), 0), 0.f, options_.ema_momentum);
  for (size_t i = 0; i < averages_.size(); ++i) {
    const Tensor value = trainable_variables_[i].value();
    const Tensor share = as_dtype(keep, value.dtype());
    averages_[i].assign(share * averages_[i] + (1 - share) * value);
  }
  if (!options_.ema_overwrite_frequency) return;
  const Tensor is_time =
      equal(mod(updates() + 1, *options_.ema_overwrite_frequency), 0);
  for (size_t i = 0; i < averages_.size(); ++i) {
    Variable variable = trainable_variables_[i];
    variable.assign(where(is_time, averages_[i], variable));
  }
}

void OptimizerBase::finalize_variable_values(
    const std::vector<Variable>& variables) {
  if (!options_.use_ema) return;
  for (Variable variable : variables) {
    variable.assign(slot_of(averages_, variable).value());
  }
}

void OptimizerBase::apply(const std::vector<Tensor>& grads,
                          const std::vector<Variable>& trainable_variables) {
  const internal::graph::NameScope scope(name(), SourceLocation());
  if (auto* planning = internal::graph::Planning::current()) {
    planning->facts().learning_rate =
        has_schedule() ? 0 : options_.learning_rate.number();
  }
  if (grads.size() != trainable_variables.size()) {
    Message(who())
        .expected("one gradient for each variable")
        .got(grads.size(), " gradients and ", trainable_variables.size(),
             " variables")
        .raise<ValueError>();
  }
  if (grads.empty()) return;
  build(trainable_variables);
  check(grads, trainable_variables);
  Updates updates = filter_empty(grads, trainable_variables);
  const internal::graph::ReplicasAgree agree;
  // One collective for all of them. Clipping comes after it, so that any
  // number of replicas clips the same gradient.
  if (num_replicas_in_sync() > 1) {
    updates.grads = all_reduce(ReduceOp::sum, updates.grads);
  }
  apply_reduced(std::move(updates.grads), updates.variables);
}

void OptimizerBase::apply_reduced(std::vector<Tensor> grads,
                                  const std::vector<Variable>& variables) {
  if (options_.loss_scale_factor) {
    for (Tensor& g : grads) g = g / *options_.loss_scale_factor;
  }
  if (options_.gradient_accumulation_steps) {
    accumulate({std::move(grads), variables});
  } else {
    update(std::move(grads), variables);
  }
  if (options_.use_ema) average_variables();
  constrain(variables);
  Variable count = variables_[0];
  count.assign_add(1);
}

}  // namespace systolic::optimizers
