// Tested by: systolic/layers/layer_base_platform_test.cc
//
// What a call of a layer does: builds it, checks and converts the inputs,
// computes; on symbolic Tensors it is noted for the model that they are of.
#include <algorithm>

#include "systolic/base/log.h"
#include "systolic/graph/context.h"
#include "systolic/graph/mask.h"
#include "systolic/graph/step.h"
#include "systolic/graph/symbolic.h"
#include "systolic/layers/check_numerics.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/layer_call.h"
#include "systolic/layers/layer_frame.h"
#include "systolic/ops/debug.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

using internal::LayerFrame;

namespace {

// Two sizes that a program hardly has by chance, as Keras takes them.
constexpr int64_t kStandIns[] = {83, 89};

Shape with_stand_in(const Shape& shape, int64_t size) {
  Shape out = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 0) out.set(i, size);
  }
  return out;
}

// As users see it, -1 for unknown sizes.
Shape shape_of(const Tensor& tensor) {
  return internal::graph::is_symbolic(tensor)
             ? internal::graph::with_unknown(tensor.shape())
             : tensor.shape();
}

// One for each input; empty where none has one.
std::vector<Tensor> masks_of(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> masks;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor mask = internal::graph::mask_of(inputs[i]);
    if (!mask.is_defined()) continue;
    masks.resize(inputs.size());
    masks[i] = mask;
  }
  return masks;
}

}  // namespace

Tensor LayerBase::run(const Arg& x, const CallContext* given) {
  const Tensor input = x.is_scalar() ? x.tensor(compute_dtype()) : x.tensor();
  return only(run_all({input}, given, nullptr, x.where()), x.where());
}

std::vector<Tensor> LayerBase::run_all(const std::vector<Tensor>& inputs,
                                       const CallContext* given,
                                       CallArgumentsPtr arguments,
                                       const SourceLocation& where) {
  require_owned_by_caller();
  const LayerFrame* caller = LayerFrame::current();
  CallContext context = given != nullptr ? *given : current_context();
  if (arguments != nullptr) context.arguments = std::move(arguments);
  context.masks.clear();
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
    shapes.push_back(shape_of(inputs[i]));
  }
  if (inputs.size() == 1) {
    check_input(input_spec_, shapes[0], who(), inputs[0].spec().to_string(),
                where);
  }
  require_inputs(inputs.size());
  ensure_built(shapes);
  if (std::ranges::any_of(inputs, internal::graph::is_symbolic)) {
    return run_symbolic(inputs, context, given != nullptr, where);
  }
  if (caller == nullptr) clear_losses();
  context.masks = masks_of(inputs);
  std::vector<Tensor> results = run_inputs(inputs, context);
  if (!results.empty()) pass_mask_on(inputs, results[0], context);
  return results;
}

// The results have the shapes that a call gives which is recorded with
// stand-ins and dropped; the model that they are of calls the layer again.
std::vector<Tensor> LayerBase::run_symbolic(const std::vector<Tensor>& inputs,
                                            const CallContext& context,
                                            bool is_context_given,
                                            const SourceLocation& where) {
  internal::LayerCall call{.layer = Layer(shared_from_this()),
                           .arguments = context.arguments};
  if (is_context_given) call.training = context.training;
  call.index = symbolic_calls_++;
  {
    const std::vector<Tensor> losses = losses_;
    const internal::graph::Step step(internal::graph::variable_placement(),
                                     "compute_output_shape");
    std::vector<Tensor> stand_ins;
    for (const Tensor& input : inputs) {
      stand_ins.push_back(zeros(input.shape(), input.dtype()));
    }
    for (const Tensor& result : run_inputs(std::move(stand_ins), context)) {
      call.results.push_back(result.spec());
    }
    clear_losses();
    losses_ = losses;
  }
  std::vector<Tensor> results =
      internal::record_layer_call(std::move(call), inputs, where);
  if (symbolic_call_.expired()) symbolic_call_ = results[0].ref().node;
  return results;
}

std::vector<Tensor> LayerBase::run_inputs(std::vector<Tensor> inputs,
                                          const CallContext& context) {
  const DType dtype = compute_dtype();
  for (Tensor& input : inputs) {
    if (casts_inputs_ && is_floating(input.dtype()) && is_floating(dtype) &&
        input.dtype() != dtype) {
      input = cast(input, dtype);
    }
  }
  std::vector<Tensor> results = call_all(std::move(inputs), context);
  for (const Tensor& result : results) {
    require_result(result);
    if (is_checking_numerics()) {
      debug::check_numerics(Arg(result, call_site()), internal::frame_path());
    }
    if (activity_regularizer_.is_set()) add_loss(activity_regularizer_(result));
  }
  return results;
}

Tensor LayerBase::compute_mask(const std::vector<Tensor>&,
                               const std::vector<Tensor>& masks) const {
  return masks.empty() ? Tensor() : masks[0];
}

void LayerBase::pass_mask_on(const std::vector<Tensor>& inputs,
                             const Tensor& result, const CallContext& context) {
  if (internal::graph::mask_of(result).is_defined()) return;
  if (supports_masking()) {
    const Tensor mask = compute_mask(inputs, context.masks);
    if (mask.is_defined()) internal::graph::set_mask(result, mask);
    return;
  }
  // A step is recorded again and again: one line is enough.
  if (context.masks.empty() || warned_of_mask_) return;
  warned_of_mask_ = true;
  log(LogLevel::warning,
      who() +
          ": its input has a mask, but the layer does not support masking and "
          "drops it: layers behind it see none");
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
  CallContext context = current_context();
  context.arguments = current_arguments();
  const LayerFrame frame(*this, LayerFrame::Kind::build, call_site(), context);
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

}  // namespace systolic::layers
