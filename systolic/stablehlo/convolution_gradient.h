// The gradients of a convolution of NHWC inputs with HWIO filters, of any
// number of spatial axes, written as convolutions.
//
//   const Convolution c{.input = {8, 28, 28, 1}, .filter = {3, 3, 1, 32}};
//   Value dx = convolution_input_gradient(emitter, c, dy, filter);
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {

/// A convolution's shapes and window; lists are {height, width}.
struct Convolution {
  Shape input;
  Shape filter;
  std::vector<int64_t> strides{1, 1};
  std::vector<int64_t> dilation{1, 1};
  /// The padding above and to the left; what is below shows in dy's shape.
  std::vector<int64_t> low{0, 0};
  int64_t groups = 1;
};

/// Returns the gradient with respect to the input, of its shape.
Value convolution_input_gradient(Emitter& e, const Convolution& c,
                                 const Value& dy, const Value& filter);

/// Returns the gradient with respect to the filter, of its shape.
Value convolution_filter_gradient(Emitter& e, const Convolution& c,
                                  const Value& dy, const Value& x);

}  // namespace systolic::internal::stablehlo
