#include "systolic/models/sequential.h"

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/name_scope.h"
#include "systolic/layers/core/input_layer.h"
#include "systolic/layers/layer_frame.h"
#include "systolic/models/functional_graph.h"
#include "systolic/models/model_base.h"

namespace systolic::models {

using internal::Message;
using internal::models::FunctionalGraph;

namespace {

bool contains(const layers::LayerBase& outer, const layers::LayerBase& inner) {
  for (const auto& [name, layer] : outer.tracked()) {
    if (&layer.base() == &inner || contains(layer.base(), inner)) return true;
  }
  return false;
}

class SequentialBase : public ModelBase {
 public:
  explicit SequentialBase(SequentialOptions options)
      : ModelBase({.trainable = options.trainable,
                   .name = std::move(options.name)}) {}

  std::string_view class_name() const override { return "Sequential"; }

  void add(const layers::Layer& layer, const SourceLocation& where) {
    if (!layer.is_defined()) {
      Message("Sequential.add")
          .expected("a layer")
          .got("an undefined one (Layer())")
          .raise<ValueError>();
    }
    if (&layer.base() == this || contains(layer.base(), *this)) {
      Message("Sequential.add")
          .rule("model \"", name(), "\" can not be a layer of itself")
          .raise<ValueError>();
    }
    for (const Entry& known : layers_) {
      if (known.layer.name() == layer.name()) {
        Message("Sequential.add")
            .expected("layers with different names")
            .got("\"", layer.name(), "\" twice")
            .hint("give one of them another .name")
            .raise<ValueError>();
      }
    }
    if (!layers_.empty() && layer.class_name() == "InputLayer") {
      Message("Sequential.add")
          .expected("an Input only as the first layer")
          .got("one behind ", layers_.size(), " layer(s)")
          .raise<ValueError>();
    }
    if (layers_.empty()) set_batch_input_shape(layer.batch_input_shape());
    layers_.push_back({track(layer.name(), layer), where});
    graph_.reset();
    if (!built() || !batch_input_shape().is_set()) return;
    try {
      build_last();
    } catch (...) {
      pop();
      throw;
    }
  }

  layers::Layer pop() {
    if (layers_.empty()) {
      Message("Sequential.pop")
          .expected("a layer to take off")
          .got("an empty model")
          .raise<ValueError>();
    }
    layers::Layer last = layers_.back().layer;
    layers_.pop_back();
    graph_.reset();
    untrack(last);
    return last;
  }

  void build(const Shape& input_shape) override {
    require_layers();
    const internal::graph::VariablePlacementGuard here(placement());
    set_batch_input_shape(input_shape);
    Shape shape = input_shape;
    for (const auto& [layer, where] : layers_) {
      layer.build(shape, call_site());
      shape = layer.compute_output_shape(shape, call_site());
    }
  }

  Tensor call(Tensor x, layers::CallContext context) override {
    require_layers();
    // A plan says where each layer was added; an error, where the model was
    // called.
    const bool is_planned = internal::graph::NameScopes::are_noted();
    for (const auto& [layer, where] : layers_) {
      x = layer(Arg(x, is_planned ? where : call_site()), context);
    }
    return x;
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape shape = input_shape;
    for (const auto& [layer, where] : layers_) {
      shape = layer.compute_output_shape(shape);
    }
    return shape;
  }

  std::vector<SummaryRow> summary_rows() const override {
    std::vector<SummaryRow> rows;
    Shape shape = batch_input_shape();
    // Only the batch size may differ from call to call.
    if (shape.is_set() && shape.rank() > 0) shape.set(0, -1);
    for (const auto& [layer, where] : layers_) {
      if (shape.is_set()) shape = layer.compute_output_shape(shape);
      // Keras does not list what only says the input's shape.
      if (layer.class_name() == "InputLayer") continue;
      rows.push_back({.layer = layer,
                      .name = layer.name(),
                      .class_name = std::string(layer.class_name()),
                      .shape = shape.is_set() ? shape.to_string() : ""});
    }
    return rows;
  }

  std::vector<std::string> output_names() const override {
    if (layers_.empty()) return {};
    return {layers_.back().layer.name()};
  }

  const FunctionalGraph* graph() override {
    if (graph_ != nullptr || layers_.empty()) return graph_.get();
    if (!built() || !batch_input_shape().is_set()) return nullptr;
    Shape shape = batch_input_shape();
    const int64_t batch = shape[0];
    shape.erase(0);
    const layers::Layer& first = layers_[0].layer;
    const DType dtype = first.class_name() == "InputLayer"
                            ? first.compute_dtype()
                            : DType::float32;
    const Tensor input = layers::Input(
        shape, {.batch_size = batch > 0 ? OptionalInt(batch) : OptionalInt(),
                .dtype = dtype});
    Tensor x = input;
    for (const auto& [layer, where] : layers_) {
      if (layer.class_name() != "InputLayer") x = layer(x);
    }
    graph_ = std::make_unique<FunctionalGraph>(
        std::vector{input}, std::vector{x}, "Sequential \"" + name() + "\"");
    return graph_.get();
  }

 private:
  // Makes the weights of a layer that came when all others had theirs.
  void build_last() {
    const internal::graph::VariablePlacementGuard here(placement());
    const internal::LayerFrame frame(*this, internal::LayerFrame::Kind::build,
                                     call_site());
    Shape shape = batch_input_shape();
    for (size_t i = 0; i + 1 < layers_.size(); ++i) {
      shape = layers_[i].layer.compute_output_shape(shape);
    }
    layers_.back().layer.build(shape);
  }

  void require_layers() const {
    if (!layers_.empty()) return;
    error()
        .expected("at least one layer")
        .got("none")
        .hint("add layers before the model is used")
        .raise<ValueError>();
  }

  struct Entry {
    layers::Layer layer;
    SourceLocation where;  // of the call that added it
  };
  std::vector<Entry> layers_;
  // Made when somebody asks for symbolic inputs or outputs.
  std::unique_ptr<FunctionalGraph> graph_;
};

SequentialBase& as_sequential(const Model& model) {
  return static_cast<SequentialBase&>(model.base());
}

}  // namespace

Sequential::Sequential(std::vector<layers::Layer> layers,
                       SequentialOptions options, internal::CallSite where)
    : Model(std::make_shared<SequentialBase>(std::move(options))) {
  for (const layers::Layer& layer : layers) {
    as_sequential(*this).add(layer, where.where());
  }
  if (batch_input_shape().is_set()) build(batch_input_shape());
}

void Sequential::add(layers::Layer layer, internal::CallSite where) const {
  as_sequential(*this).add(layer, where.where());
  if (!built() && batch_input_shape().is_set()) build(batch_input_shape());
}

layers::Layer Sequential::pop() const { return as_sequential(*this).pop(); }

}  // namespace systolic::models
