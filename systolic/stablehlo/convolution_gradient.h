// The gradients of a convolution of NHWC inputs with HWIO filters, written as
// convolutions.
//
//   const Convolution c{.input = {8, 28, 28, 1}, .filter = {3, 3, 1, 32}};
//   Value dx = convolution_input_gradient(emitter, c, dy, filter);
#pragma once

#include <array>
#include <cstdint>

#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {

/// A convolution's shapes and window; pairs are {height, width}.
struct Convolution {
  Shape input;
  Shape filter;
  std::array<int64_t, 2> strides{1, 1};
  std::array<int64_t, 2> dilation{1, 1};
  /// The padding above and to the left; what is below shows in dy's shape.
  std::array<int64_t, 2> low{0, 0};
  int64_t groups = 1;
};

/// Returns the gradient with respect to the input, of its shape.
Value convolution_input_gradient(Emitter& e, const Convolution& c,
                                 const Value& dy, const Value& filter);

/// Returns the gradient with respect to the filter, of its shape.
Value convolution_filter_gradient(Emitter& e, const Convolution& c,
                                  const Value& dy, const Value& x);

}  // namespace systolic::internal::stablehlo
