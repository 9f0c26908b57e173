// The steps of an average pooling, as a call of our handler and as its twin.
//   Step step = average_pooling_step(c, Form::twin, {});
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "systolic/kernels/test_poolings.h"

namespace systolic::internal::kernels {

/// Returns the sums of windows `window` of `from`, of type `type`.
inline std::string window_sums(const std::string& result,
                               const std::string& from, const std::string& type,
                               const std::string& window,
                               const std::string& sums) {
  return "    " + result + " = \"stablehlo.reduce_window\"(" + from +
         ", %zero) (" + region("add %p, %q : tensor<f32>", "tensor<f32>") +
         ") " + window + " : (" + type + ", tensor<f32>) -> " + sums + "\n";
}

/// How many pixels of the image each window of an average pooling has; XLA
/// would take seconds to count them itself.
inline std::string window_counts(const PoolingCase& c) {
  const Dimensions y = c.output();
  std::array<std::vector<int64_t>, 2> inside;
  for (int axis : {0, 1}) {
    for (int64_t i = 0; i < y[axis + 1]; ++i) {
      const int64_t start = i * c.strides[axis] - c.low[axis];
      inside[axis].push_back(
          std::min(start + c.window[axis], c.input[axis + 1]) -
          std::max<int64_t>(start, 0));
    }
  }
  std::string rows;
  for (int64_t row : inside[0]) {
    std::string counts;
    for (int64_t column : inside[1]) {
      counts +=
          (counts.empty() ? "" : ", ") + std::to_string(row * column) + ".0";
    }
    rows += (rows.empty() ? "[" : ", [") + counts + "]";
  }
  const std::string plane = type_of({y[1], y[2]});
  return line("%zero", "constant dense<0.0>", "tensor<f32>") +
         line("%plane", "constant dense<[" + rows + "]>", plane) +
         line("%counts", "broadcast_in_dim %plane, dims = [1, 2]",
              "(" + plane + ") -> " + type_of(y));
}

/// y from x by averages; the twin is a sum divided by the number of pixels.
inline Step average_pooling_step(const PoolingCase& c, Form form,
                                 const StepOptions& options) {
  Step step{{c.input}, {c.output()}, ""};
  if (form == Form::handler) {
    step.body = call_of("systolic_average_pool2d_forward",
                        attributes_of(c, options), step.inputs, step.outputs);
    return step;
  }
  const std::string type = type_of(c.output());
  step.body =
      window_counts(c) +
      window_sums("%sums", "%a0", type_of(c.input), window_text(c), type) +
      line("%r0", "divide %sums, %counts", type);
  return step;
}

/// dx from dy by averages; the twin is a sum of windows over the shares, with
/// the strides as zeros in between.
inline Step average_pooling_gradient_step(const PoolingCase& c, Form form,
                                          const StepOptions& options) {
  const Dimensions y = c.output();
  Step step{{y}, {c.input}, ""};
  if (form == Form::handler) {
    step.body = call_of("systolic_average_pool2d_gradient",
                        attributes_of(c, options), step.inputs, step.outputs);
    return step;
  }
  const PoolingCase back{
      .name = "", .input = {}, .window = c.window, .strides = {1, 1}};
  std::string low = "[0", high = "[0", inner = "[0";
  Dimensions padded = c.input;
  for (int axis : {0, 1}) {
    const int64_t before = c.window[axis] - 1 - c.low[axis];
    const int64_t reach = (y[axis + 1] - 1) * c.strides[axis] + 1;
    padded[axis + 1] += c.window[axis] - 1;
    low += ", " + std::to_string(before);
    high += ", " + std::to_string(padded[axis + 1] - reach - before);
    inner += ", " + std::to_string(c.strides[axis] - 1);
  }
  step.body = window_counts(c) +
              line("%shares", "divide %a0, %counts", type_of(y)) +
              line("%spread",
                   "pad %shares, %zero, low = " + low + ", 0], high = " + high +
                       ", 0], interior = " + inner + ", 0]",
                   "(" + type_of(y) + ", tensor<f32>) -> " + type_of(padded)) +
              window_sums("%r0", "%spread", type_of(padded), window_text(back),
                          type_of(c.input));
  return step;
}

}  // namespace systolic::internal::kernels
