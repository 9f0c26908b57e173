// ReverseWalk: gradients through recorded operations, last to first.
//
//   ReverseWalk walk(nodes);
//   walk.mark({x});                    // what depends on x
//   walk.add(y, ones);
//   walk.run();
//   Tensor dx = walk.gradient(x);
#pragma once

#include <span>
#include <vector>

#include "systolic/graph/node.h"
#include "systolic/graph/ref_table.h"
#include "systolic/graph/tensor.h"

namespace systolic::internal::graph {

class Substitution;

class ReverseWalk {
 public:
  /// `nodes` in the order of recording. `values`, if given, stands for what
  /// the gradient rules read: the nodes are of a body recorded elsewhere.
  explicit ReverseWalk(const std::vector<NodePtr>& nodes,
                       Substitution* values = nullptr)
      : nodes_(nodes), values_(values) {}

  /// Finds what depends on the sources: only that gets a gradient.
  void mark(std::span<const Ref> sources);

  /// Whether a value depends on a source.
  bool depends(const Ref& ref) const { return gradients_.find(ref) != nullptr; }

  /// Adds to the gradient of a value that depends on a source.
  void add(const Ref& ref, Tensor gradient);

  /// Walks back from what has a gradient.
  void run();

  /// The gradient of a value; undefined if none has come to it.
  Tensor gradient(const Ref& ref) const;

 private:
  // Whether the target depends on the node: sets the gradients of its outputs.
  bool find_outer(const Node& node);
  // Gives the gradients of node `at` on to its inputs.
  void step(size_t at);

  const std::vector<NodePtr>& nodes_;
  Substitution* values_;
  /// What depends on a source, with its gradient as far as it is known.
  RefTable<Tensor> gradients_;
  /// The gradients of the outputs of the node that the walk is at; null where
  /// the target does not depend on one.
  std::vector<const Tensor*> outer_;
};

}  // namespace systolic::internal::graph
