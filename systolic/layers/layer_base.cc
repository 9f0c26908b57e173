#include "systolic/layers/layer_base.h"

#include <algorithm>

#include "systolic/base/auto_name.h"
#include "systolic/graph/context.h"
#include "systolic/layers/class_text.h"
#include "systolic/layers/layer_frame.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

using internal::LayerFrame;
using internal::Message;

namespace {

bool contains(const std::vector<Variable>& all, const Variable& variable) {
  return std::ranges::find(all, variable) != all.end();
}

void append_new(std::vector<Variable>& all, const std::vector<Variable>& more) {
  for (const Variable& variable : more) {
    if (!contains(all, variable)) all.push_back(variable);
  }
}

}  // namespace

LayerBase::LayerBase(LayerOptions options)
    : policy_(options.dtype.is_set() ? options.dtype : config::dtype_policy()),
      name_(std::move(options.name)),
      activity_regularizer_(std::move(options.activity_regularizer)),
      trainable_(options.trainable) {
  if (name_.find('/') != std::string::npos) {
    Message("Layer \"" + name_ + "\"")
        .expected("a name without '/', which separates the names in a path")
        .got("'", name_, "'")
        .raise<ValueError>();
  }
  if (options.input_shape.is_set()) {
    batch_input_shape_ = options.input_shape;
    batch_input_shape_.insert(0, -1);
  }
}

LayerBase::~LayerBase() = default;

std::string_view LayerBase::class_name() const {
  if (class_name_.empty()) {
    class_name_ = internal::class_text(typeid(*this));
  }
  return class_name_;
}

void LayerBase::build(const Shape&) {}

void LayerBase::build_all(const std::vector<Shape>& input_shapes) {
  build(input_shapes[0]);
}

Tensor LayerBase::call(Tensor, CallContext) {
  error()
      .rule("it has neither a call for one input nor a call_all for several")
      .hint("override Tensor call(Tensor x, CallContext context)")
      .at(call_site())
      .raise<ValueError>();
}

std::vector<Tensor> LayerBase::call_all(std::vector<Tensor> inputs,
                                        CallContext context) {
  require_one_input(inputs.size());
  return {call(std::move(inputs[0]), std::move(context))};
}

Shape LayerBase::compute_output_shape(const Shape& input_shape) const {
  return record_call({input_shape})[0];
}

std::vector<Shape> LayerBase::compute_output_shapes(
    const std::vector<Shape>& input_shapes) const {
  if (input_shapes.size() == 1) return {compute_output_shape(input_shapes[0])};
  return record_call(input_shapes);
}

void LayerBase::require_one_input(size_t count) const {
  if (count == 1) return;
  error()
      .expected("one input")
      .got(count)
      .hint("a layer of several inputs overrides call_all")
      .at(call_site())
      .raise<ValueError>();
}

Tensor LayerBase::only(const std::vector<Tensor>& results,
                       const SourceLocation& where) const {
  if (results.size() == 1) return results[0];
  error()
      .expected("a layer with one result")
      .got(results.size(), " results")
      .hint("call_all(inputs) returns all of them")
      .at(where)
      .raise<ValueError>();
}

const std::string& LayerBase::name() const {
  if (name_.empty()) name_ = internal::auto_name(class_name());
  return name_;
}

void LayerBase::set_trainable(bool trainable) {
  trainable_ = trainable;
  // A weight that was made untrainable stays so only under a layer that is;
  // Keras sets all of a layer's trainable variables alike.
  for (Weight& weight : weights_) {
    if (weight.may_train) weight.variable.set_trainable(trainable);
  }
  for (auto& [name, layer] : tracked_) layer.set_trainable(trainable);
}

std::vector<Variable> LayerBase::weights() const {
  std::vector<Variable> all;
  for (const bool may_train : {true, false}) {
    for (const Weight& weight : weights_) {
      if (weight.may_train == may_train) all.push_back(weight.variable);
    }
  }
  for (const auto& [name, layer] : tracked_) append_new(all, layer.weights());
  return all;
}

std::vector<Variable> LayerBase::variables() const {
  std::vector<Variable> all;
  for (const bool may_train : {true, false}) {
    for (const Weight& weight : weights_) {
      if (weight.may_train == may_train) all.push_back(weight.variable);
    }
  }
  append_new(all, seed_states_);
  for (const auto& [name, layer] : tracked_) {
    append_new(all, layer.variables());
  }
  return all;
}

std::vector<Tensor> LayerBase::losses() const {
  std::vector<Tensor> all = losses_;
  if (trainable_) {
    for (const Weight& weight : weights_) {
      if (weight.regularizer.is_set() && weight.variable.trainable()) {
        all.push_back(weight.regularizer(weight.variable));
      }
    }
  }
  for (const auto& [name, layer] : tracked_) {
    for (Tensor& loss : layer.losses()) all.push_back(std::move(loss));
  }
  return all;
}

void LayerBase::clear_losses() {
  losses_.clear();
  for (auto& [name, layer] : tracked_) layer.clear_losses();
}

void LayerBase::add_loss(Tensor loss) {
  if (loss.rank() != 0) {
    error()
        .expected("a loss that is one number")
        .got(loss.spec())
        .hint("take its mean or sum first")
        .at(call_site())
        .raise<ShapeError>();
  }
  losses_.push_back(std::move(loss));
}

Tensor LayerBase::require_result(Tensor result) const {
  if (result.is_defined()) return result;
  error()
      .rule("its call returned an undefined Tensor (Tensor())")
      .at(call_site())
      .raise<ValueError>();
}

void LayerBase::require_new_weight(const std::string& name) const {
  if (built_) {
    error()
        .rule("weight \"", name,
              "\" is added after the layer was built: each "
              "call would make another")
        .hint("make weights in the constructor or in build()")
        .at(call_site())
        .raise<ValueError>();
  }
  for (const Weight& weight : weights_) {
    if (name.empty() || weight.variable.name() != name) continue;
    error()
        .expected("weights with different names")
        .got("\"", name, "\" twice")
        .at(call_site())
        .raise<ValueError>();
  }
}

std::string LayerBase::full_path() const {
  const LayerFrame* frame = LayerFrame::current();
  std::string path = internal::frame_path();
  if (frame != nullptr && &frame->layer() == this) return path;
  return path.empty() ? name() : path + "/" + name();
}

Variable LayerBase::add_weight(const WeightOptions& options) {
  require_new_weight(options.name);
  const Shape shape = options.shape.is_set() ? options.shape : Shape::scalar();
  if (!shape.is_known()) {
    error()
        .expected("known sizes for weight \"", options.name, "\"")
        .got(shape)
        .hint("only the batch may be unknown (None) when a layer is built")
        .at(call_site())
        .raise<ShapeError>();
  }
  const DType dtype = options.dtype.value_or(variable_dtype());
  initializers::Initializer initializer = options.initializer;
  if (!initializer.is_set()) {
    initializer = is_floating(dtype) ? "glorot_uniform" : "zeros";
  }
  Variable variable([&] { return initializer(shape, dtype); },
                    {.trainable = options.trainable && trainable_,
                     .name = options.name,
                     .synchronization = options.synchronization,
                     .aggregation = options.aggregation});
  variable.set_path(full_path() + "/" + variable.name());
  if (options.constraint.is_set()) {
    variable.state()->constraint = options.constraint;
  }
  weights_.push_back({variable, options.regularizer, options.trainable});
  return variable;
}

random::SeedGenerator LayerBase::add_seed_generator(
    std::optional<int64_t> seed) {
  random::SeedGenerator generator(seed);
  Variable state = generator.state();
  state.set_path(full_path() + "/" + internal::auto_name("SeedGenerator") +
                 "/seed_generator_state");
  seed_states_.push_back(state);
  return generator;
}

void LayerBase::track_layer(std::string name, const Layer& layer) {
  layer.base();  // throws where there is none
  for (const auto& [known, tracked] : tracked_) {
    if (known != name) continue;
    error()
        .expected("sub-layers under different names")
        .got("\"", name, "\" twice")
        .raise<ValueError>();
  }
  tracked_.emplace_back(std::move(name), layer);
}

void LayerBase::untrack(const Layer& layer) {
  std::erase_if(tracked_,
                [&](const auto& entry) { return entry.second == layer; });
}

bool LayerBase::owns(const LayerBase& layer) const {
  for (const auto& [name, tracked] : tracked_) {
    if (&tracked.base() == &layer) return true;
  }
  for (const auto& [name, tracked] : tracked_) {
    if (tracked.base().owns(layer)) return true;
  }
  return false;
}

void LayerBase::require_owned_by_caller() const {
  const LayerFrame* caller = LayerFrame::current();
  if (caller == nullptr || caller->kind() != LayerFrame::Kind::call) return;
  if (caller->layer().owns(*this)) return;
  caller->layer()
      .error()
      .rule("its call uses ", class_name(), " \"", name(),
            "\", which it does not track, so that its weights would be "
            "neither trained nor saved")
      .hint("take it in where this layer is made: track(\"", name(), "\", ...)")
      .at(caller->where())
      .raise<ValueError>();
}

Tensor LayerBase::value(const Variable& weight) const {
  const DType dtype = compute_dtype();
  if (weight.dtype() == dtype || !is_floating(weight.dtype()) ||
      !is_floating(dtype)) {
    return weight.value();
  }
  return cast(weight, dtype);
}

std::string LayerBase::who() const {
  std::string text(class_name());
  const LayerFrame* frame = LayerFrame::current();
  // The outermost layer is the whole model, which everybody knows.
  std::string path = internal::frame_path(1);
  if (frame == nullptr || &frame->layer() != this) {
    if (name_.empty()) return text;  // it is being made
    path += (path.empty() ? "" : "/") + name_;
  } else if (path.empty()) {
    path = name();
  }
  return text + " \"" + path + "\"";
}

Message LayerBase::error() const { return Message(who()); }

CallContext LayerBase::current_context() {
  const LayerFrame* frame = LayerFrame::current();
  return {.training = frame != nullptr && frame->context().training,
          .arguments = {}};
}

std::shared_ptr<const CallArguments> LayerBase::current_arguments() {
  const LayerFrame* frame = LayerFrame::current();
  return frame != nullptr ? frame->context().arguments : nullptr;
}

SourceLocation LayerBase::call_site() {
  const LayerFrame* frame = LayerFrame::current();
  return frame != nullptr ? frame->where() : SourceLocation();
}

}  // namespace systolic::layers
