#include "systolic/layers/layer_base.h"

#include <algorithm>

#include "systolic/base/auto_name.h"
#include "systolic/graph/context.h"
#include "systolic/graph/step.h"
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

// Two sizes that a program hardly has by chance, as Keras takes them.
constexpr int64_t kStandIns[] = {83, 89};

Shape with_stand_in(const Shape& shape, int64_t size) {
  Shape out = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 0) out.set(i, size);
  }
  return out;
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
  require_one_input(input_shapes.size());
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

Tensor LayerBase::run(const Arg& x, const CallContext* given) {
  const Tensor input = x.is_scalar() ? x.tensor(compute_dtype()) : x.tensor();
  return only(run_all({input}, given, x.where()), x.where());
}

std::vector<Tensor> LayerBase::run_all(const std::vector<Tensor>& inputs,
                                       const CallContext* given,
                                       const SourceLocation& where) {
  require_owned_by_caller();
  const LayerFrame* caller = LayerFrame::current();
  CallContext context;
  if (given != nullptr) {
    context = *given;
  } else if (caller != nullptr) {
    context.training = caller->context().training;
  }
  const LayerFrame frame(*this, LayerFrame::Kind::call, where, context);
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_defined()) {
      error()
          .expected("defined inputs")
          .got("an undefined Tensor (Tensor()) as input ", i)
          .at(where)
          .raise<ValueError>();
    }
    shapes.push_back(inputs[i].shape());
  }
  if (inputs.size() == 1) {
    check_input(input_spec_, shapes[0], who(), inputs[0].spec().to_string(),
                where);
  }
  require_inputs(inputs.size());
  ensure_built(shapes);
  if (caller == nullptr) clear_losses();
  return run_inputs(inputs, context);
}

std::vector<Tensor> LayerBase::run_inputs(std::vector<Tensor> inputs,
                                          const CallContext& context) {
  const DType dtype = compute_dtype();
  for (Tensor& input : inputs) {
    if (is_floating(input.dtype()) && is_floating(dtype) &&
        input.dtype() != dtype) {
      input = cast(input, dtype);
    }
  }
  std::vector<Tensor> results = call_all(std::move(inputs), context);
  for (const Tensor& result : results) {
    require_result(result);
    if (activity_regularizer_.is_set()) add_loss(activity_regularizer_(result));
  }
  return results;
}

void LayerBase::require_inputs(size_t count) const {
  if (count > 0) return;
  error().expected("an input").got("none").at(call_site()).raise<ValueError>();
}

void LayerBase::check_shapes(const std::vector<Shape>& input_shapes,
                             const SourceLocation& where) const {
  require_inputs(input_shapes.size());
  if (input_shapes.size() != 1) return;
  check_input(input_spec_, input_shapes[0], who(), input_shapes[0].to_string(),
              where);
}

void LayerBase::ensure_built(const std::vector<Shape>& input_shapes) {
  if (built_) return;
  const LayerFrame frame(*this, LayerFrame::Kind::build, call_site());
  path_ = internal::frame_path();
  const size_t weights = weights_.size();
  const size_t seeds = seed_states_.size();
  try {
    build_all(input_shapes);
  } catch (...) {
    // The next try begins as this one did.
    weights_.erase(weights_.begin() + static_cast<ptrdiff_t>(weights),
                   weights_.end());
    seed_states_.erase(seed_states_.begin() + static_cast<ptrdiff_t>(seeds),
                       seed_states_.end());
    path_.clear();
    throw;
  }
  input_spec_.built_for = input_shapes[0];
  built_ = true;
}

bool LayerBase::has_unbuilt() const {
  return std::ranges::any_of(tracked_, [](const auto& entry) {
    const LayerBase& layer = entry.second.base();
    return !layer.built() || layer.has_unbuilt();
  });
}

std::vector<Shape> LayerBase::record_call(
    const std::vector<Shape>& input_shapes) const {
  // Recording a call leaves no trace but weights that it may have to make.
  auto& self = const_cast<LayerBase&>(*this);
  self.ensure_built(input_shapes);
  const std::vector<Tensor> losses = losses_;
  const int tries = std::ranges::all_of(input_shapes, &Shape::is_known) ? 1 : 2;
  std::vector<Shape> shapes[2];
  for (int i = 0; i < tries; ++i) {
    // Never committed: state that the call changes is as before.
    const internal::graph::Step step(internal::graph::variable_placement(),
                                     "compute_output_shape");
    const LayerFrame frame(*this, LayerFrame::Kind::call, call_site());
    std::vector<Tensor> inputs;
    for (const Shape& shape : input_shapes) {
      inputs.push_back(
          zeros(with_stand_in(shape, kStandIns[i]), compute_dtype()));
    }
    for (const Tensor& result : self.call_all(std::move(inputs), {})) {
      shapes[i].push_back(require_result(result).shape());
    }
  }
  self.clear_losses();
  self.losses_ = losses;
  for (size_t n = 0; tries > 1 && n < shapes[0].size(); ++n) {
    Shape& shape = shapes[0][n];
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] != shapes[1][n][i]) shape.set(i, -1);
    }
  }
  return shapes[0];
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

SourceLocation LayerBase::call_site() {
  const LayerFrame* frame = LayerFrame::current();
  return frame != nullptr ? frame->where() : SourceLocation();
}

}  // namespace systolic::layers
