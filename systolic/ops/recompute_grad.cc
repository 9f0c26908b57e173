// Tested by: systolic/ops/custom_gradient_platform_test.cc
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/region.h"
#include "systolic/graph/reverse.h"
#include "systolic/graph/substitution.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/custom_gradient.h"

namespace systolic {

using namespace internal::graph;

namespace {

// Keeps the compiler from taking what is computed again for what was computed
// before: the one is not made earlier than what goes in with it.
constexpr Op<> kBarrier{
    .name = "optimization_barrier",
    .infer =
        [](Infer& in, const NoOptions&) {
          std::vector<TensorSpec> specs;
          for (int i = 0; i < in.size(); ++i) specs.push_back(in[i]);
          return Specs(std::move(specs));
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          std::vector<TensorSpec> specs;
          for (const auto& value : l.inputs()) specs.push_back(value.spec);
          return l.e.statement("optimization_barrier", l.inputs(), specs);
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          Grads grads;
          for (int i = 0; i < v.num_inputs(); ++i) {
            grads.push_back(v.has_gradient(i) ? v.gradient(i) : Tensor());
          }
          return grads;
        },
    .residuals = {0, 0}};

// Inputs: the arguments, the variables that the body touches (those that it
// assigns first), what it uses of the outer program. Parameters of the body:
// arguments and variables. Results and outputs: its own, the variables.
struct RecomputeOptions {
  Regions regions = {};
  int parameters = 0;
  int results = 0;
  template <class V>
  void visit(V&& v) const {
    v("parameters", parameters);
    v("results", results);
  }
};

Grads recompute_vjp(Vjp& v, const RecomputeOptions& o) {
  const Region& body = *o.regions[0];
  const int count = v.num_inputs();
  std::vector<Ref> together;
  for (int i = 0; i < count; ++i) together.push_back(v.input(i).ref());
  std::vector<int> outer;
  for (int i = 0; i < o.results; ++i) {
    if (!v.has_gradient(i)) continue;
    outer.push_back(i);
    together.push_back(v.gradient(i).ref());
  }
  const std::vector<Tensor> held =
      record_all<kBarrier>(std::move(together), NoOptions{}, v.where());
  Substitution values(body);
  std::vector<std::vector<Ref>> places(count);
  for (int i = 0; i < count; ++i) {
    const Ref ref = i < o.parameters ? Ref{body.parameters[i], 0}
                                     : body.captures[i - o.parameters];
    values.set(ref, held[i]);
    places[i].push_back(held[i].ref());
  }
  values.repeat(body);
  for (const auto& [parameter, ref] : body.reads) {
    places[parameter].push_back(values(ref).ref());
  }
  ReverseWalk walk(values.recorded());
  std::vector<Ref> sources;
  for (int i = 0; i < count; ++i) {
    if (!v.needs(i)) continue;
    sources.insert(sources.end(), places[i].begin(), places[i].end());
  }
  walk.mark(sources);
  for (size_t i = 0; i < outer.size(); ++i) {
    const Ref ref = values(body.results[outer[i]]).ref();
    if (walk.depends(ref)) walk.add(ref, held[count + i]);
  }
  walk.run();
  Grads grads(count);
  for (int i = 0; i < count; ++i) {
    for (const Ref& ref : places[i]) {
      const Tensor part = walk.gradient(ref);
      if (!part.is_defined()) continue;
      grads[i] = grads[i].is_defined() ? add(grads[i], part) : part;
    }
  }
  return grads;
}

constexpr Op<RecomputeOptions> kRecompute{
    .name = "recompute_grad",
    .infer =
        [](Infer&, const RecomputeOptions& o) {
          std::vector<TensorSpec> specs;
          for (const Ref& ref : o.regions[0]->results) {
            specs.push_back(ref.spec());
          }
          return Specs(std::move(specs));
        },
    .lower =
        [](Lower& l, const RecomputeOptions& o) {
          return l.write_region(*o.regions[0],
                                l.inputs().subspan(0, o.parameters));
        },
    .vjp = recompute_vjp,
    .regions = &RecomputeOptions::regions,
    .reads = [](const RecomputeOptions&, Side side,
                int) { return side == Side::input; }};

constexpr const OpDef* kCatalog[] = {&kDefinition<kBarrier>,
                                     &kDefinition<kRecompute>};

}  // namespace

std::span<const OpDef* const> internal::ops::recompute_grad_catalog() {
  return kCatalog;
}

std::vector<Tensor> internal::ops::recompute(
    const TensorsFunction& f, const std::vector<Tensor>& arguments,
    const SourceLocation& where) {
  std::vector<TensorSpec> specs;
  std::vector<Ref> inputs;
  for (const Tensor& argument : arguments) {
    specs.push_back(argument.spec());
    inputs.push_back(argument.ref());
  }
  Recorded body = record_region(specs, "recompute_grad", f);
  RecomputeOptions options;
  options.results = static_cast<int>(body.results.size());
  std::vector<Ref> results;
  for (const Tensor& result : body.results) results.push_back(result.ref());
  std::vector<VariablePtr> assigned;
  for (const bool is_assigned : {true, false}) {
    for (const RegionVariable& variable : body.variables) {
      if (variable.assigned != is_assigned) continue;
      inputs.push_back(read_variable(variable.state).ref());
      const Ref end = body.add_parameter(variable.state);
      if (!is_assigned) continue;
      results.push_back(end);
      assigned.push_back(variable.state);
    }
  }
  options.parameters = static_cast<int>(inputs.size());
  close_region(*body.region, std::move(results));
  const auto& captures = body.region->captures;
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  options.regions.push_back(body.region);
  // The handles of the recording must not keep values alive.
  body.results.clear();
  body.variables.clear();
  std::vector<Tensor> outputs =
      record_all<kRecompute>(std::move(inputs), std::move(options), where);
  const size_t own = outputs.size() - assigned.size();
  for (size_t i = 0; i < assigned.size(); ++i) {
    write_variable(assigned[i], outputs[own + i]);
  }
  outputs.resize(own);
  return outputs;
}

}  // namespace systolic
