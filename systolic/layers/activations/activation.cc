#include "systolic/layers/activations/activation.h"

#include "systolic/activations/functions.h"
#include "systolic/layers/options.h"
#include "systolic/ops/nn.h"

namespace systolic::layers {

namespace {

// A layer that only applies a function of one Tensor.
class FunctionBase final : public LayerBase {
 public:
  FunctionBase(std::string_view class_name, LayerOptions options,
               activations::Activation function)
      : LayerBase(std::move(options)),
        name_of_class_(class_name),
        function_(std::move(function)) {}

  std::string_view class_name() const override { return name_of_class_; }
  Tensor call(Tensor x, CallContext) override { return function_(x); }
  Shape compute_output_shape(const Shape& input_shape) const override {
    return input_shape;
  }

 private:
  std::string_view name_of_class_;
  activations::Activation function_;
};

std::shared_ptr<LayerBase> make_relu(const ReLUOptions& options,
                                     const SourceLocation& where) {
  const activations::ReluOptions how{.negative_slope = options.negative_slope,
                                     .max_value = options.max_value,
                                     .threshold = options.threshold};
  const std::pair<std::string_view, double> values[] = {
      {"max_value", options.max_value.value_or(0)},
      {"negative_slope", options.negative_slope},
      {"threshold", options.threshold}};
  for (const auto& [name, value] : values) {
    if (value >= 0) continue;
    internal::Message("ReLU")
        .expected(name, " >= 0")
        .got(value)
        .at(where)
        .raise<ValueError>();
  }
  return std::make_shared<FunctionBase>(
      "ReLU", layer_options(options),
      [how](const Tensor& x) { return activations::relu(x, how); });
}

std::shared_ptr<LayerBase> make_leaky_relu(double negative_slope,
                                           const LeakyReLUOptions& options,
                                           const SourceLocation& where) {
  if (!(negative_slope >= 0)) {
    internal::Message("LeakyReLU")
        .expected("negative_slope >= 0")
        .got(negative_slope)
        .at(where)
        .raise<ValueError>();
  }
  return std::make_shared<FunctionBase>(
      "LeakyReLU", layer_options(options), [negative_slope](const Tensor& x) {
        return nn::leaky_relu(x, negative_slope);
      });
}

}  // namespace

Activation::Activation(activations::Activation activation,
                       ActivationOptions options)
    : Layer(std::make_shared<FunctionBase>("Activation", layer_options(options),
                                           std::move(activation))) {}

ReLU::ReLU(ReLUOptions options, SourceLocation where)
    : Layer(make_relu(options, where)) {}

LeakyReLU::LeakyReLU(double negative_slope, LeakyReLUOptions options,
                     SourceLocation where)
    : Layer(make_leaky_relu(negative_slope, options, where)) {}

ELU::ELU(double alpha, ELUOptions options)
    : Layer(std::make_shared<FunctionBase>(
          "ELU", layer_options(options),
          [alpha](const Tensor& x) { return nn::elu(x, alpha); })) {}

Softmax::Softmax(SoftmaxOptions options)
    : Layer(std::make_shared<FunctionBase>(
          "Softmax", layer_options(options),
          [axis = options.axis](const Tensor& x) {
            return activations::softmax(x, axis);
          })) {}

}  // namespace systolic::layers
