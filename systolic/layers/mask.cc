// Tested by: systolic/layers/core/masking_platform_test.cc
#include "systolic/layers/mask.h"

#include "systolic/base/message.h"
#include "systolic/graph/mask.h"

namespace systolic::layers {

Tensor mask_of(const Tensor& x) { return internal::graph::mask_of(x); }

void set_mask(const Tensor& x, const Tensor& mask, SourceLocation where) {
  if (mask.dtype() != DType::boolean) {
    internal::Message("set_mask")
        .expected("a mask of bool")
        .got(mask.spec())
        .hint("compare it with 0: not_equal(mask, 0)")
        .at(where)
        .raise<TypeError>();
  }
  bool fits = mask.rank() <= x.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) {
    fits = mask.shape()[i] == x.shape()[i];
  }
  if (!fits) {
    internal::Message("set_mask")
        .expected("a mask that has the value's first axes")
        .got(mask.shape())
        .detail("value", x.spec())
        .at(where)
        .raise<ShapeError>();
  }
  internal::graph::set_mask(x, mask);
}

}  // namespace systolic::layers
