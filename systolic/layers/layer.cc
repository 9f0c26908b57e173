// Tested by: systolic/layers/layer_base_platform_test.cc
#include "systolic/layers/layer.h"

#include <functional>
#include <span>

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/node.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/layer_call.h"
#include "systolic/layers/layer_frame.h"

namespace systolic::layers {

using internal::LayerFrame;
using internal::Message;

Layer::Layer(std::shared_ptr<LayerBase> base) : base_(std::move(base)) {
  if (base_ != nullptr) base_->name();
}

Layer::Layer(const Tensor& input) {
  const internal::LayerCall* call = nullptr;
  if (input.is_defined() && input.ref().node->inputs.empty()) {
    call = internal::layer_call_of(*input.ref().node);
  }
  if (call == nullptr) {
    Message("Layer")
        .expected("a layer, or what layers::Input gave")
        .got(input.is_defined() ? input.spec().to_string() : "Tensor()")
        .raise<ValueError>();
  }
  base_ = call->layer.base_;
}

bool Layer::supports_masking() const { return base().supports_masking(); }

Tensor Layer::compute_mask(const Tensor& x, const Tensor& previous_mask) const {
  return base().compute_mask({x}, {previous_mask});
}

LayerBase& Layer::base() const {
  if (base_ == nullptr) {
    Message("Layer")
        .expected("a layer")
        .got("an empty handle (Layer())")
        .hint("assign one, such as layers::Dense(10)")
        .raise<ValueError>();
  }
  return *base_;
}

Tensor Layer::operator()(const Arg& x) const { return base().run(x, nullptr); }

Tensor Layer::operator()(const Arg& x, CallContext context) const {
  return base().run(x, &context);
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs,
                         SourceLocation where) const {
  return base().only(base().run_all(inputs, nullptr, nullptr, where), where);
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs, CallContext context,
                         SourceLocation where) const {
  return base().only(base().run_all(inputs, &context, nullptr, where), where);
}

std::vector<Tensor> Layer::call_all(const std::vector<Tensor>& inputs,
                                    SourceLocation where) const {
  return base().run_all(inputs, nullptr, nullptr, where);
}

std::vector<Tensor> Layer::call_all(const std::vector<Tensor>& inputs,
                                    CallContext context,
                                    SourceLocation where) const {
  return base().run_all(inputs, &context, nullptr, where);
}

std::vector<Tensor> Layer::call_with(const std::vector<Tensor>& inputs,
                                     CallArgumentsPtr arguments,
                                     const SourceLocation& where) const {
  return base().run_all(inputs, nullptr, std::move(arguments), where);
}

namespace {

// The only one that a layer took or gave.
Tensor only_of(const LayerBase& layer, std::string_view what, size_t count,
               const std::function<Tensor()>& first) {
  if (count == 1) return first();
  Message("Layer." + std::string(what))
      .expected(layer.class_name(), " \"", layer.name(),
                "\" called once on symbolic Tensors, with one ", what)
      .got(count)
      .hint("call it on what layers::Input gives")
      .raise<ValueError>();
}

}  // namespace

Tensor Layer::input() const {
  const auto node = base().symbolic_call_.lock();
  return only_of(base(), "input", node == nullptr ? 0 : node->inputs.size(),
                 [&] { return Tensor(node->inputs[0]); });
}

Tensor Layer::output() const {
  const auto node = base().symbolic_call_.lock();
  return only_of(base(), "output",
                 node == nullptr ? 0 : static_cast<size_t>(node->num_outputs),
                 [&] {
                   return Tensor(internal::graph::Ref{node, 0});
                 });
}

void Layer::build(const Shape& input_shape, SourceLocation where) const {
  build_all({input_shape}, where);
}

void Layer::build_all(const std::vector<Shape>& input_shapes,
                      SourceLocation where) const {
  LayerBase& layer = base();
  if (layer.built()) return;
  const LayerFrame frame(layer, LayerFrame::Kind::build, where);
  layer.check_shapes(input_shapes, where);
  layer.ensure_built(input_shapes);
  if (layer.has_unbuilt()) layer.record_call(input_shapes);
}

bool Layer::built() const { return base().built(); }

Shape Layer::compute_output_shape(const Shape& input_shape,
                                  SourceLocation where) const {
  LayerBase& layer = base();
  const LayerFrame frame(layer, LayerFrame::Kind::build, where);
  layer.check_shapes({input_shape}, where);
  return layer.compute_output_shape(input_shape);
}

std::vector<Shape> Layer::compute_output_shapes(
    const std::vector<Shape>& input_shapes, SourceLocation where) const {
  LayerBase& layer = base();
  const LayerFrame frame(layer, LayerFrame::Kind::build, where);
  layer.check_shapes(input_shapes, where);
  return layer.compute_output_shapes(input_shapes);
}

const std::string& Layer::name() const { return base().name(); }
std::string_view Layer::class_name() const { return base().class_name(); }
const std::string& Layer::path() const { return base().path(); }
const Shape& Layer::batch_input_shape() const {
  return base().batch_input_shape();
}

bool Layer::trainable() const { return base().trainable(); }
void Layer::set_trainable(bool trainable) const {
  base().set_trainable(trainable);
}

DType Layer::dtype() const { return base().dtype_policy().variable_dtype(); }
DType Layer::compute_dtype() const {
  return base().dtype_policy().compute_dtype();
}

namespace {

std::vector<Variable> filtered(std::vector<Variable> all, bool trainable) {
  std::erase_if(all, [&](const Variable& variable) {
    return variable.trainable() != trainable;
  });
  return all;
}

}  // namespace

std::vector<Variable> Layer::variables() const { return base().variables(); }

std::vector<Variable> Layer::trainable_variables() const {
  return trainable_weights();
}

std::vector<Variable> Layer::non_trainable_variables() const {
  return trainable() ? filtered(variables(), false) : variables();
}

std::vector<Variable> Layer::weights() const { return base().weights(); }

std::vector<Variable> Layer::trainable_weights() const {
  return trainable() ? filtered(weights(), true) : std::vector<Variable>();
}

std::vector<Variable> Layer::non_trainable_weights() const {
  return trainable() ? filtered(weights(), false) : weights();
}

std::vector<Array> Layer::get_weights() const {
  const std::vector<Variable> all = weights();
  std::vector<Tensor> values;
  std::vector<internal::graph::Ref> refs;
  for (const Variable& weight : all) {
    values.push_back(internal::graph::read_variable(weight.state()));
    refs.push_back(values.back().ref());
  }
  // Fresh weights are computed by one program, not by one each.
  if (!internal::graph::context().in_step) internal::graph::evaluate(refs);
  std::vector<Array> arrays;
  for (const Variable& weight : all) arrays.push_back(weight.numpy());
  return arrays;
}

void Layer::set_weights(const std::vector<Array>& values,
                        SourceLocation where) const {
  const LayerBase& layer = base();
  const std::vector<Variable> all = weights();
  if (values.size() != all.size()) {
    Message message(layer.who());
    message
        .expected(all.size(), all.size() == 1 ? " array" : " arrays",
                  ", one for each weight")
        .got(values.size());
    for (const Variable& weight : all) {
      message.detail(weight.path(), weight.spec());
    }
    if (!built()) message.hint("build the layer first: build(input_shape)");
    message.at(where).raise<ValueError>();
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (values[i].shape() == all[i].shape()) continue;
    Message(layer.who())
        .expected("a value of shape ", all[i].shape(), " for ", all[i].path())
        .got(values[i].shape())
        .detail("weight", all[i].spec())
        .detail("value", values[i].spec())
        .at(where)
        .raise<ShapeError>();
  }
  for (size_t i = 0; i < all.size(); ++i) {
    Variable weight = all[i];
    weight.assign(Arg(values[i], where));
  }
}

int64_t Layer::count_params() const {
  const LayerBase& layer = base();
  if (!built()) {
    Message(layer.who())
        .rule("its weights can not be counted before they are made")
        .hint("call the layer, or build(input_shape) it")
        .raise<ValueError>();
  }
  int64_t count = 0;
  for (const Variable& weight : weights()) count += weight.shape().elements();
  return count;
}

std::vector<Layer> Layer::layers() const {
  std::vector<Layer> all;
  for (const auto& [name, layer] : base().tracked()) all.push_back(layer);
  return all;
}

std::vector<Tensor> Layer::losses() const { return base().losses(); }
void Layer::clear_losses() const { base().clear_losses(); }

}  // namespace systolic::layers
