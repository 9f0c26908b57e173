// Masks that go with a value from layer to layer, as Keras's do: of a batch of
// sequences, which steps count.
//
//   Tensor x = layers::Embedding(100, 8, {.mask_zero = true})(tokens);
//   Tensor mask = layers::mask_of(x);          // not_equal(tokens, 0)
//   layers::set_mask(y, mask);                 // a mask of one's own
#pragma once

#include "systolic/base/error.h"
#include "systolic/graph/tensor.h"

namespace systolic::layers {

// The mask of what a layer gave, bool of its first axes; undefined where all
// of it counts. Ops, and layers that do not support masking, drop it.
Tensor mask_of(const Tensor& x);

// Gives a value a mask, which the layers that it goes into see. Throws:
// TypeError unless it is bool; ShapeError unless it has x's first axes.
void set_mask(const Tensor& x, const Tensor& mask,
              SourceLocation where = SourceLocation::current());

}  // namespace systolic::layers
