// The steps of a convolution, as a call of our handler and as its twin: plain
// StableHLO, always a forward convolution of NHWC by HWIO without reversal or
// lhs_dilation, the only form that XLA:CPU does not run slowly.
//   Step step = forward_step(c, Form::twin, {.relu = true});
#pragma once

#include "systolic/kernels/test_programs.h"

namespace systolic::internal::kernels {

/// Returns the attributes of a convolution's custom call.
inline std::string attributes_of(const ConvolutionCase& c,
                                 const StepOptions& options) {
  return pair_text("strides", c.strides) + ", " +
         pair_text("padding_low", c.low) + ", " +
         pair_text("padding_high", c.high) + ", " +
         pair_text("dilation", c.dilation) +
         ", groups = " + std::to_string(c.groups) +
         " : i64, threads = " + std::to_string(options.threads) + " : i64";
}

/// The window and the groups of a stablehlo.convolution.
struct Window {
  std::array<int64_t, 2> stride{1, 1};
  std::array<int64_t, 2> low{0, 0};
  std::array<int64_t, 2> high{0, 0};
  std::array<int64_t, 2> dilation{1, 1};
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
};

/// Returns a convolution of `x` by `w`.
inline std::string convolution_line(const std::string& result,
                                    const std::string& x, const std::string& w,
                                    const Window& window,
                                    const Dimensions& x_sizes,
                                    const Dimensions& w_sizes,
                                    const Dimensions& y_sizes) {
  std::string pads;
  for (int axis : {0, 1}) {
    pads += (axis == 0 ? "[" : ", [") + std::to_string(window.low[axis]) +
            ", " + std::to_string(window.high[axis]) + "]";
  }
  return line(
      result,
      "convolution(" + x + ", " + w +
          ") dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
          "window = {stride = [" +
          comma_list(window.stride) + "], pad = [" + pads +
          "], rhs_dilate = [" + comma_list(window.dilation) +
          "]} {batch_group_count = " + std::to_string(window.batch_groups) +
          " : i64, feature_group_count = " +
          std::to_string(window.feature_groups) + " : i64}",
      "(" + type_of(x_sizes) + ", " + type_of(w_sizes) + ") -> " +
          type_of(y_sizes));
}

/// Returns a transposition and stores the new dimensions in `sizes`.
inline std::string transpose_line(const std::string& result,
                                  const std::string& x,
                                  const std::vector<int>& order,
                                  Dimensions& sizes) {
  Dimensions moved;
  for (int axis : order) moved.push_back(sizes[axis]);
  std::string text =
      line(result, "transpose " + x + ", dims = [" + comma_list(order) + "]",
           "(" + type_of(sizes) + ") -> " + type_of(moved));
  sizes = moved;
  return text;
}

/// Pads height and width of `x` by zeros, or crops them where negative, and
/// stores the new dimensions in `sizes`.
inline std::string pad_line(const std::string& result, const std::string& x,
                            const std::array<int64_t, 2>& low,
                            const std::array<int64_t, 2>& high,
                            const std::array<int64_t, 2>& interior,
                            Dimensions& sizes) {
  Dimensions padded = sizes;
  for (int axis : {0, 1}) {
    int64_t& size = padded[axis + 1];
    size += low[axis] + high[axis] + (size - 1) * interior[axis];
  }
  auto all_axes = [](const std::array<int64_t, 2>& inner) {
    return "[0, " + comma_list(inner) + ", 0]";
  };
  const std::string zero = result + "_zero";
  std::string text =
      line(zero, "constant dense<0.0>", "tensor<f32>") +
      line(result,
           "pad " + x + ", " + zero + ", low = " + all_axes(low) + ", high = " +
               all_axes(high) + ", interior = " + all_axes(interior),
           "(" + type_of(sizes) + ", tensor<f32>) -> " + type_of(padded));
  sizes = padded;
  return text;
}

/// y = relu?(conv(x, w) + bias?).
inline Step forward_step(const ConvolutionCase& c, Form form,
                         const StepOptions& options) {
  const Dimensions y = c.output();
  Step step{{c.input, c.filter}, {y}, ""};
  if (options.bias) step.inputs.push_back({y[3]});
  if (form == Form::handler) {
    std::string attributes = attributes_of(c, options);
    if (options.relu) attributes += ", relu = true";
    step.body = call_of("systolic_conv2d_forward", attributes, step.inputs,
                        step.outputs);
    return step;
  }
  const std::string type = type_of(y);
  step.body = convolution_line("%y", "%a0", "%a1",
                               {c.strides, c.low, c.high, c.dilation, c.groups},
                               c.input, c.filter, y);
  step.body += line("%zeros", "constant dense<0.0>", type);
  if (options.bias) {
    step.body += line("%bias", "broadcast_in_dim %a2, dims = [3]",
                      "(" + type_of({y[3]}) + ") -> " + type);
  }
  const char* sum = options.bias ? "add %y, %bias" : "add %y, %zeros";
  step.body += line("%sum", sum, type);
  const char* last = options.relu ? "maximum %sum, %zeros" : "add %sum, %zeros";
  step.body += line("%r0", last, type);
  return step;
}

}  // namespace systolic::internal::kernels
