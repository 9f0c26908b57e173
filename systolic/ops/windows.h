// Sliding windows: what convolution and pooling share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/ops/nn.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::ops {

/// A window along one axis, with explicit padding.
struct WindowAxis {
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t low = 0;
  int64_t high = 0;

  /// Places of a window of `window` elements over `size` elements.
  int64_t outputs(int64_t size, int64_t window) const;
};

/// The window of a stride, a dilation and a padding rule over an axis.
/// Throws ValueError for a stride or dilation below 1.
WindowAxis window_axis(int64_t size, int64_t window, int64_t stride,
                       int64_t dilation, Padding padding, std::string_view op,
                       const SourceLocation& where);

/// A window over the spatial axes.
struct ConvWindow {
  std::vector<int64_t> strides, dilation, low, high;

  WindowAxis axis(int i) const {
    return {strides[i], dilation[i], low[i], high[i]};
  }
  void push_back(const WindowAxis& axis);

  /// The attributes that all our kernels take.
  std::string kernel_attributes() const;

  /// As StableHLO's convolution takes it.
  stablehlo::Window stablehlo() const;

  template <class V>
  void visit(V&& v) const {
    v("strides", strides);
    v("dilation", dilation);
    v("low", low);
    v("high", high);
  }
};

}  // namespace systolic::internal::ops
