// The reverse walk: from a target back to the sources, op by op.
#include "systolic/graph/reverse.h"

#include <unordered_map>

#include "systolic/base/message.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/op.h"
#include "systolic/graph/substitution.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

Tensor Vjp::input(int i) const {
  const Ref& ref = node_.inputs[i];
  return values_ == nullptr ? Tensor(ref) : (*values_)(ref);
}

Tensor Vjp::output(int i) const {
  const Ref ref{nodes_[index_], i};
  return values_ == nullptr ? Tensor(ref) : (*values_)(ref);
}

Tensor Vjp::gradient(int i) const {
  if (has_gradient(i)) return *gradients_[i];
  return zeros_of(output_spec(i));
}

void ReverseWalk::mark(std::span<const Ref> sources) {
  for (const Ref& ref : sources) {
    gradients_.insert(ref.node.get(), ref.output);
  }
  for (const NodePtr& node : nodes_) {
    for (const Ref& input : node->inputs) {
      if (!depends(input)) continue;
      for (int i = 0; i < node->num_outputs; ++i) {
        gradients_.insert(node.get(), i);
      }
      break;
    }
  }
}

void ReverseWalk::run() {
  // By index: with a persistent tape the walk itself adds to the list.
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (find_outer(*nodes_[i])) step(i);
  }
}

Tensor ReverseWalk::gradient(const Ref& ref) const {
  const Tensor* found = gradients_.find(ref);
  return found == nullptr ? Tensor() : *found;
}

bool ReverseWalk::find_outer(const Node& node) {
  outer_.resize(node.num_outputs);
  bool any = false;
  for (int i = 0; i < node.num_outputs; ++i) {
    const Tensor* found = gradients_.find(&node, i);
    // The table does not grow meanwhile: the address stays.
    outer_[i] = found != nullptr && found->is_defined() ? found : nullptr;
    any |= outer_[i] != nullptr;
  }
  return any;
}

namespace {

void check(const OpDef& op, const Node& node, const Ref& input,
           const Tensor& grad) {
  if (grad.spec() == input.spec()) return;
  Message(std::string(op.name))
      .rule("its gradient rule gives ", grad.spec(), " for an input of ",
            input.spec())
      .hint("this is a fault of the op's definition; please report it")
      .at(node.where)
      .raise<InternalError>();
}

}  // namespace

void ReverseWalk::step(size_t at) {
  const Node& node = *nodes_[at];
  Vjp vjp(nodes_, at, outer_, values_);
  bool needed = false;
  for (const Ref& input : node.inputs) {
    vjp.needed_.push_back(depends(input));
    needed |= vjp.needed_.back();
  }
  if (!needed) return;
  const OpDef& op = *node.op;
  if (op.vjp == nullptr) {
    Message(std::string(op.name))
        .rule("it has no gradient: ", op.not_differentiable)
        .hint("wrap what should be constant in stop_gradient")
        .at(node.where)
        .raise<ValueError>();
  }
  const NameScope scope(node.scope);
  Grads grads = op.vjp(vjp, node.options.get());
  for (size_t i = 0; i < node.inputs.size() && i < grads.size(); ++i) {
    if (vjp.needed_[i] && grads[i].is_defined()) {
      check(op, node, node.inputs[i], grads[i]);
      add(node.inputs[i], std::move(grads[i]));
    }
  }
}

void ReverseWalk::add(const Ref& ref, Tensor gradient) {
  Tensor& sum = *gradients_.find(ref);
  sum = sum.is_defined() ? graph::add(sum, gradient) : std::move(gradient);
}

namespace {

void explain_no_gradient(const TapeState& tape, const Targets& targets,
                         const Sources& sources, const SourceLocation& where) {
  Message message("GradientTape.gradient");
  if (tape.nodes().empty()) {
    message
        .rule("nothing that depends on the sources was computed while ",
              "the tape was recording")
        .hint(
            "compute the target after the tape was made; call watch() for "
            "a Tensor that is not a trainable Variable");
  } else {
    message.rule("the target does not depend on any of the sources")
        .hint(
            "is the target computed from these sources, without a read to "
            "the host or a stop_gradient in between?");
  }
  for (const Tensor& target : targets) message.detail("target", target.spec());
  for (const Source& source : sources) {
    message.detail(
        "source",
        source.is_variable() ? source.variable().path() : std::string("Tensor"),
        " ", source.spec());
  }
  message.at(where).raise<ValueError>();
}

// Each source's values: a variable may have been read several times.
std::vector<std::vector<Ref>> values_of(const TapeState& tape,
                                        const Sources& sources) {
  std::unordered_map<const VariableState*, std::vector<Ref>> reads;
  for (const auto& [state, ref] : tape.reads()) {
    reads[state.get()].push_back(ref);
  }
  std::vector<std::vector<Ref>> values;
  for (const Source& source : sources) {
    auto& refs = values.emplace_back();
    if (!source.is_variable()) {
      refs.push_back(source.tensor().ref());
      continue;
    }
    const auto found = reads.find(source.variable().state().get());
    // The same variable may be a source twice.
    if (found != reads.end()) refs = found->second;
  }
  return values;
}

void check_targets(const Targets& targets, const GradientOptions& options,
                   const SourceLocation& where) {
  for (const Tensor& target : targets) {
    if (is_inexact(target.dtype())) continue;
    Message("GradientTape.gradient")
        .expected("a floating-point or complex target")
        .got(target.spec())
        .at(where)
        .raise<TypeError>();
  }
  const std::vector<Tensor>& given = options.output_gradients;
  if (given.empty()) return;
  if (given.size() != targets.size()) {
    Message("GradientTape.gradient")
        .expected("output_gradients for ", targets.size(), " target(s)")
        .got(given.size())
        .at(where)
        .raise<ValueError>();
  }
  size_t i = 0;
  for (const Tensor& target : targets) {
    const Tensor& gradient = given[i++];
    if (!gradient.is_defined() || gradient.spec() == target.spec()) continue;
    Message("GradientTape.gradient")
        .expected("an output gradient like the target, ", target.spec())
        .got(gradient.spec())
        .at(where)
        .raise<ShapeError>();
  }
}

}  // namespace

// Of complex numbers, users see TensorFlow's gradients: the conjugate of what
// the rules work with, as steps downhill need it.
std::vector<Tensor> walk_back(const TapeState& tape, const Targets& targets,
                              const Sources& sources,
                              const GradientOptions& options,
                              const SourceLocation& where) {
  check_targets(targets, options, where);
  if (sources.size() == 0) return {};
  const std::vector<std::vector<Ref>> values = values_of(tape, sources);
  ReverseWalk walk(tape.nodes());
  std::vector<Ref> all;
  for (const auto& refs : values) {
    all.insert(all.end(), refs.begin(), refs.end());
  }
  walk.mark(all);
  const std::vector<Tensor>& given = options.output_gradients;
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& target = targets.begin()[i];
    if (!walk.depends(target.ref())) continue;
    const bool is_given = !given.empty() && given[i].is_defined();
    walk.add(target.ref(),
             is_given ? conjugate(given[i]) : ones_of(target.spec()));
  }
  walk.run();
  bool any = options.unconnected_gradients.has_value();
  std::vector<Tensor> results;
  for (const auto& refs : values) {
    Tensor sum;
    for (const Ref& ref : refs) {
      Tensor part = walk.gradient(ref);
      if (!part.is_defined()) continue;
      sum = sum.is_defined() ? add(sum, part) : std::move(part);
    }
    any |= sum.is_defined();
    const bool is_complex_sum = sum.is_defined() && is_complex(sum.dtype());
    results.push_back(is_complex_sum ? conjugate(sum) : std::move(sum));
  }
  if (!any) explain_no_gradient(tape, targets, sources, where);
  if (options.unconnected_gradients == UnconnectedGradients::zero) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (!results[i].is_defined()) {
        results[i] = zeros_of(sources.begin()[i].spec());
      }
    }
  }
  return results;
}

}  // namespace systolic::internal::graph
