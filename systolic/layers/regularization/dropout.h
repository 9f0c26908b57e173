// Dropout: in training, elements are zeroed at random.
//
//   layers::Dropout(0.5);
#pragma once

#include "systolic/base/optional_int.h"
#include "systolic/layers/layer_base.h"

namespace systolic::layers {

// What Dropout can be told.
struct DropoutOptions {
  // The shape of the random mask, broadcast to the input; -1: as the input.
  Shape noise_shape = {};
  // Seed of the draws; unset: one from the program's.
  OptionalInt seed = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "dropout".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
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
