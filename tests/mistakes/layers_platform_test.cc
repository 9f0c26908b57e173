// Mistakes with layers, activations and initializers.
#include <systolic/systolic.h>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using layers::CallContext;

// Calls a layer that it does not track.
struct Forgetful : layers::LayerBase {
  layers::Layer dense = layers::Dense(2, {.name = "inner"});
  Tensor call(Tensor x, CallContext context) override {
    return dense(x, context);
  }
};

const Mistake kMistakes[] = {
    {"units_0", [] { layers::Dense(0, {.name = "logits"}); },
     R"(ValueError: Dense "logits": expected units > 0, got 0
  at: <line>)"},
    {"unknown_activation", [] { layers::Dense(4, {.activation = "rellu"}); },
     R"(ValueError: activation: expected 'linear', 'relu', 'leaky_relu', 'relu6', 'softmax', 'celu', 'elu', 'selu', 'softplus', 'softsign', 'squareplus', 'soft_shrink', 'silu', 'swish', 'gelu', 'tanh', 'tanh_shrink', 'sigmoid', 'exponential', 'hard_sigmoid', 'hard_silu', 'hard_swish', 'hard_tanh', 'hard_shrink', 'mish', 'log_softmax' or 'log_sigmoid', got 'rellu'
  hint: did you mean 'relu'?
  at: <line>)"},
    {"unknown_initializer",
     [] { layers::Dense(4, {.kernel_initializer = "glorot"}); },
     R"(ValueError: initializer: expected 'zeros', 'ones', 'constant', 'identity', 'random_uniform', 'random_normal', 'truncated_normal', 'variance_scaling', 'glorot_uniform', 'glorot_normal', 'he_uniform', 'he_normal', 'lecun_uniform' or 'lecun_normal', got 'glorot'
  at: <line>)"},
    {"unknown_dtype_policy",
     [] { layers::Dense(4, {.dtype = "mixed_float17"}); },
     R"(ValueError: dtype policy: expected 'mixed_bfloat16', 'mixed_float16' or a dtype's name such as 'float32', got 'mixed_float17'
  at: <line>)"},
    {"one_axis_too_few",
     [] { layers::Dense(4, {.name = "logits"})(zeros({32})); },
     R"(ShapeError: Dense "logits": expected input rank >= 2, got rank 1
  input: float32[32]
  hint: add a batch axis, for example expand_dims(x, 0)
  at: <line>)"},
    {"other_features_after_build",
     [] {
       const layers::Dense dense(4, {.name = "logits"});
       dense(zeros({32, 8}));
       dense(zeros({32, 9}));
     },
     R"(ShapeError: Dense "logits": expected axis -1 of input shape to have value 8, got 9
  input: float32[32, 9]
  built for: (32, 8)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs
  at: <line>)"},
    {"unknown_features",
     [] {
       layers::Dense(4, {.name = "logits"}).build({32, -1});
     },
     R"(ShapeError: Dense "logits": expected known sizes for weight "kernel", got (None, 4)
  hint: only the batch may be unknown (None) when a layer is built
  at: <line>)"},
    {"filters_0", [] { layers::Conv2D(0, 3, {.name = "conv"}); },
     R"(ValueError: Conv2D "conv": expected filters > 0, got 0
  at: <line>)"},
    {"bad_padding", [] { layers::Conv2D(8, 3, {.padding = "smae"}); },
     R"(ValueError: padding: expected 'valid' or 'same', got 'smae'
  at: <line>)"},
    {"bad_data_format",
     [] { layers::Conv2D(8, 3, {.data_format = "channel_last"}); },
     R"(ValueError: data_format: expected 'channels_last' or 'channels_first', got 'channel_last'
  hint: did you mean 'channels_last'?
  at: <line>)"},
    {"strides_and_dilation",
     [] { layers::Conv2D(8, 3, {.strides = 2, .dilation_rate = 2}); },
     R"(ValueError: Conv2D: expected strides or dilation_rate of 1, got strides (2, 2) and dilation_rate (2, 2)
  at: <line>)"},
    {"groups_that_do_not_divide", [] { layers::Conv2D(8, 3, {.groups = 3}); },
     R"(ValueError: Conv2D: expected groups > 0 that divide filters = 8, got groups = 3
  at: <line>)"},
    {"image_without_channels",
     [] {
       layers::Conv2D(8, 3, {.name = "conv"})(zeros({2, 28, 28}));
     },
     R"(ShapeError: Conv2D "conv": expected input rank 4, got rank 3
  input: float32[2, 28, 28]
  hint: images are (batch, height, width, channels); add an axis, for example expand_dims(x, -1)
  at: <line>)"},
    {"image_smaller_than_the_kernel",
     [] {
       layers::Conv2D(8, 5, {.name = "conv"})(zeros({2, 4, 4, 1}));
     },
     R"(ShapeError: Conv2D "conv": expected an image no smaller than the kernel (5, 5), got height and width (4, 4)
  input: (2, 4, 4, 1)
  hint: use padding = "same", a smaller kernel or fewer pooling layers before it
  at: <line>)"},
    {"other_channels_after_build",
     [] {
       const layers::Conv2D conv(8, 3, {.name = "conv"});
       conv(zeros({2, 8, 8, 1}));
       conv(zeros({2, 8, 8, 3}));
     },
     R"(ShapeError: Conv2D "conv": expected axis -1 of input shape to have value 1, got 3
  input: float32[2, 8, 8, 3]
  built for: (2, 8, 8, 1)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs
  at: <line>)"},
    {"pool_size_0", [] { layers::MaxPooling2D(0, {.name = "pool"}); },
     R"(ValueError: MaxPooling2D "pool": expected pool_size > 0 along height and width, got (0, 0)
  at: <line>)"},
    {"image_smaller_than_the_pool",
     [] {
       layers::MaxPooling2D(4, {.name = "pool"})(zeros({2, 3, 3, 1}));
     },
     R"(ShapeError: MaxPooling2D "pool": expected an image no smaller than the pool (4, 4), got height and width (3, 3)
  input: (2, 3, 3, 1)
  hint: use padding = "same", a smaller pool or fewer pooling layers before it
  at: <line>)"},
    {"dropout_rate_above_1", [] { layers::Dropout(50, {.name = "dropout"}); },
     R"(ValueError: Dropout "dropout": expected 0 <= rate <= 1, got 50
  hint: the rate is a fraction: 0.5 drops every other element
  at: <line>)"},
    {"weights_of_another_shape",
     [] {
       const layers::Dense dense(4, {.name = "logits"});
       dense.build({32, 8});
       dense.set_weights({Array::zeros({9, 4}), Array::zeros({4})});
     },
     R"(ShapeError: Dense "logits": expected a value of shape (8, 4) for logits/kernel, got (9, 4)
  weight: float32[8, 4]
  value: float32[9, 4]
  at: <line>)"},
    {"weights_of_another_number",
     [] {
       const layers::Dense dense(4, {.name = "logits"});
       dense.build({32, 8});
       dense.set_weights({Array::zeros({8, 4})});
     },
     R"(ValueError: Dense "logits": expected 2 arrays, one for each weight, got 1
  logits/kernel: float32[8, 4]
  logits/bias: float32[4]
  at: <line>)"},
    {"count_params_before_build",
     [] { layers::Dense(4, {.name = "logits"}).count_params(); },
     R"(ValueError: Dense "logits": its weights can not be counted before they are made
  hint: call the layer, or build(input_shape) it)"},
    {"layer_that_is_not_tracked",
     [] {
       layers::make<Forgetful>()(zeros({2, 3}));
     },
     R"(ValueError: Forgetful "forgetful": its call uses Dense "inner", which it does not track, so that its weights would be neither trained nor saved
  hint: take it in where this layer is made: track("inner", ...)
  at: <line>)"},
    {"undefined_layer",
     [] {
       layers::Layer()(zeros({2, 3}));
     },
     R"(ValueError: Layer: expected a layer, got an empty handle (Layer())
  hint: assign one, such as layers::Dense(10))"},
    {"two_layers_of_one_name",
     [] {
       models::Sequential({layers::Dense(4, {.name = "logits"}),
                           layers::Dense(4, {.name = "logits"})});
     },
     R"(ValueError: Sequential.add: expected layers with different names, got "logits" twice
  hint: give one of them another .name)"},
    {"image_grows_too_small_in_a_model",
     [] {
       models::Sequential({
           layers::Conv2D(8, 3, {.input_shape = {6, 6, 1}, .name = "first"}),
           layers::MaxPooling2D(2, {.name = "pool"}),
           layers::Conv2D(8, 3, {.name = "second"}),
       });
     },
     R"(ShapeError: Conv2D "second": expected an image no smaller than the kernel (3, 3), got height and width (2, 2)
  input: (None, 2, 2, 8)
  hint: use padding = "same", a smaller kernel or fewer pooling layers before it)"},
};

INSTANTIATE_MISTAKES(Layers, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
