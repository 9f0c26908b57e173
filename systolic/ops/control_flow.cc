#include "systolic/ops/control_flow.h"

#include <algorithm>

#include "systolic/base/null.h"
#include "systolic/graph/op.h"
#include "systolic/graph/region.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

using namespace internal::graph;

namespace {

// The node's inputs are: the carried values' first values, the outer values
// of variables that the body and the condition only read, and whatever else
// they use of the outer program.
struct WhileOptions {
  std::shared_ptr<const Region> condition, body;
  int carried = 0;
  int body_reads = 0;
  int condition_reads = 0;
  template <class V>
  void visit(V&& v) const {
    v("carried", carried);
    v("body_reads", body_reads);
    v("condition_reads", condition_reads);
  }
};

Values lower_while(Lower& l, const WhileOptions& o) {
  const auto inputs = l.inputs();
  const auto initial = inputs.subspan(0, o.carried);
  const auto with_reads = [&](std::span<const internal::stablehlo::Value> now,
                              int first, int count) {
    Values values(now.begin(), now.end());
    const auto reads = inputs.subspan(first, count);
    values.insert(values.end(), reads.begin(), reads.end());
    return values;
  };
  return l.e.while_loop(
      initial,
      [&](std::span<const internal::stablehlo::Value> now) {
        return l.write_region(
            *o.condition,
            with_reads(now, o.carried + o.body_reads, o.condition_reads));
      },
      [&](std::span<const internal::stablehlo::Value> now) {
        return l.write_region(*o.body,
                              with_reads(now, o.carried, o.body_reads));
      });
}

constexpr Op<WhileOptions> kWhile{
    .name = "while_loop",
    .infer =
        [](Infer& in, const WhileOptions& o) {
          std::vector<TensorSpec> specs;
          for (int i = 0; i < o.carried; ++i) specs.push_back(in[i]);
          return Specs(std::move(specs));
        },
    .lower = lower_while,
    .vjp = not_differentiable(
        "the number of steps of a loop is not known when it is recorded; "
        "take the gradient inside the body"),
    .residuals = {0, 0},
    .regions =
        [](const WhileOptions& o) {
          return std::vector<const Region*>{o.condition.get(), o.body.get()};
        }};

constexpr const OpDef* kCatalog[] = {&kDefinition<kWhile>};

RegionVariable* find(std::vector<RegionVariable>& variables,
                     const VariablePtr& state) {
  for (RegionVariable& variable : variables) {
    if (variable.state == state) return &variable;
  }
  return nullptr;
}

void check_specs(const std::vector<Tensor>& before,
                 const std::vector<Tensor>& after,
                 const SourceLocation& where) {
  if (before.size() != after.size()) {
    internal::Message("while_loop")
        .expected("the body to return ", before.size(), " values")
        .got(after.size())
        .at(where)
        .raise<ValueError>();
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].spec() == after[i].spec()) continue;
    internal::Message("while_loop")
        .expected("value ", i, " to keep its spec ", before[i].spec())
        .got(after[i].spec(), " from the body")
        .hint(
            "shapes and dtypes are fixed on the device; cast or reshape "
            "the value in the body")
        .at(where)
        .raise<ShapeError>();
  }
}

// Puts the loop together: which variables it carries, which it only reads.
class LoopBuilder {
 public:
  LoopBuilder(Recorded condition, Recorded body,
              const std::vector<Tensor>& initial)
      : condition_(std::move(condition)), body_(std::move(body)) {
    for (const Tensor& value : initial) inputs_.push_back(value.ref());
    for (const RegionVariable& variable : condition_.variables) {
      if (variable.assigned) {
        internal::Message("while_loop")
            .rule("its condition assigns Variable \"", variable.state->path,
                  "\"")
            .hint("assign it in the body")
            .raise<ValueError>();
      }
    }
  }

  std::vector<Tensor> build(const SourceLocation& where) {
    std::vector<Ref> results;
    for (const Tensor& value : body_.results) results.push_back(value.ref());
    std::vector<VariablePtr> carried;
    for (RegionVariable& variable : body_.variables) {
      if (!variable.assigned) continue;
      carried.push_back(variable.state);
      inputs_.push_back(outer_value(variable.state));
      results.push_back(variable.current.ref());
      body_.region->parameters.push_back(variable.parameter);
      condition_.region->parameters.push_back(condition_parameter(variable));
    }
    WhileOptions options;
    options.carried = static_cast<int>(inputs_.size());
    options.body_reads = add_reads(body_, carried);
    options.condition_reads = add_reads(condition_, carried);
    close_region(*body_.region, std::move(results));
    close_region(*condition_.region, {condition_.results[0].ref()});
    for (const Region* region : {body_.region.get(), condition_.region.get()}) {
      inputs_.insert(inputs_.end(), region->captures.begin(),
                     region->captures.end());
    }
    options.body = body_.region;
    options.condition = condition_.region;
    // The handles of the recording must not keep body values alive.
    body_.results.clear();
    body_.variables.clear();
    condition_.results.clear();
    std::vector<Tensor> outputs =
        record_all<kWhile>(std::move(inputs_), std::move(options), where);
    const size_t explicit_count = outputs.size() - carried.size();
    for (size_t i = 0; i < carried.size(); ++i) {
      write_variable(carried[i], outputs[explicit_count + i]);
    }
    outputs.resize(explicit_count);
    return outputs;
  }

 private:
  static Ref outer_value(const VariablePtr& state) {
    return read_variable(state).ref();
  }

  NodePtr condition_parameter(const RegionVariable& variable) {
    if (const auto* known = find(condition_.variables, variable.state)) {
      return known->parameter;
    }
    return make_parameter(variable.state->spec, condition_.region->id);
  }

  int add_reads(Recorded& recorded, const std::vector<VariablePtr>& carried) {
    int count = 0;
    for (const RegionVariable& variable : recorded.variables) {
      if (std::find(carried.begin(), carried.end(), variable.state) !=
          carried.end()) {
        continue;
      }
      inputs_.push_back(outer_value(variable.state));
      recorded.region->parameters.push_back(variable.parameter);
      ++count;
    }
    return count;
  }

  Recorded condition_, body_;
  std::vector<Ref> inputs_;
};

}  // namespace

std::span<const OpDef* const> internal::ops::control_flow_catalog() {
  return kCatalog;
}

std::vector<Tensor> while_loop(const LoopCondition& condition,
                               const LoopBody& body,
                               const std::vector<Tensor>& loop_vars,
                               SourceLocation where) {
  internal::require_function(condition, "while_loop condition");
  internal::require_function(body, "while_loop body");
  std::vector<TensorSpec> specs;
  for (const Tensor& value : loop_vars) specs.push_back(value.spec());
  Recorded recorded_body = record_region(specs, "a loop body", body);
  check_specs(loop_vars, recorded_body.results, where);
  Recorded recorded_condition = record_region(
      specs, "a loop condition", [&](const std::vector<Tensor>& values) {
        return std::vector{condition(values)};
      });
  const TensorSpec& answer = recorded_condition.results[0].spec();
  if (answer != TensorSpec{DType::boolean, Shape::scalar()}) {
    internal::Message("while_loop")
        .expected("a condition that gives one bool")
        .got(answer)
        .at(where)
        .raise<TypeError>();
  }
  return LoopBuilder(std::move(recorded_condition), std::move(recorded_body),
                     loop_vars)
      .build(where);
}

void for_loop(const Arg& count, const std::function<void(const Tensor&)>& body,
              SourceLocation where) {
  internal::require_function(body, "for_loop body");
  const TensorSpec given{count.dtype(), count.is_scalar()
                                            ? Shape::scalar()
                                            : count.tensor().shape()};
  if (!is_integer(given.dtype) || given.shape.rank() != 0) {
    internal::Message("for_loop")
        .expected("a count that is one integer")
        .got(given)
        .at(where)
        .raise<TypeError>();
  }
  const Tensor limit = cast(count, DType::int32);
  const Tensor zero = Arg(0).tensor(DType::int32);
  while_loop(
      [&](const std::vector<Tensor>& values) { return values[0] < limit; },
      [&](const std::vector<Tensor>& values) {
        body(values[0]);
        return std::vector{values[0] + 1};
      },
      {zero}, where);
}

}  // namespace systolic
