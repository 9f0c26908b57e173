// FunctionalGraph: what lies between the symbolic inputs and outputs of a
// functional model, in an order in which it can be computed. Inside of the
// room models.
#pragma once

#include <string>
#include <vector>

#include "systolic/graph/sizes.h"
#include "systolic/layers/layer_call.h"

namespace systolic::internal::models {

/// A layer's call or an operation of the graph.
struct GraphStep {
  /// One of: a step and which of its results; a value from outside the graph.
  struct Source {
    int step = -1;
    int output = 0;
    Tensor value = {};
  };

  graph::NodePtr node;
  /// Null for an operation that is no layer's.
  const LayerCall* call = nullptr;
  /// Keras's name of the layer or operation, and of its class.
  std::string name;
  std::string class_name;
  /// The model's input that it is; -1 for others.
  int input = -1;
  std::vector<Source> sources = {};

  /// Keras's `name[call][result]` of each source that is in the graph.
  std::vector<std::string> connections = {};
};

class FunctionalGraph {
 public:
  /// Throws ValueError where an input or output is no symbolic Tensor, where
  /// an output is made of an input that is not given, and for two layers of
  /// one name; `who` is the model in messages.
  FunctionalGraph(std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                  const std::string& who);

  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  /// Inputs first, by Keras's depth.
  const std::vector<GraphStep>& steps() const { return steps_; }
  /// The layers in that order, each once.
  std::vector<systolic::layers::Layer> layers() const;
  /// The names of the layers that take the inputs in and give the outputs.
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
  /// Whether it is one line of layers, none of them used twice.
  bool is_sequential() const;

  /// The outputs for values of the inputs' shapes.
  std::vector<Tensor> run(const std::vector<Tensor>& values,
                          const systolic::layers::CallContext& context,
                          const SourceLocation& where) const;

 private:
  class Walk;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<GraphStep> steps_;
  std::vector<GraphStep::Source> results_;
  std::vector<int> depths_;
};

}  // namespace systolic::internal::models
