#include "systolic/ops/windows.h"

#include <algorithm>

#include "systolic/base/message.h"

namespace systolic::internal::ops {

int64_t WindowAxis::outputs(int64_t size, int64_t window) const {
  const int64_t reach = (window - 1) * dilation + 1;
  const int64_t padded = size + low + high;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

WindowAxis window_axis(int64_t size, int64_t window, int64_t stride,
                       int64_t dilation, Padding padding, std::string_view op,
                       const SourceLocation& where) {
  if (stride < 1 || dilation < 1 || window < 1) {
    Message(std::string(op))
        .expected("window sizes, strides and dilations of at least 1")
        .got("size ", window, ", stride ", stride, ", dilation ", dilation)
        .at(where)
        .raise<ValueError>();
  }
  WindowAxis axis{stride, dilation, 0, 0};
  if (padding == Padding::same) {
    // TensorFlow's rule: the odd element goes after.
    const int64_t outputs = (size + stride - 1) / stride;
    const int64_t reach = (window - 1) * dilation + 1;
    const int64_t total =
        std::max<int64_t>((outputs - 1) * stride + reach - size, 0);
    axis.low = total / 2;
    axis.high = total - axis.low;
  }
  return axis;
}

void ConvWindow::push_back(const WindowAxis& axis) {
  strides.push_back(axis.stride);
  dilation.push_back(axis.dilation);
  low.push_back(axis.low);
  high.push_back(axis.high);
}

std::string ConvWindow::kernel_attributes() const {
  return "strides = " + stablehlo::i64_array(strides) +
         ", padding_low = " + stablehlo::i64_array(low) +
         ", padding_high = " + stablehlo::i64_array(high);
}

stablehlo::Window ConvWindow::stablehlo() const {
  stablehlo::Window window;
  window.strides = strides;
  window.window_dilation = dilation;
  for (size_t i = 0; i < low.size(); ++i) {
    window.padding.push_back({low[i], high[i]});
  }
  return window;
}

}  // namespace systolic::internal::ops
