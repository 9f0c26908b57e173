// Dropout: in training, elements are zeroed at random.
//
//   layers::Dropout(0.5);
#pragma once

#include <optional>

#include "systolic/layers/layer_base.h"

namespace systolic::layers {

struct DropoutOptions {
  // The shape of the random mask, broadcast to the input; -1: as the input.
  Shape noise_shape = {};
  std::optional<int64_t> seed = std::nullopt;
  Shape input_shape = {};
  bool trainable = true;
  DTypePolicy dtype = {};
  std::string name = {};

  template <class V>
  void visit(V&& v) const {
    v("noise_shape", noise_shape);
    v("seed", seed);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// In training, x with a share `rate` of the elements zeroed and the others
// scaled by 1 / (1 - rate); else x. The draw depends on an element's place in
// the whole batch, not on the number of replicas. Shapes: any -> same.
class Dropout : public Layer {
 public:
  // Throws: ValueError unless 0 <= rate <= 1 and all sizes of noise_shape
  // are above 0 or unknown.
  explicit Dropout(double rate, DropoutOptions options = {},
                   SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(Dropout) == sizeof(Layer));

}  // namespace systolic::layers
