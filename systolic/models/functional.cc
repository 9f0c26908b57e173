// A functional model: what lies between symbolic inputs and outputs.
#include <algorithm>
#include <memory>

#include "systolic/base/message.h"
#include "systolic/graph/symbolic.h"
#include "systolic/models/functional_graph.h"
#include "systolic/models/model_base.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::models {

using internal::Message;
using internal::graph::with_unknown;
using internal::models::FunctionalGraph;
using internal::models::GraphStep;

namespace {

class FunctionalBase : public ModelBase {
 public:
  FunctionalBase(const Tensors& inputs, const Tensors& outputs,
                 ModelOptions options)
      : ModelBase(
            {.trainable = options.trainable, .name = std::move(options.name)}),
        graph_(inputs.all(), outputs.all(), "Model"),
        input_keys_(inputs.names()),
        output_keys_(outputs.names()) {
    set_casts_inputs(false);
    for (const layers::Layer& layer : graph_.layers()) {
      track(layer.name(), layer);
    }
    if (!options.trainable) set_trainable(false);
  }

  std::string_view class_name() const override { return "Functional"; }

  const FunctionalGraph* graph() override { return &graph_; }

  // All layers were built when they were called.
  void build_all(const std::vector<Shape>&) override {}

  std::vector<Tensor> call_all(std::vector<Tensor> inputs,
                               layers::CallContext context) override {
    const std::vector<Tensor>& known = graph_.inputs();
    if (inputs.size() != known.size()) {
      error()
          .expected(known.size(), known.size() == 1 ? " input" : " inputs",
                    ": ", names(graph_.input_names()))
          .got(inputs.size())
          .at(call_site())
          .raise<ValueError>();
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = fitting(inputs[i], i);
    }
    return graph_.run(inputs, context, call_site());
  }

  std::vector<std::string> input_names() const override {
    return input_keys_.empty() ? graph_.input_names() : input_keys_;
  }

  std::vector<std::string> output_names() const override {
    return output_keys_.empty() ? graph_.output_names() : output_keys_;
  }

  std::vector<SummaryRow> summary_rows() const override {
    std::vector<SummaryRow> rows;
    const bool is_sequential = graph_.is_sequential();
    for (const GraphStep& step : graph_.steps()) {
      const auto known = std::ranges::find(rows, step.name, &SummaryRow::name);
      SummaryRow row{.name = step.name, .class_name = step.class_name};
      if (step.call != nullptr) row.layer = step.call->layer;
      row.shape = shape_text(*step.node);
      const std::string connections = names(step.connections);
      if (known != rows.end()) {
        known->connections = *known->connections + ", " + connections;
        continue;
      }
      if (!is_sequential) {
        row.connections = connections.empty() ? "-" : connections;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  static std::string names(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& name : all) {
      text += (text.empty() ? "" : ", ") + name;
    }
    return text;
  }

  static std::string shape_text(const internal::graph::Node& node) {
    const auto one = [&](int i) {
      return node.output(i).spec.shape.to_string();
    };
    if (node.num_outputs == 1) return one(0);
    std::string text = "[";
    for (int i = 0; i < node.num_outputs; ++i) {
      text += (i == 0 ? "" : ", ") + one(i);
    }
    return text + "]";
  }

  // As Keras's Functional takes it: of the input's dtype, and with or without
  // a last axis of size 1.
  Tensor fitting(const Tensor& given, size_t i) const {
    const TensorSpec& known = graph_.inputs()[i].spec();
    const Shape shape = with_unknown(known.shape);
    Tensor x = given;
    if (x.rank() == shape.rank() + 1 && x.shape()[-1] == 1) {
      x = squeeze(x, -1);
    } else if (x.rank() == shape.rank() - 1 && shape[-1] == 1) {
      x = expand_dims(x, -1);
    }
    bool fits = x.rank() == shape.rank();
    for (int axis = 0; fits && axis < shape.rank(); ++axis) {
      fits = shape[axis] < 0 || shape[axis] == x.shape()[axis];
    }
    if (!fits) {
      error()
          .expected("shape ", shape, " as input \"", input_names()[i], "\"")
          .got(given.shape())
          .detail("input", given.spec())
          .at(call_site())
          .raise<ShapeError>();
    }
    return x.dtype() == known.dtype ? x : cast(x, known.dtype);
  }

  FunctionalGraph graph_;
  std::vector<std::string> input_keys_, output_keys_;
};

const FunctionalGraph& require_graph(const Model& model, std::string_view who) {
  const FunctionalGraph* graph = model.base().graph();
  if (graph == nullptr) {
    Message(std::string(who))
        .rule("model \"", model.name(), "\" has no symbolic inputs")
        .hint(
            "functional models have them, and a Sequential whose input's "
            "shape is known")
        .raise<ValueError>();
  }
  return *graph;
}

}  // namespace

Model::Model(const Tensors& inputs, const Tensors& outputs,
             ModelOptions options)
    : Model(std::make_shared<FunctionalBase>(inputs, outputs,
                                             std::move(options))) {
  std::vector<Shape> shapes;
  for (const Tensor& input : base().graph()->inputs()) {
    shapes.push_back(with_unknown(input.shape()));
  }
  build_all(shapes);
}

std::vector<Tensor> Model::inputs() const {
  return require_graph(*this, "Model.inputs").inputs();
}

std::vector<Tensor> Model::outputs() const {
  return require_graph(*this, "Model.outputs").outputs();
}

Tensor Model::input() const { return Tensors(inputs()).single(); }

Tensor Model::output() const { return Tensors(outputs()).single(); }

std::vector<std::string> Model::input_names() const {
  return base().input_names();
}

std::vector<std::string> Model::output_names() const {
  return base().output_names();
}

layers::Layer Model::get_layer(std::string_view name) const {
  base().graph();  // a Sequential's layers know their outputs from now on
  std::string known;
  for (const layers::Layer& layer : layers()) {
    if (layer.name() == name) return layer;
    known += (known.empty() ? "" : ", ") + layer.name();
  }
  Message("get_layer")
      .expected("one of: ", known.empty() ? "(there are no layers)" : known)
      .got("\"", name, "\"")
      .raise<ValueError>();
}

layers::Layer Model::get_layer(int64_t index) const {
  base().graph();
  const std::vector<layers::Layer> all = layers();
  const auto size = static_cast<int64_t>(all.size());
  const int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    Message("get_layer")
        .expected("an index of one of ", size, " layers")
        .got(index)
        .raise<ValueError>();
  }
  return all[static_cast<size_t>(at)];
}

}  // namespace systolic::models
