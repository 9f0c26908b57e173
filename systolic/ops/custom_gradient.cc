#include "systolic/ops/custom_gradient.h"

#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/region.h"
#include "systolic/graph/substitution.h"
#include "systolic/graph/tape_state.h"
#include "systolic/ops/catalog.h"

namespace systolic {

using namespace internal::graph;
using internal::Message;

namespace {

// Inputs: the arguments, the values, the variables that the gradient reads,
// what it uses of the outer program. The body is the gradient: parameters are
// what comes from above for each value, then the variables. Outputs: the
// values. The body is the user's, so of complex numbers it has TensorFlow's
// gradients, which are the conjugates of the rules'.
struct CustomOptions {
  Regions regions = {};
  int arguments = 0;
  int values = 0;
  int reads = 0;
  /// Which result of the body is the gradient of an argument; -1: it has none.
  std::vector<int> results = {};
  template <class V>
  void visit(V&& v) const {
    v("arguments", arguments);
    v("values", values);
  }
};

Grads custom_vjp(Vjp& v, const CustomOptions& o) {
  const Region& body = *o.regions[0];
  Substitution values(body);
  for (int i = 0; i < o.values; ++i) {
    values.set(Ref{body.parameters[i], 0}, conjugate(v.gradient(i)));
  }
  const int first = o.arguments + o.values;
  for (int i = 0; i < o.reads; ++i) {
    values.set(Ref{body.parameters[o.values + i], 0}, v.input(first + i));
  }
  for (size_t i = 0; i < body.captures.size(); ++i) {
    const int input = first + o.reads + static_cast<int>(i);
    values.set(body.captures[i], v.input(input));
  }
  values.repeat(body);
  Grads grads(v.num_inputs());
  for (int i = 0; i < o.arguments; ++i) {
    if (o.results[i] < 0) continue;
    grads[i] = conjugate(values(body.results[o.results[i]]));
  }
  return grads;
}

constexpr Op<CustomOptions> kCustom{
    .name = "custom_gradient",
    .infer =
        [](Infer& in, const CustomOptions& o) {
          std::vector<TensorSpec> specs;
          for (int i = 0; i < o.values; ++i)
            specs.push_back(in[o.arguments + i]);
          return Specs(std::move(specs));
        },
    .lower =
        [](Lower& l, const CustomOptions& o) {
          const auto values = l.inputs().subspan(o.arguments, o.values);
          return Values(values.begin(), values.end());
        },
    .vjp = custom_vjp,
    .regions = &CustomOptions::regions,
    .reads =
        [](const CustomOptions& o, Side side, int i) {
          return side == Side::input && i >= o.arguments + o.values;
        }};

constexpr const OpDef* kCatalog[] = {&kDefinition<kCustom>};

void check_gradients(const std::vector<Tensor>& arguments,
                     const std::vector<Tensor>& gradients,
                     const SourceLocation& where) {
  Message message("custom_gradient");
  message.at(where);
  if (gradients.size() != arguments.size()) {
    message
        .expected("grad_fn to return ", arguments.size(),
                  " gradient(s), one for each argument")
        .got(gradients.size())
        .raise<ValueError>();
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!gradients[i].is_defined()) continue;
    if (gradients[i].spec() == arguments[i].spec()) continue;
    message
        .expected("grad_fn to return a gradient of ", arguments[i].spec(),
                  " for argument ", i)
        .got(gradients[i].spec())
        .raise<ShapeError>();
  }
}

}  // namespace

std::span<const OpDef* const> internal::ops::custom_gradient_catalog() {
  return kCatalog;
}

void internal::ops::check_no_variables(const GradientTape& watcher,
                                       const SourceLocation& where) {
  const std::vector<Variable> variables = watcher.watched_variables();
  if (variables.empty()) return;
  Message("custom_gradient")
      .rule("the function reads Variable \"", variables[0].path(),
            "\", to which its gradient can not lead")
      .hint("give the Variable as an argument")
      .at(where)
      .raise<ValueError>();
}

std::vector<Tensor> internal::ops::with_gradient(
    const std::vector<Tensor>& arguments, const std::vector<Tensor>& values,
    const GradientFunction& grad_fn, const SourceLocation& where) {
  std::vector<Ref> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(argument.ref());
  if (!is_differentiated(inputs)) return values;
  std::vector<TensorSpec> specs;
  for (const Tensor& value : values) {
    inputs.push_back(value.ref());
    specs.push_back(value.spec());
  }
  Recorded body = record_region(specs, "grad_fn", grad_fn);
  check_gradients(arguments, body.results, where);
  CustomOptions options{.arguments = static_cast<int>(arguments.size()),
                        .values = static_cast<int>(values.size()),
                        .reads = static_cast<int>(body.variables.size())};
  for (const RegionVariable& variable : body.variables) {
    inputs.push_back(read_variable(variable.state).ref());
    body.add_parameter(variable.state);
  }
  std::vector<Ref> results;
  for (const Tensor& gradient : body.results) {
    const bool is_defined = gradient.is_defined();
    options.results.push_back(is_defined ? static_cast<int>(results.size())
                                         : -1);
    if (is_defined) results.push_back(gradient.ref());
  }
  close_region(*body.region, std::move(results));
  const auto& captures = body.region->captures;
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  options.regions.push_back(body.region);
  // The handles of the recording must not keep values alive.
  body.results.clear();
  body.variables.clear();
  return record_all<kCustom>(std::move(inputs), std::move(options), where);
}

}  // namespace systolic
