// Tested by: systolic/ops/conv_platform_test.cc
#include "systolic/stablehlo/convolution_gradient.h"

namespace systolic::internal::stablehlo {

// dx = convolution of dy, spread by the strides, with the filter turned
// round and its channel axes exchanged.
Value convolution_input_gradient(Emitter& e, const Convolution& c,
                                 const Value& dy, const Value& filter) {
  const Shape& w = c.filter;
  const int64_t g = c.groups, in = w[2], out = w[3] / g;
  const int64_t spatial[] = {0, 1};
  auto turned = e.reverse(filter, spatial);
  turned = e.reshape(turned, {w[0], w[1], in, g, out});
  const int64_t exchange[] = {0, 1, 4, 3, 2};
  turned = e.transpose(turned, exchange);
  turned = e.reshape(turned, {w[0], w[1], out, g * in});
  Window window;
  window.strides = {1, 1};
  window.base_dilation = {c.strides.begin(), c.strides.end()};
  window.window_dilation = {c.dilation.begin(), c.dilation.end()};
  for (int i = 0; i < 2; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t reach = (w[i] - 1) * c.dilation[axis];
    const int64_t low = reach - c.low[axis];
    const int64_t spread = (dy.spec.shape[i + 1] - 1) * c.strides[axis] + 1;
    const int64_t high = c.input[i + 1] - spread - low + reach;
    window.padding.push_back({low, high});
  }
  return e.convolution(dy, turned, window, c.input, g);
}

// dw = convolution of x with dy as the filter: channels take the place of
// the batch, the batch that of the channels.
Value convolution_filter_gradient(Emitter& e, const Convolution& c,
                                  const Value& dy, const Value& x) {
  const Shape &w = c.filter, &y = dy.spec.shape;
  const int64_t x_order[] = {3, 1, 2, 0}, dy_order[] = {1, 2, 0, 3};
  const auto source = e.transpose(x, x_order);
  const auto filter = e.transpose(dy, dy_order);
  Window window;
  window.strides = {c.dilation.begin(), c.dilation.end()};
  window.window_dilation = {c.strides.begin(), c.strides.end()};
  for (int i = 0; i < 2; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t reach = (y[i + 1] - 1) * c.strides[axis] + 1;
    const int64_t high =
        (w[i] - 1) * c.dilation[axis] + reach - c.input[i + 1] - c.low[axis];
    window.padding.push_back({c.low[axis], high});
  }
  const Shape turned{w[2], w[0], w[1], w[3]};
  const auto dw = e.convolution(source, filter, window, turned, 1, c.groups);
  const int64_t order[] = {1, 2, 0, 3};
  return e.transpose(dw, order);
}

}  // namespace systolic::internal::stablehlo
