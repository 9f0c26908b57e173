// Input: says what a model takes in; the first layer of a Sequential.
//
//   models::Sequential({layers::Input({28, 28, 1}), layers::Flatten(), ...});
#pragma once

#include "systolic/base/optional_int.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

struct InputOptions {
  OptionalInt batch_size = {};
  DTypePolicy dtype = {};
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

// Keras's short name.
using Input = InputLayer;

}  // namespace systolic::layers
