// Layer: a handle on any layer, built-in or a user's own.
//
//   layers::Layer dense = layers::Dense(64, {.activation = "relu"});
//   Tensor y = dense(x);              // makes the weights, then computes
//
// Copies share the object, as in Python. What a layer is: layer_base.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"
#include "systolic/graph/variable.h"

namespace systolic::layers {

class LayerBase;

// What one call of a layer was told by its user besides the inputs: a layer
// that has more to be told derives from it.
struct CallArguments {
  virtual ~CallArguments() = default;
};

using CallArgumentsPtr = std::shared_ptr<const CallArguments>;

// What a call knows besides its input.
struct CallContext {
  bool training = false;
  // Of this call alone: layers that it calls do not get it. Unset: none.
  CallArgumentsPtr arguments = {};
  // The masks of the inputs (mask.h), set by the call itself: bool, undefined
  // where all of an input counts. Empty where no input has one.
  std::vector<Tensor> masks = {};

  // The mask of an input; undefined where it has none.
  Tensor mask(size_t input = 0) const {
    return input < masks.size() ? masks[input] : Tensor();
  }
};

class Layer {
 public:
  // No layer; only assignment and is_defined() are allowed.
  Layer() = default;
  // Takes a layer in and gives it a name if it has none.
  explicit Layer(std::shared_ptr<LayerBase> base);

  // The layer behind what Input gave, so that a Sequential takes it. Throws
  // ValueError for any other Tensor.
  Layer(const Tensor& input);  // NOLINT: conversions are the point.

  // Whether it is a handle on a layer.
  bool is_defined() const { return base_ != nullptr; }
  // Whether both are handles on the same object.
  bool operator==(const Layer&) const = default;

  // The layer's value for x, which is converted to the compute dtype. The
  // first call makes the weights for the shape of x. Inside another layer's
  // call the context is that call's.
  // Throws: ShapeError where x does not fit; ValueError for a layer that is
  // called inside the call of one that does not track it.
  Tensor operator()(const Arg& x) const;
  Tensor operator()(const Arg& x, CallContext context) const;

  // The same for a layer of several inputs: Add()({a, b}). Throws ValueError
  // where the layer takes another number, or has several results.
  Tensor operator()(const std::vector<Tensor>& inputs,
                    SourceLocation where = SourceLocation::current()) const;
  Tensor operator()(const std::vector<Tensor>& inputs, CallContext context,
                    SourceLocation where = SourceLocation::current()) const;
  // All results of a layer that may have several.
  std::vector<Tensor> call_all(
      const std::vector<Tensor>& inputs,
      SourceLocation where = SourceLocation::current()) const;
  std::vector<Tensor> call_all(
      const std::vector<Tensor>& inputs, CallContext context,
      SourceLocation where = SourceLocation::current()) const;
  // For layers whose own call operator takes more: `arguments` reach the
  // layer in its context, which is else that of the call around.
  std::vector<Tensor> call_with(const std::vector<Tensor>& inputs,
                                CallArgumentsPtr arguments,
                                const SourceLocation& where) const;

  // What its first call on symbolic Tensors took and gave: there more than one
  // throws ValueError, and before such a call.
  Tensor input() const;
  Tensor output() const;

  // Makes the weights for inputs of that shape, batch included; sizes of -1
  // are unknown. Nothing where they exist.
  void build(const Shape& input_shape,
             SourceLocation where = SourceLocation::current()) const;
  // Whether the weights exist.
  bool built() const;
  // The shape of the result; unknown sizes (-1) stay unknown.
  Shape compute_output_shape(
      const Shape& input_shape,
      SourceLocation where = SourceLocation::current()) const;

  // The same two for several inputs and results.
  void build_all(const std::vector<Shape>& input_shapes,
                 SourceLocation where = SourceLocation::current()) const;
  std::vector<Shape> compute_output_shapes(
      const std::vector<Shape>& input_shapes,
      SourceLocation where = SourceLocation::current()) const;

  // The user's name for it, or Keras's: dense, dense_1, ...
  const std::string& name() const;
  // The class, such as "Dense".
  std::string_view class_name() const;
  // Name of the layer behind those that it was built in: `sequential/dense`;
  // empty until it is built.
  const std::string& path() const;
  // The input shape that the user gave, with the batch: (None, 28, 28, 1);
  // unset if none.
  const Shape& batch_input_shape() const;

  // Whether its weights are trained; setting it reaches all sub-layers.
  bool trainable() const;
  void set_trainable(bool trainable) const;

  // The dtypes of the weights and of the results.
  DType dtype() const;
  DType variable_dtype() const { return dtype(); }
  DType compute_dtype() const;

  // Its state, sub-layers included: trainable before non-trainable in each
  // layer. Variables are weights and the state of random generators.
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_weights() const;
  std::vector<Variable> non_trainable_weights() const;

  // The weights' values on the host, all fetched together.
  std::vector<Array> get_weights() const;
  // Sets all weights. Throws ValueError, ShapeError where number or shapes
  // differ; then nothing has changed.
  void set_weights(const std::vector<Array>& values,
                   SourceLocation where = SourceLocation::current()) const;

  // The number of elements of all weights. Throws ValueError unless built.
  int64_t count_params() const;

  // The layers that it tracks, in the order in which it took them in.
  std::vector<Layer> layers() const;

  // Penalties of regularizers and what the last call added, scalars.
  std::vector<Tensor> losses() const;
  // Forgets what calls added; a step that has read losses() calls it.
  void clear_losses() const;

  // Whether its results have a mask where its inputs have one, and the mask of
  // the first result.
  bool supports_masking() const;
  Tensor compute_mask(const Tensor& x, const Tensor& previous_mask = {}) const;

  // The object itself. Throws ValueError where there is none.
  LayerBase& base() const;
  const std::shared_ptr<LayerBase>& pointer() const { return base_; }

 private:
  std::shared_ptr<LayerBase> base_;
};

}  // namespace systolic::layers
