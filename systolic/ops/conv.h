// What the forms of convolution share: checks, and images of one spatial axis
// or with their channels first as our op has them.
#pragma once

#include <string_view>

#include "systolic/base/message.h"
#include "systolic/graph/tensor.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/windows.h"

namespace systolic::internal::ops {

/// The start of an error of a convolution, which shows both operands.
Message conv_error(std::string_view who, const Tensor& x, const Tensor& w,
                   const SourceLocation& where);

/// Throws unless `x` is images of floating-point numbers, `w` a kernel of
/// their rank, and there is a stride and a dilation for each spatial axis.
void check_images(std::string_view who, const Tensor& x, const Tensor& w,
                  const nn::PerAxis& strides, const nn::PerAxis& dilation,
                  const SourceLocation& where);

/// `x` with an axis of size 1 in front of its only spatial one: our kernels
/// and the plugins are fast with two.
Tensor widened(const Tensor& x, int axis, const SourceLocation& where);
/// The same for its window.
void widen(ConvWindow& window);

/// Images in a data format as (n, ..., c), and back.
Tensor channels_last(const Tensor& x, DataFormat format,
                     const SourceLocation& where);
Tensor in_format(const Tensor& y, DataFormat format,
                 const SourceLocation& where);

/// The gradient of a convolution with respect to its input of `shape`, where
/// the result's is `y`.
Tensor convolve_transposed(const Tensor& y, const Tensor& kernel,
                           const ConvWindow& window, const Shape& shape,
                           const SourceLocation& where);

}  // namespace systolic::internal::ops
