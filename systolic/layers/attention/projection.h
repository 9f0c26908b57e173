// Projection: the dense layers of attention, from features to heads and back.
//
//   make_projection({.outputs = {4, 32}, .layer = {.name = "query"}});
#pragma once

#include <memory>

#include "systolic/activations/activation.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

// What a projection is made of.
struct ProjectionOptions {
  // How many of the input's last axes are summed over.
  int inputs = 1;
  // Sizes of the axes that take their place.
  Shape outputs;
  bool use_bias = true;
  activations::Activation activation = {};
  initializers::Initializer kernel_initializer = "glorot_uniform";
  initializers::Initializer bias_initializer = "zeros";
  regularizers::Regularizer kernel_regularizer = {};
  regularizers::Regularizer bias_regularizer = {};
  constraints::Constraint kernel_constraint = {};
  constraints::Constraint bias_constraint = {};
  LayerOptions layer = {};
};

// Shapes: (..., inputs...) -> (..., outputs...); weights kernel (inputs...,
// outputs...) and bias (outputs...).
Layer make_projection(ProjectionOptions options);

}  // namespace systolic::layers
