// What the convolution layers are made of.
//
//   make_convolution({.class_name = "Conv2D", .filters = 32, ...}, where);
#pragma once

#include <memory>

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"
#include "systolic/layers/window.h"

namespace systolic::layers {

// A convolution as its class has it. One along a single axis has windows of
// height 1.
struct Convolution {
  std::string_view class_name;
  // Number of axes that the window moves along: 1 or 2.
  int axes = 2;
  // Filters; of a depthwise convolution those of each channel.
  int64_t filters = 0;
  Window window = {};
  // Whether zeros stand before the first step alone.
  bool is_causal = false;
  // Whether each channel has filters of its own.
  bool is_depthwise = false;
  int64_t groups = 1;
  activations::Activation activation = {};
  bool use_bias = true;
  initializers::Initializer kernel_initializer = {};
  initializers::Initializer bias_initializer = {};
  regularizers::Regularizer kernel_regularizer = {};
  regularizers::Regularizer bias_regularizer = {};
  constraints::Constraint kernel_constraint = {};
  constraints::Constraint bias_constraint = {};
  LayerOptions layer = {};
};

// Takes what all convolutions' options have.
template <class Options>
Convolution convolution_of(std::string_view class_name,
                           const Options& options) {
  Convolution out{.class_name = class_name};
  out.window.data_format = options.data_format;
  out.activation = options.activation;
  out.use_bias = options.use_bias;
  out.bias_initializer = options.bias_initializer;
  out.bias_regularizer = options.bias_regularizer;
  out.bias_constraint = options.bias_constraint;
  out.layer = layer_options(options);
  return out;
}

// The layer. Throws: ValueError unless filters, kernel_size, strides,
// dilation_rate and groups are above 0, groups divide filters, and not both
// strides and dilation_rate are above 1.
std::shared_ptr<LayerBase> make_convolution(Convolution convolution,
                                            const SourceLocation& where);

// The weights of such a layer; undefined before it is built.
Variable convolution_kernel(const LayerBase& layer);
Variable convolution_bias(const LayerBase& layer);

}  // namespace systolic::layers
