// LayerCall: a layer that was called on symbolic Tensors, as a node of the
// graph. A functional model reads from these what it does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/graph/node.h"
#include "systolic/layers/layer.h"

namespace systolic::internal {

struct LayerCall {
  layers::Layer layer;
  /// Whether the call said so itself; else it is as the model's call.
  std::optional<bool> training = {};
  /// What the layer's own call operator was told besides Tensors.
  layers::CallArgumentsPtr arguments = {};
  std::vector<TensorSpec> results = {};
  /// How many such calls of the layer were before it.
  int index = 0;
};

/// Records a call; `inputs` is empty for what a model takes in.
std::vector<Tensor> record_layer_call(LayerCall call,
                                      const std::vector<Tensor>& inputs,
                                      const SourceLocation& where);

/// The call that a node stands for; null for the nodes of ops.
const LayerCall* layer_call_of(const graph::Node& node);

}  // namespace systolic::internal
