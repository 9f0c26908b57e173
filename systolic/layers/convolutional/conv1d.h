// Conv1D: learned filters moved along steps.
//
//   layers::Conv1D(32, 3, {.padding = "causal", .activation = "relu"});
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic {

namespace layers {

// How windows treat the ends of the steps.
enum class StepPadding : uint8_t { valid, same, causal };

}  // namespace layers

template <>
struct ChoiceNames<layers::StepPadding> {
  static constexpr std::string_view what = "padding";
  static constexpr std::array<std::pair<std::string_view, layers::StepPadding>,
                              3>
      names{{{"valid", layers::StepPadding::valid},
             {"same", layers::StepPadding::same},
             {"causal", layers::StepPadding::causal}}};
};

namespace layers {

// What Conv1D can be told.
struct Conv1DOptions {
  // Step of the window.
  int64_t strides = 1;
  // "valid": whole windows only; "same": size ceil(input / strides); "causal":
  // each window ends at its step.
  Choice<StepPadding> padding = StepPadding::valid;
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Distance between the steps that a filter reads.
  int64_t dilation_rate = 1;
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
  // The layer's name, without "/"; empty: Keras's, such as "conv1d".
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
// Shapes: (batch, steps, channels) -> (batch, steps', filters); weights kernel
// (kernel_size, channels / groups, filters) and bias (filters). With
// channels_first the channels are axis 1.
class Conv1D : public Layer {
 public:
  // Throws: ValueError unless filters, kernel_size, strides, dilation_rate
  // and groups are above 0, groups divide filters, and not both strides and
  // dilation_rate are above 1.
  Conv1D(Dim filters, Dim kernel_size, Conv1DOptions options = {},
         SourceLocation where = SourceLocation::current());

  // The weights; undefined before the layer is built, the bias also without
  // use_bias.
  Variable kernel() const;
  Variable bias() const;
};

static_assert(sizeof(Conv1D) == sizeof(Layer));

}  // namespace layers

}  // namespace systolic
