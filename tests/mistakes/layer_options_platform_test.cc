// Mistakes with the options of layers and initializers, and with weights.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

const Mistake kMistakes[] = {
    {"units_below_0", [] { layers::Dense(-3, {.name = "d"}); },
     R"(ValueError: Dense "d": expected units > 0, got -3
  at: <line>)"},
    {"slash_in_a_name", [] { layers::Dense(3, {.name = "a/b"}); },
     R"(ValueError: Layer "a/b": expected a name without '/', which separates the names in a path, got 'a/b')"},
    {"features_that_are_unknown",
     [] {
       models::Sequential model(
           {layers::Dense(3, {.input_shape = {-1}, .name = "d"})});
     },
     R"(ShapeError: Dense "d": expected known sizes for weight "kernel", got (None, 3)
  hint: only the batch may be unknown (None) when a layer is built)"},
    {"scalar_for_a_layer", [] { layers::Dense(3, {.name = "d"})(2.0); },
     R"(ShapeError: Dense "d": expected input rank >= 2, got rank 0
  input: float32[]
  hint: add a batch axis, for example expand_dims(x, 0)
  at: <line>)"},
    {"undefined_input", [] { layers::Dense(3, {.name = "d"})(Tensor()); },
     R"(ValueError: Dense "d": expected defined inputs, got an undefined Tensor (Tensor()) as input 0
  at: <line>)"},
    {"activation_without_a_name",
     [] {
       layers::Dense(3, {.activation = static_cast<const char*>(nullptr)});
     },
     R"(ValueError: activation: expected a name, got a null pointer
  hint: leave it out for the default
  at: <line>)"},
    {"initializer_without_a_name",
     [] {
       layers::Dense(3,
                     {.kernel_initializer = static_cast<const char*>(nullptr)});
     },
     R"(ValueError: initializer: expected a name, got a null pointer
  hint: leave it out for the default
  at: <line>)"},
    {"activation_without_a_function",
     [] {
       layers::Dense(3, {.activation = std::function<Tensor(const Tensor&)>(),
                         .name = "d"})(zeros({2, 4}));
     },
     R"(ValueError: activation: expected a function, got an empty one (a null pointer or std::function()))"},
    {"initializer_of_another_shape",
     [] {
       layers::Dense(3, {.kernel_initializer = [](const Shape&,
                                                  DType) { return zeros({2}); },
                         .name = "d"})(zeros({2, 4}));
     },
     R"(ShapeError: Initializer function: expected a value of the weight's shape (4, 3), got (2,))"},
    {"unknown_regularizer",
     [] { layers::Dense(3, {.kernel_regularizer = "l3"}); },
     R"(ValueError: regularizer: expected 'l1', 'l2' or 'l1l2', got 'l3'
  hint: give the object where it takes numbers, such as regularizers::L2(1e-4)
  at: <line>)"},
    {"penalty_that_is_no_number",
     [] { layers::Dense(3, {.kernel_regularizer = regularizers::L2(NAN)}); },
     R"(ValueError: Regularizer L2: expected a finite l2, got nan)"},
    {"layer_of_strings", [] { layers::Dense(3, {.dtype = "string"}); },
     R"(ValueError: dtype policy: expected 'mixed_bfloat16', 'mixed_float16' or a dtype's name such as 'float32', got 'string'
  at: <line>)"},
    {"kernel_0", [] { layers::Conv2D(3, 0, {.name = "c"}); },
     R"(ValueError: Conv2D "c": expected kernel_size > 0 along height and width, got (0, 0)
  at: <line>)"},
    {"strides_0", [] { layers::Conv2D(3, 3, {.strides = 0, .name = "c"}); },
     R"(ValueError: Conv2D "c": expected strides > 0 along height and width, got (0, 0)
  at: <line>)"},
    {"dilation_rate_0",
     [] { layers::Conv2D(3, 3, {.dilation_rate = 0, .name = "c"}); },
     R"(ValueError: Conv2D "c": expected dilation_rate > 0 along height and width, got (0, 0)
  at: <line>)"},
    {"groups_0", [] { layers::Conv2D(3, 3, {.groups = 0, .name = "c"}); },
     R"(ValueError: Conv2D "c": expected groups > 0 that divide filters = 3, got groups = 0
  at: <line>)"},
    {"channels_that_groups_do_not_divide",
     [] {
       layers::Conv2D(4, 3, {.groups = 2, .name = "c"})(zeros({1, 8, 8, 3}));
     },
     R"(ShapeError: Conv2D "c": expected a number of channels that groups = 2 divide, got 3 channels
  input: (1, 8, 8, 3)
  at: <line>)"},
    {"image_shape_without_channels",
     [] {
       models::Sequential model(
           {layers::Conv2D(4, 3, {.input_shape = {28, 28}, .name = "c"})});
     },
     R"(ShapeError: Conv2D "c": expected input rank 4, got rank 3
  input: (None, 28, 28)
  hint: images are (batch, height, width, channels); add an axis, for example expand_dims(x, -1))"},
    {"dilated_kernel_larger_than_the_image",
     [] {
       layers::Conv2D(4, 3,
                      {.dilation_rate = 4, .name = "c"})(zeros({1, 8, 8, 3}));
     },
     R"(ShapeError: Conv2D "c": expected an image no smaller than the kernel (3, 3), got height and width (8, 8)
  input: (1, 8, 8, 3)
  dilation_rate: (4, 4)
  hint: use padding = "same", a smaller kernel or fewer pooling layers before it
  at: <line>)"},
    {"pool_strides_0",
     [] { layers::MaxPooling2D(2, {.strides = 0, .name = "p"}); },
     R"(ValueError: MaxPooling2D "p": expected strides > 0 along height and width, got (0, 0)
  at: <line>)"},
    {"pool_of_rank_3",
     [] {
       layers::MaxPooling2D(2, {.name = "p"})(zeros({8, 8, 1}));
     },
     R"(ShapeError: MaxPooling2D "p": expected input rank 4, got rank 3
  input: float32[8, 8, 1]
  hint: images are (batch, height, width, channels)
  at: <line>)"},
    {"negative_rate", [] { layers::Dropout(-0.1, {.name = "d"}); },
     R"(ValueError: Dropout "d": expected 0 <= rate <= 1, got -0.1
  hint: the rate is a fraction: 0.5 drops every other element
  at: <line>)"},
    {"noise_of_another_shape",
     [] {
       layers::Dropout(0.5, {.noise_shape = {3}, .name = "d"})(
           zeros({2, 4}), {.training = true});
     },
     R"(ShapeError: Dropout "d": expected a noise_shape that broadcasts to the input, got (3,)
  input: (2, 4)
  at: <line>)"},
    {"flatten_a_scalar", [] { layers::Flatten({.name = "f"})(2.0); },
     R"(ShapeError: Flatten "f": expected input rank >= 1, got rank 0
  input: float32[]
  at: <line>)"},
    {"negative_max_value",
     [] { layers::ReLU({.max_value = -1.0, .name = "r"}); },
     R"(ValueError: ReLU: expected max_value >= 0, got -1
  at: <line>)"},
    {"softmax_along_no_axis",
     [] {
       layers::Softmax({.axis = 5, .name = "s"})(zeros({2, 3}));
     },
     R"(OutOfRangeError: softmax: expected an axis from -2 to 1 for an input of rank 2, got axis = 5)"},
    {"input_without_a_shape", [] { layers::Input({}); },
     R"(ValueError: InputLayer: expected a shape without the batch axis, such as {28, 28, 1}, got none
  hint: a single number per example is Shape::scalar()
  at: <line>)"},
    {"input_batch_of_0", [] { layers::Input({3}, {.batch_size = 0}); },
     R"(ValueError: InputLayer: expected batch_size > 0, got 0
  at: <line>)"},
    {"input_behind_a_layer",
     [] {
       models::Sequential model({layers::Dense(3), layers::Input({4})});
     },
     R"(ValueError: Sequential.add: expected an Input only as the first layer, got one behind 1 layer(s))"},
    {"input_of_another_shape",
     [] {
       models::Sequential model(
           {layers::Input({5}, {.name = "in"}), layers::Dense(3)});
       model(zeros({2, 4}));
     },
     R"(ShapeError: InputLayer "in": expected axis 1 of input shape to have value 5, got 4
  input: float32[2, 4]
  built for: (None, 5)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs
  at: <line>)"},
    {"weights_before_they_are_made",
     [] {
       layers::Dense(3, {.name = "d"})
           .set_weights({Array::zeros({4, 3}), Array::zeros({3})});
     },
     R"(ValueError: Dense "d": expected 0 arrays, one for each weight, got 2
  hint: build the layer first: build(input_shape)
  at: <line>)"},
    {"weights_transposed",
     [] {
       layers::Dense dense(3, {.name = "d"});
       dense.build({1, 4});
       dense.set_weights({Array::zeros({3, 4}), Array::zeros({3})});
     },
     R"(ShapeError: Dense "d": expected a value of shape (4, 3) for d/kernel, got (3, 4)
  weight: float32[4, 3]
  value: float32[3, 4]
  at: <line>)"},
    {"unset_weights",
     [] {
       layers::Dense dense(3, {.name = "d"});
       dense.build({1, 4});
       dense.set_weights({Array(), Array::zeros({3})});
     },
     R"(ShapeError: Dense "d": expected a value of shape (4, 3) for d/kernel, got <unset>
  weight: float32[4, 3]
  value: float32<unset>
  at: <line>)"},
    {"variance_of_0", [] { initializers::VarianceScaling({.scale = 0}); },
     R"(ValueError: Initializer VarianceScaling: expected scale > 0, got 0)"},
    {"unknown_mode", [] { initializers::VarianceScaling({.mode = "fan"}); },
     R"(ValueError: VarianceScaling mode: expected 'fan_in', 'fan_out' or 'fan_avg', got 'fan'
  at: <line>)"},
    {"identity_of_three_axes",
     [] {
       initializers::Identity()({2, 2, 2});
     },
     R"(ShapeError: Initializer Identity: expected a weight with 2 axes, got shape (2, 2, 2))"},
    {"random_weights_of_integers",
     [] { initializers::RandomNormal()({2}, DType::int32); },
     R"(TypeError: random: expected a floating-point dtype, got int32)"},
    {"layer_from_nothing", [] { models::Sequential model({layers::Layer()}); },
     R"(ValueError: Sequential.add: expected a layer, got an undefined one (Layer()))"},
};

INSTANTIATE_MISTAKES(LayerOptions, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
