// Ref: one output of a node of the graph.
#pragma once

#include <memory>

#include "systolic/array/spec.h"

namespace systolic::internal::graph {

struct Node;
using NodePtr = std::shared_ptr<Node>;

struct Ref {
  NodePtr node;
  int output = 0;

  const TensorSpec& spec() const;
  bool operator==(const Ref&) const = default;
};

}  // namespace systolic::internal::graph
