// Tested by: systolic/ops/conv_platform_test.cc
#include "systolic/stablehlo/convolution_gradient.h"

#include <numeric>

namespace systolic::internal::stablehlo {

namespace {

// 0, 1, ... count - 1.
std::vector<int64_t> counting(int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

// dx = convolution of dy, spread by the strides, with the filter turned
// round and its channel axes exchanged.
Value convolution_input_gradient(Emitter& e, const Convolution& c,
                                 const Value& dy, const Value& filter) {
  const Shape& w = c.filter;
  const int axes = w.rank() - 2;
  const int64_t g = c.groups, in = w[-2], out = w[-1] / g;
  auto turned = e.reverse(filter, counting(axes));
  Shape split(w.dims().first(static_cast<size_t>(axes)));
  Shape joined = split;
  for (int64_t size : {in, g, out}) split.push_back(size);
  turned = e.reshape(turned, split);
  std::vector<int64_t> exchange = counting(axes + 3);
  std::swap(exchange[static_cast<size_t>(axes)], exchange.back());
  turned = e.transpose(turned, exchange);
  for (int64_t size : {out, g * in}) joined.push_back(size);
  turned = e.reshape(turned, joined);
  Window window;
  window.strides.assign(c.strides.size(), 1);
  window.base_dilation = c.strides;
  window.window_dilation = c.dilation;
  for (int i = 0; i < axes; ++i) {
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
  const int axes = w.rank() - 2;
  std::vector<int64_t> x_order = counting(axes + 2);
  std::swap(x_order.front(), x_order.back());
  std::vector<int64_t> dy_order, order;
  Shape turned{w[-2]};
  for (int i = 0; i < axes; ++i) {
    dy_order.push_back(i + 1);
    order.push_back(i + 1);
    turned.push_back(w[i]);
  }
  dy_order.insert(dy_order.end(), {0, axes + 1});
  order.insert(order.end(), {0, axes + 1});
  turned.push_back(w[-1]);
  const auto source = e.transpose(x, x_order);
  const auto filter = e.transpose(dy, dy_order);
  Window window;
  window.strides = c.dilation;
  window.window_dilation = c.strides;
  for (int i = 0; i < axes; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t reach = (y[i + 1] - 1) * c.strides[axis] + 1;
    const int64_t high =
        (w[i] - 1) * c.dilation[axis] + reach - c.input[i + 1] - c.low[axis];
    window.padding.push_back({c.low[axis], high});
  }
  const auto dw = e.convolution(source, filter, window, turned, 1, c.groups);
  return e.transpose(dw, order);
}

}  // namespace systolic::internal::stablehlo
