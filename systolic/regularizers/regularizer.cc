#include "systolic/regularizers/regularizer.h"

#include <array>
#include <cmath>

#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/base/suggest.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::regularizers {

using internal::Message;

namespace {

class Norms final : public RegularizerBase {
 public:
  Norms(std::string_view class_name, const L1L2Options& options)
      : class_name_(class_name), options_(options) {
    options_.visit([&](std::string_view name, double factor) {
      if (std::isfinite(factor)) return;
      Message("Regularizer " + std::string(class_name))
          .expected("a finite ", name)
          .got(factor)
          .raise<ValueError>();
    });
  }

  std::string_view class_name() const override { return class_name_; }

  Tensor call(const Tensor& x) const override {
    Tensor penalty;
    if (options_.l1 != 0) penalty = options_.l1 * sum(abs(x));
    if (options_.l2 != 0) {
      const Tensor squares = options_.l2 * sum(square(x));
      penalty = penalty.is_defined() ? penalty + squares : squares;
    }
    return penalty.is_defined() ? penalty : zeros(Shape::scalar(), x.dtype());
  }

 private:
  std::string_view class_name_;
  L1L2Options options_;
};

class FromFunction final : public RegularizerBase {
 public:
  explicit FromFunction(std::function<Tensor(const Tensor&)> function)
      : function_(std::move(function)) {}
  std::string_view class_name() const override { return "function"; }
  Tensor call(const Tensor& x) const override { return function_(x); }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

struct Row {
  std::string_view name;
  std::string_view class_name;
  std::string_view alias;
  Regularizer (*make)();
};

constexpr std::array kRows{
    Row{"l1", "L1", "", [] { return Regularizer(L1()); }},
    Row{"l2", "L2", "", [] { return Regularizer(L2()); }},
    Row{"l1l2", "L1L2", "l1_l2", [] { return Regularizer(L1L2()); }},
};

Regularizer by_name(std::string_view name, const SourceLocation& where) {
  std::array<std::string_view, kRows.size()> names;
  for (size_t i = 0; i < kRows.size(); ++i) {
    const Row& row = kRows[i];
    names[i] = row.name;
    if (name == row.name || name == row.class_name ||
        (!row.alias.empty() && name == row.alias)) {
      return row.make();
    }
  }
  Message message("regularizer");
  message.expected(internal::list_names(names)).got("'", name, "'");
  message.hint(
      "give the object where it takes numbers, such as "
      "regularizers::L2(1e-4)");
  message.at(where).raise<ValueError>();
}

}  // namespace

Regularizer::Regularizer(const char* name, SourceLocation where)
    : Regularizer(
          by_name(internal::name_text(name, "regularizer", where), where)) {}

Regularizer::Regularizer(const std::string& name, SourceLocation where)
    : Regularizer(by_name(name, where)) {}

Regularizer Regularizer::from_function(
    std::function<Tensor(const Tensor&)> function) {
  internal::require_function(function, "regularizer");
  return Regularizer(std::make_shared<FromFunction>(std::move(function)));
}

std::string_view Regularizer::class_name() const {
  return is_set() ? base_->class_name() : std::string_view();
}

Tensor Regularizer::operator()(const Arg& x) const {
  if (!is_set()) {
    Message("Regularizer")
        .expected("a regularizer")
        .got("an unset one (Regularizer())")
        .at(x.where())
        .raise<ValueError>();
  }
  return base_->call(x.tensor());
}

L1::L1(double l1)
    : Regularizer(
          std::make_shared<Norms>("L1", L1L2Options{.l1 = l1, .l2 = 0})) {}

L2::L2(double l2)
    : Regularizer(
          std::make_shared<Norms>("L2", L1L2Options{.l1 = 0, .l2 = l2})) {}

L1L2::L1L2(const L1L2Options& options)
    : Regularizer(std::make_shared<Norms>("L1L2", options)) {}

}  // namespace systolic::regularizers
