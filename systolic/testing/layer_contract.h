// What every layer must do, checked by one call.
//
//   contracts::check_layer(
//       {.make = [](layers::DTypePolicy dtype) {
//          return layers::Dense(4, {.dtype = dtype});
//        },
//        .input_shape = {3},
//        .output_shape = {4},
//        .weights = {{"kernel", {3, 4}}, {"bias", {4}}}});
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systolic/layers/dtype_policy.h"
#include "systolic/layers/layer.h"
#include "systolic/testing/golden.h"

namespace systolic::contracts {

// A weight that a layer is expected to make.
struct ExpectedWeight {
  std::string name;
  Shape shape;
  bool trainable = true;
};

// A layer and what is expected of it. Shapes are without the batch.
struct LayerCase {
  // Makes a new layer with that policy.
  std::function<layers::Layer(layers::DTypePolicy)> make;
  Shape input_shape;
  Shape output_shape;
  std::vector<ExpectedWeight> weights = {};
  // Whether training draws random numbers, so that its results differ.
  bool random_in_training = false;
  // Whether training computes something else, the same each time.
  bool differs_in_training = false;
  // Whether a gradient reaches the input.
  bool differentiable = true;
  std::vector<layers::DTypePolicy> policies = {"float32", "bfloat16",
                                               "mixed_bfloat16"};
};

// Reports GoogleTest failures for each of: weights (names, paths, shapes,
// dtypes, order), output shape inferred against real for batches of 1, 7, 8
// and unknown, dtypes, training against inference, gradients to every
// trainable weight and the input, the same seed twice, weights taken out and
// put into another layer, freezing.
void check_layer(const LayerCase& layer_case,
                 SourceLocation where = SourceLocation::current());

// How near recorded outputs must be, where not as golden::difference has it.
struct GoldenLayerOptions {
  golden::Tolerance output = {};
  golden::Tolerance gradients = {};
  // Calls the layer with the case's inputs; unset: layer.call_all.
  std::function<Tensor(const layers::Layer& layer,
                       const std::vector<Tensor>& inputs,
                       const golden::Case& c)>
      call = {};
};

// Runs the cases of a family of recorded layers: values, output shape,
// gradients to the inputs and each weight, and what a call changes. `make`
// turns Keras's options into a layer.
void check_golden_layers(
    std::string_view family,
    const std::function<layers::Layer(const golden::Value& options)>& make,
    const GoldenLayerOptions& options = {});

}  // namespace systolic::contracts
