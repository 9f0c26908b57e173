// Masks: which positions of a value count. A mask goes along with its value
// from layer to layer; ops drop it.
//
//   set_mask(y, not_equal(tokens, 0));
//   const Tensor mask = mask_of(y);
#pragma once

#include "systolic/graph/tensor.h"

namespace systolic::internal::graph {

/// The mask of a value, bool of the value's first axes; undefined: all count.
Tensor mask_of(const Tensor& value);

/// Gives the value a mask in the place of one that it may have.
void set_mask(const Tensor& value, const Tensor& mask);

}  // namespace systolic::internal::graph
