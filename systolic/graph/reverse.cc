// The reverse walk: from a target back to the sources, op by op.
#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/ref_table.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

Tensor Vjp::input(int i) const { return Tensor(node_.inputs[i]); }

Tensor Vjp::output(int i) const {
  return Tensor(Ref{const_cast<Node&>(node_).shared_from_this(), i});
}

Tensor Vjp::gradient(int i) const {
  if (gradients_[i].is_defined()) return gradients_[i];
  return zeros_of(output_spec(i));
}

bool Vjp::needs(int i) const { return needed_[i]; }

class ReverseWalk {
 public:
  explicit ReverseWalk(const TapeState& tape) : tape_(tape) {}

  // Finds what depends on the source values: only that gets a gradient.
  void mark(const std::vector<Ref>& sources) {
    for (const Ref& ref : sources) {
      gradients_.insert(ref.node.get(), ref.output);
    }
    for (const NodePtr& node : tape_.nodes()) {
      for (const Ref& input : node->inputs) {
        if (!depends(input)) continue;
        for (int i = 0; i < node->num_outputs; ++i) {
          gradients_.insert(node.get(), i);
        }
        break;
      }
    }
  }

  bool depends(const Ref& ref) const { return gradients_.find(ref) != nullptr; }

  // `target` depends on a source.
  void run(const Tensor& target) {
    *gradients_.find(target.ref()) = ones_of(target.spec());
    const auto& nodes = tape_.nodes();
    // By index: with a persistent tape the walk itself adds to the list.
    for (size_t i = nodes.size(); i-- > 0;) {
      const Node& node = *nodes[i];
      if (find_outer(node)) step(node);
    }
  }

  Tensor gradient(const Ref& ref) const {
    const Tensor* found = gradients_.find(ref);
    return found == nullptr ? Tensor() : *found;
  }

 private:
  // Whether the target depends on the node: sets the gradients of its outputs.
  bool find_outer(const Node& node) {
    outer_.resize(node.num_outputs);
    bool any = false;
    for (int i = 0; i < node.num_outputs; ++i) {
      const Tensor* found = gradients_.find(&node, i);
      outer_[i] = found == nullptr ? Tensor() : *found;
      any |= outer_[i].is_defined();
    }
    return any;
  }

  void step(const Node& node) {
    Vjp vjp(node, outer_);
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
    Grads grads = op.vjp(vjp, node.options.get());
    for (size_t i = 0; i < node.inputs.size() && i < grads.size(); ++i) {
      if (vjp.needed_[i] && grads[i].is_defined()) {
        check(op, node, node.inputs[i], grads[i]);
        add_gradient(node.inputs[i], std::move(grads[i]));
      }
    }
  }

  static void check(const OpDef& op, const Node& node, const Ref& input,
                    const Tensor& grad) {
    if (grad.spec() == input.spec()) return;
    Message(std::string(op.name))
        .rule("its gradient rule gives ", grad.spec(), " for an input of ",
              input.spec())
        .hint("this is a fault of the op's definition; please report it")
        .at(node.where)
        .raise<InternalError>();
  }

  void add_gradient(const Ref& ref, Tensor gradient) {
    Tensor& sum = *gradients_.find(ref);
    sum = sum.is_defined() ? add(sum, gradient) : std::move(gradient);
  }

  const TapeState& tape_;
  /// What depends on a source, with its gradient as far as it is known.
  RefTable<Tensor> gradients_;
  /// The gradients of the outputs of the node that the walk is at.
  std::vector<Tensor> outer_;
};

namespace {

void explain_no_gradient(const TapeState& tape, const Tensor& target,
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
  message.detail("target", target.spec());
  for (const Source& source : sources) {
    message.detail(
        "source",
        source.is_variable() ? source.variable().path() : std::string("Tensor"),
        " ", source.spec());
  }
  message.at(where).raise<ValueError>();
}

}  // namespace

std::vector<Tensor> walk_back(const TapeState& tape, const Tensor& target,
                              const Sources& sources,
                              const SourceLocation& where) {
  if (!is_floating(target.dtype())) {
    Message("GradientTape.gradient")
        .expected("a floating-point target")
        .got(target.spec())
        .at(where)
        .raise<TypeError>();
  }
  if (sources.size() == 0) return {};
  // Each source's values: a variable may have been read several times.
  std::vector<std::vector<Ref>> values;
  std::vector<Ref> all;
  for (const Source& source : sources) {
    auto& refs = values.emplace_back();
    if (source.is_variable()) {
      for (const auto& [state, ref] : tape.reads()) {
        if (state == source.variable().state()) refs.push_back(ref);
      }
    } else {
      refs.push_back(source.tensor().ref());
    }
    all.insert(all.end(), refs.begin(), refs.end());
  }
  ReverseWalk walk(tape);
  walk.mark(all);
  if (!walk.depends(target.ref())) {
    explain_no_gradient(tape, target, sources, where);
  }
  walk.run(target);
  std::vector<Tensor> results;
  for (const auto& refs : values) {
    Tensor sum;
    for (const Ref& ref : refs) {
      const Tensor part = walk.gradient(ref);
      if (!part.is_defined()) continue;
      sum = sum.is_defined() ? add(sum, part) : part;
    }
    results.push_back(sum);
  }
  const bool any = std::any_of(results.begin(), results.end(),
                               [](const Tensor& t) { return t.is_defined(); });
  if (!any) explain_no_gradient(tape, target, sources, where);
  return results;
}

}  // namespace systolic::internal::graph
