// Tested by: systolic/constraints/constraint_platform_test.cc
#include "systolic/constraints/constraint.h"

#include <array>

#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/base/suggest.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::constraints {

using internal::Message;

namespace {

// Keras's backend.epsilon(): a vector of zeros stays one.
constexpr double kEpsilon = 1e-7;

Tensor norms_of(const Tensor& w, const Axes& axis) {
  return sqrt(sum(square(w), {.axis = axis, .keepdims = true}));
}

class FromFunction final : public ConstraintBase {
 public:
  FromFunction(std::string_view class_name,
               std::function<Tensor(const Tensor&)> function)
      : class_name_(class_name), function_(std::move(function)) {}
  std::string_view class_name() const override { return class_name_; }
  Tensor call(const Tensor& w) const override { return function_(w); }

 private:
  std::string_view class_name_;
  std::function<Tensor(const Tensor&)> function_;
};

std::shared_ptr<const ConstraintBase> make(
    std::string_view class_name,
    std::function<Tensor(const Tensor&)> function) {
  return std::make_shared<FromFunction>(class_name, std::move(function));
}

void check(bool fits, std::string_view who, std::string_view wanted,
           double got) {
  if (fits) return;
  Message("Constraint " + std::string(who))
      .expected(wanted)
      .got(got)
      .raise<ValueError>();
}

std::shared_ptr<const ConstraintBase> make_max_norm(double max_value,
                                                    const Axes& axis) {
  check(max_value >= 0, "MaxNorm", "max_value >= 0", max_value);
  return make("MaxNorm", [max_value, axis](const Tensor& w) {
    const Tensor norms = norms_of(w, axis);
    return w * (minimum(norms, max_value) / (norms + kEpsilon));
  });
}

std::shared_ptr<const ConstraintBase> make_min_max_norm(
    const MinMaxNormOptions& o) {
  check(o.min_value >= 0, "MinMaxNorm", "min_value >= 0", o.min_value);
  check(o.max_value >= o.min_value, "MinMaxNorm", "max_value >= min_value",
        o.max_value);
  check(o.rate >= 0 && o.rate <= 1, "MinMaxNorm", "rate in 0 ... 1", o.rate);
  return make("MinMaxNorm", [o](const Tensor& w) {
    const Tensor norms = norms_of(w, o.axis);
    const Tensor desired =
        o.rate * clip(norms, o.min_value, o.max_value) + (1 - o.rate) * norms;
    return w * (desired / (norms + kEpsilon));
  });
}

struct Row {
  std::string_view name;
  std::string_view class_name;
  Constraint (*make)();
};

constexpr std::array kRows{
    Row{"max_norm", "MaxNorm", [] { return Constraint(MaxNorm()); }},
    Row{"non_neg", "NonNeg", [] { return Constraint(NonNeg()); }},
    Row{"unit_norm", "UnitNorm", [] { return Constraint(UnitNorm()); }},
    Row{"min_max_norm", "MinMaxNorm", [] { return Constraint(MinMaxNorm()); }},
};

Constraint by_name(std::string_view name, const SourceLocation& where) {
  std::array<std::string_view, kRows.size()> names;
  for (size_t i = 0; i < kRows.size(); ++i) {
    names[i] = kRows[i].name;
    if (name == kRows[i].name || name == kRows[i].class_name) {
      return kRows[i].make();
    }
  }
  Message("constraint")
      .expected(internal::list_names(names))
      .got("'", name, "'")
      .hint(
          "give the object where it takes numbers, such as "
          "constraints::MaxNorm(3)")
      .at(where)
      .raise<ValueError>();
}

}  // namespace

Constraint::Constraint(const char* name, SourceLocation where)
    : Constraint(
          by_name(internal::name_text(name, "constraint", where), where)) {}

Constraint::Constraint(const std::string& name, SourceLocation where)
    : Constraint(by_name(name, where)) {}

Constraint Constraint::from_function(
    std::function<Tensor(const Tensor&)> function) {
  internal::require_function(function, "constraint");
  return Constraint(make("function", std::move(function)));
}

std::string_view Constraint::class_name() const {
  return is_set() ? base_->class_name() : std::string_view();
}

Tensor Constraint::operator()(const Arg& w) const {
  if (!is_set()) {
    Message("Constraint")
        .expected("a constraint")
        .got("an unset one (Constraint())")
        .at(w.where())
        .raise<ValueError>();
  }
  return base_->call(w.tensor());
}

MaxNorm::MaxNorm(double max_value, const MaxNormOptions& options)
    : Constraint(make_max_norm(max_value, options.axis)) {}

NonNeg::NonNeg()
    : Constraint(
          make("NonNeg", [](const Tensor& w) { return maximum(w, 0); })) {}

UnitNorm::UnitNorm(const UnitNormOptions& options)
    : Constraint(make("UnitNorm", [axis = options.axis](const Tensor& w) {
        return w / (norms_of(w, axis) + kEpsilon);
      })) {}

MinMaxNorm::MinMaxNorm(const MinMaxNormOptions& options)
    : Constraint(make_min_max_norm(options)) {}

}  // namespace systolic::constraints
