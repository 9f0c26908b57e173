// Input: what a model takes in, as a symbolic Tensor.
//
//   Tensor input = layers::Input({784});             // (None, 784)
//   models::Model model(input, layers::Dense(10)(input));
//   models::Sequential({layers::Input({28, 28, 1}), layers::Flatten(), ...});
#pragma once

#include "systolic/base/optional_int.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

// What Input can be told.
struct InputOptions {
  // Rows of every batch; unset: any number.
  OptionalInt batch_size = {};
  // Dtype of the data, which are converted to it; unset: the policy's.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "input_layer".
  std::string name = {};
};

// Gives its input back, of a fixed shape. Shapes: (batch, shape...) -> same.
class InputLayer : public Layer {
 public:
  // `shape` has no batch axis; sizes of -1 are unknown.
  // Throws: ValueError for an unset shape or a batch_size below 1.
  explicit InputLayer(const Shape& shape, InputOptions options = {},
                      SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(InputLayer) == sizeof(Layer));

// The symbolic Tensor that an InputLayer gives; a Sequential takes it as that
// layer. `shape` has no batch axis; sizes of -1 are unknown.
// Throws: ValueError for an unset shape or a batch_size below 1.
Tensor Input(const Shape& shape, const InputOptions& options = {},
             SourceLocation where = SourceLocation::current());

}  // namespace systolic::layers
