// Conv2D: learned filters moved over images.
//
//   layers::Conv2D(32, 3, {.activation = "relu", .input_shape = {28, 28, 1}});
//   layers::Conv2D(64, {3, 5}, {.strides = 2, .padding = "same"});
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Conv2D can be told.
struct Conv2DOptions {
  // Step of the window in pixels: one for both, or {height, width}.
  Extent2D strides = 1;
  // "valid": whole windows only; "same": size ceil(input / strides).
  Choice<Padding> padding = Padding::valid;
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Distance in pixels between the elements that a filter reads.
  Extent2D dilation_rate = 1;
  // Groups that the channels are split into, each with its own filters.
  int64_t groups = 1;
  // Applied to the result; unset: linear, none.
  activations::Activation activation = {};
  // Whether a bias is added.
  bool use_bias = true;
  // First values of the kernel.
  initializers::Initializer kernel_initializer = "glorot_uniform";
  // First values of the bias.
  initializers::Initializer bias_initializer = "zeros";
  // Penalty on the kernel, added to the loss; unset: none.
  regularizers::Regularizer kernel_regularizer = {};
  // Penalty on the bias, added to the loss; unset: none.
  regularizers::Regularizer bias_regularizer = {};
  // Penalty on the result, added to the loss; unset: none.
  regularizers::Regularizer activity_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint kernel_constraint = {};
  constraints::Constraint bias_constraint = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "conv2d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("strides", strides);
    v("padding", padding.name());
    v("data_format", data_format.name());
    v("dilation_rate", dilation_rate);
    v("groups", groups);
    v("activation", activation);
    v("use_bias", use_bias);
    v("kernel_initializer", kernel_initializer);
    v("bias_initializer", bias_initializer);
    v("kernel_regularizer", kernel_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
    v("kernel_constraint", kernel_constraint);
    v("bias_constraint", bias_constraint);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// activation(conv(x, kernel) + bias).
// Shapes: (batch, height, width, channels) -> (batch, height', width',
// filters); weights kernel (kernel_size..., channels / groups, filters) and
// bias (filters). With channels_first the channels are axis 1.
class Conv2D : public Layer {
 public:
  // Throws: ValueError unless filters, kernel_size, strides, dilation_rate
  // and groups are above 0, groups divide filters, and not both strides and
  // dilation_rate are above 1.
  Conv2D(Dim filters, Extent2D kernel_size, Conv2DOptions options = {},
         SourceLocation where = SourceLocation::current());

  // The weights; undefined before the layer is built, the bias also without
  // use_bias.
  Variable kernel() const;
  Variable bias() const;
};

static_assert(sizeof(Conv2D) == sizeof(Layer));

}  // namespace systolic::layers
