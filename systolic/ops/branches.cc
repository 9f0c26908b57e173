// Tested by: systolic/ops/control_flow_platform_test.cc
#include "systolic/ops/branches.h"

#include <algorithm>

#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/region.h"
#include "systolic/graph/reverse.h"
#include "systolic/graph/substitution.h"
#include "systolic/graph/tape_state.h"
#include "systolic/ops/catalog.h"

namespace systolic::internal::ops {

using namespace graph;

namespace {

// Inputs: which branch; the variables that the branches touch, those that one
// assigns first; what each branch uses of the outer program.
// Parameters of each branch: the variables. Results: its own, the variables
// that a branch assigns, residuals.
// Outputs: the results, the variables, the residuals of each branch.
struct BranchOptions {
  Regions regions = {};
  int variables = 0;
  int assigned = 0;
  int results = 0;
  bool keeps_residuals = false;

  int given() const { return results + assigned; }
  int captures(size_t branch) const {
    return static_cast<int>(regions[branch]->captures.size());
  }
  int first_capture(size_t branch) const {
    int first = 1 + variables;
    for (size_t i = 0; i < branch; ++i) first += captures(i);
    return first;
  }
  int residuals(size_t branch) const {
    return static_cast<int>(regions[branch]->results.size()) - given();
  }
  int first_residual(size_t branch) const {
    int first = given();
    for (size_t i = 0; i < branch; ++i) first += residuals(i);
    return first;
  }

  template <class V>
  void visit(V&& v) const {
    v("variables", variables);
    v("assigned", assigned);
    v("results", results);
  }
};

Specs infer_branches(Infer& /*in*/, const BranchOptions& o) {
  std::vector<TensorSpec> specs;
  for (const auto& region : o.regions) {
    const size_t first = region == o.regions[0] ? 0 : o.given();
    for (size_t i = first; i < region->results.size(); ++i) {
      specs.push_back(region->results[i].spec());
    }
  }
  return Specs(std::move(specs));
}

// A branch gives zeros for the others' residuals.
Values write_branch(Lower& l, const BranchOptions& o, size_t branch) {
  const Values own =
      l.write_region(*o.regions[branch], l.inputs().subspan(1, o.variables));
  Values all(own.begin(), own.begin() + o.given());
  for (size_t other = 0; other < o.regions.size(); ++other) {
    for (int i = 0; i < o.residuals(other); ++i) {
      all.push_back(other == branch
                        ? own[o.given() + i]
                        : l.e.splat(l.result(o.first_residual(other) + i), 0));
    }
  }
  return all;
}

Values lower_branches(Lower& l, const BranchOptions& o) {
  std::vector<stablehlo::Emitter::RegionBuilder> builders;
  for (size_t i = 0; i < o.regions.size(); ++i) {
    builders.push_back([&l, &o, i](auto) { return write_branch(l, o, i); });
  }
  std::vector<TensorSpec> specs;
  for (int i = 0; i < l.node.num_outputs; ++i) specs.push_back(l.result(i));
  return l.e.choose(l[0], builders, specs);
}

class BranchGradient {
 public:
  BranchGradient(Vjp& v, const BranchOptions& o) : v_(v), o_(o) {
    for (int i = 1; i < v.num_inputs(); ++i) {
      if (v.needs(i) && is_inexact(v.input_spec(i).dtype)) {
        wanted_.push_back(i);
      }
    }
    // Taken here: inside the branches they would be recorded there.
    for (int i = 0; i < v.num_inputs(); ++i) inputs_.push_back(v.input(i));
    for (size_t i = 0; i < o.regions.size(); ++i) {
      for (int k = 0; k < o.residuals(i); ++k) {
        residuals_.push_back(v.output(o.first_residual(i) + k));
      }
    }
    const int outputs = o.given() + static_cast<int>(residuals_.size());
    for (int i = 0; i < outputs; ++i) {
      const bool is_variable = i >= o.results && i < o.given();
      const bool has = v.has_gradient(i) && !is_variable &&
                       is_inexact(v.output_spec(i).dtype);
      outer_.push_back(has ? v.gradient(i) : Tensor());
    }
  }

  Grads run() {
    Grads grads(v_.num_inputs());
    if (wanted_.empty()) return grads;
    Branches back{.name = "cond", .index = inputs_[0], .where = v_.where()};
    for (size_t i = 0; i < o_.regions.size(); ++i) {
      back.branches.push_back([this, i] { return walk(i); });
    }
    const std::vector<Tensor> found = run_branches(back);
    for (size_t i = 0; i < wanted_.size(); ++i) grads[wanted_[i]] = found[i];
    return grads;
  }

 private:
  // The values in a branch that an input stands for.
  std::vector<Ref> places(size_t branch, int input) const {
    const Region& body = *o_.regions[branch];
    if (input <= o_.variables) {
      std::vector<Ref> refs{{body.parameters[input - 1], 0}};
      for (const auto& [number, ref] : body.reads) {
        if (number == input - 1) refs.push_back(ref);
      }
      return refs;
    }
    const int capture = input - o_.first_capture(branch);
    if (capture < 0 || capture >= o_.captures(branch)) return {};
    // A copy of a branch may have a value twice.
    const Ref& ref = body.captures[capture];
    const auto begin = body.captures.begin();
    const bool is_new =
        std::find(begin, begin + capture, ref) == begin + capture;
    return is_new ? std::vector<Ref>{ref} : std::vector<Ref>{};
  }

  std::vector<Tensor> walk(size_t branch) {
    const Region& body = *o_.regions[branch];
    Substitution values(body);
    for (int i = 0; i < o_.variables; ++i) {
      values.set(Ref{body.parameters[i], 0}, inputs_[1 + i]);
    }
    for (int i = 0; i < o_.captures(branch); ++i) {
      values.set(body.captures[i], inputs_[o_.first_capture(branch) + i]);
    }
    const int first = o_.first_residual(branch);
    for (int i = 0; i < o_.residuals(branch); ++i) {
      values.set(body.results[o_.given() + i],
                 residuals_[first - o_.given() + i]);
    }
    const std::vector<NodePtr> nodes = operations_of(body);
    ReverseWalk walk(nodes, &values);
    std::vector<Ref> sources;
    for (const int input : wanted_) {
      for (const Ref& ref : places(branch, input)) sources.push_back(ref);
    }
    walk.mark(sources);
    const auto seed = [&](int result, const Tensor& gradient) {
      const Ref& ref = body.results[result];
      if (gradient.is_defined() && walk.depends(ref)) walk.add(ref, gradient);
    };
    for (int i = 0; i < o_.given(); ++i) seed(i, outer_[i]);
    for (int i = 0; i < o_.residuals(branch); ++i) {
      seed(o_.given() + i, outer_[first + i]);
    }
    walk.run();
    std::vector<Tensor> found;
    for (const int input : wanted_) {
      Tensor sum;
      for (const Ref& ref : places(branch, input)) {
        const Tensor part = walk.gradient(ref);
        if (!part.is_defined()) continue;
        sum = sum.is_defined() ? add(sum, part) : part;
      }
      found.push_back(sum.is_defined() ? sum : zeros_of(v_.input_spec(input)));
    }
    return found;
  }

  Vjp& v_;
  const BranchOptions& o_;
  /// The inputs that get a gradient.
  std::vector<int> wanted_;
  std::vector<Tensor> inputs_, residuals_;
  /// The gradients of the outputs, where they have one that counts.
  std::vector<Tensor> outer_;
};

Grads branch_gradient(Vjp& v, const BranchOptions& o) {
  if (!o.keeps_residuals) {
    Message("cond")
        .rule("no tape was recording when it was called")
        .hint("call it while the tape records")
        .at(v.where())
        .raise<ValueError>();
  }
  return BranchGradient(v, o).run();
}

constexpr Op<BranchOptions> kBranches{
    .name = "cond",
    .infer = infer_branches,
    .lower = lower_branches,
    .vjp = branch_gradient,
    .regions = &BranchOptions::regions,
    .reads = [](const BranchOptions& o, Side side, int i) {
      return side == Side::input || i >= o.given();
    }};

// Puts a node together: the variables that the branches touch.
class BranchBuilder {
 public:
  explicit BranchBuilder(const Branches& given) : given_(given) {
    for (const auto& branch : given.branches) {
      recorded_.push_back(
          record_region({}, "a branch", [&](const auto&) { return branch(); }));
      check_results(recorded_.back().results);
    }
  }

  std::vector<Tensor> build() {
    inputs_.push_back(given_.index.ref());
    for (const bool assigned : {true, false}) {
      for (Recorded& branch : recorded_) add_variables(branch, assigned);
      if (assigned) options_.assigned = static_cast<int>(variables_.size());
    }
    options_.variables = static_cast<int>(variables_.size());
    options_.results = static_cast<int>(recorded_[0].results.size());
    for (const VariablePtr& state : variables_) {
      inputs_.push_back(read_variable(state).ref());
    }
    for (Recorded& branch : recorded_) close(branch);
    if (is_differentiated(inputs_)) keep_residuals();
    for (const Recorded& branch : recorded_) {
      options_.regions.push_back(branch.region);
    }
    const int results = options_.results;
    // The handles of the recording must not keep the branches' values alive.
    recorded_.clear();
    std::vector<Tensor> outputs = record_all<kBranches>(
        std::move(inputs_), std::move(options_), given_.where);
    for (int i = 0; i < static_cast<int>(assigned_); ++i) {
      write_variable(variables_[i], outputs[results + i]);
    }
    outputs.resize(results);
    return outputs;
  }

 private:
  void check_results(const std::vector<Tensor>& results) const {
    const std::vector<Tensor>& first = recorded_[0].results;
    const size_t branch = recorded_.size() - 1;
    Message message{std::string(given_.name)};
    message.at(given_.where);
    if (results.size() != first.size()) {
      message
          .expected("every branch to return ", first.size(),
                    " value(s), as the first does")
          .got(results.size(), " from branch ", branch)
          .raise<ValueError>();
    }
    for (size_t i = 0; i < first.size(); ++i) {
      if (results[i].spec() == first[i].spec()) continue;
      message
          .expected("every branch to return ", first[i].spec(), " as value ", i,
                    ", as the first does")
          .got(results[i].spec(), " from branch ", branch)
          .hint("cast or reshape the value in the branch")
          .raise<ShapeError>();
    }
  }

  void add_variables(const Recorded& branch, bool assigned) {
    for (const RegionVariable& variable : branch.variables) {
      if (variable.assigned != assigned) continue;
      const bool is_known =
          std::ranges::find(variables_, variable.state) != variables_.end();
      if (!is_known) variables_.push_back(variable.state);
    }
    if (assigned) assigned_ = variables_.size();
  }

  void close(Recorded& branch) {
    std::vector<Ref> results;
    for (const Tensor& result : branch.results) results.push_back(result.ref());
    for (size_t i = 0; i < variables_.size(); ++i) {
      const Ref end = branch.add_parameter(variables_[i]);
      if (i < assigned_) results.push_back(end);
    }
    close_region(*branch.region, std::move(results));
    inputs_.insert(inputs_.end(), branch.region->captures.begin(),
                   branch.region->captures.end());
  }

  // What the gradient will read of a branch comes out as more outputs.
  void keep_residuals() {
    const std::vector<Varies> varies(variables_.size(), Varies::known);
    for (Recorded& branch : recorded_) {
      auto& results = branch.region->results;
      const auto kept = residuals_of(*branch.region, varies, Varies::known);
      results.insert(results.end(), kept.begin(), kept.end());
    }
    options_.keeps_residuals = true;
  }

  const Branches& given_;
  std::vector<Recorded> recorded_;
  std::vector<VariablePtr> variables_;
  size_t assigned_ = 0;
  std::vector<Ref> inputs_;
  BranchOptions options_;
};

constexpr const OpDef* kCatalog[] = {&kDefinition<kBranches>};

}  // namespace

std::span<const OpDef* const> branches_catalog() { return kCatalog; }

std::vector<Tensor> run_branches(const Branches& branches) {
  return BranchBuilder(branches).build();
}

}  // namespace systolic::internal::ops
