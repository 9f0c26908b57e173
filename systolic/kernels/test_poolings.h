// The steps of a max pooling, as a call of our handler and as its twins: the
// general one, and the maximum of strided slices that XLA:CPU runs fastest.
//   Step step = pooling_step(c, Form::twin, {});
#pragma once

#include "systolic/kernels/test_programs.h"

namespace systolic::internal::kernels {

/// Returns the attributes of a pooling's custom call.
inline std::string attributes_of(const PoolingCase& c,
                                 const StepOptions& options) {
  return pair_text("window", c.window) + ", " +
         pair_text("strides", c.strides) + ", " +
         pair_text("padding_low", c.low) + ", " +
         pair_text("padding_high", c.high) +
         ", threads = " + std::to_string(options.threads) + " : i64";
}

/// Returns window, strides and padding as StableHLO's window operations take
/// them.
inline std::string window_text(const PoolingCase& c) {
  std::string pads = "[[0, 0]";
  for (int axis : {0, 1}) {
    pads += ", [" + std::to_string(c.low[axis]) + ", " +
            std::to_string(c.high[axis]) + "]";
  }
  return "{window_dimensions = array<i64: 1, " + comma_list(c.window) +
         ", 1>, window_strides = array<i64: 1, " + comma_list(c.strides) +
         ", 1>, padding = dense<" + pads + ", [0, 0]]> : tensor<4x2xi64>}";
}

/// Returns a region of two scalars, "^bb0(...): ...".
inline std::string region(const std::string& operation,
                          const std::string& result) {
  return "{ ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n      %k = stablehlo." +
         operation + "\n      stablehlo.return %k : " + result + "\n    }";
}

/// y from x; the twin is a reduce_window.
inline Step pooling_step(const PoolingCase& c, Form form,
                         const StepOptions& options) {
  Step step{{c.input}, {c.output()}, ""};
  if (form == Form::handler) {
    step.body = call_of("systolic_max_pool2d_forward",
                        attributes_of(c, options), step.inputs, step.outputs);
    return step;
  }
  step.body = line("%lowest", "constant dense<0xFF800000>", "tensor<f32>") +
              "    %r0 = \"stablehlo.reduce_window\"(%a0, %lowest) (" +
              region("maximum %p, %q : tensor<f32>", "tensor<f32>") + ") " +
              window_text(c) + " : (" + type_of(c.input) +
              ", tensor<f32>) -> " + type_of(c.output()) + "\n";
  return step;
}

/// dx from (x, dy); the twin is a select_and_scatter.
inline Step pooling_gradient_step(const PoolingCase& c, Form form,
                                  const StepOptions& options) {
  Step step{{c.input, c.output()}, {c.input}, ""};
  if (form == Form::handler) {
    step.body = call_of("systolic_max_pool2d_gradient",
                        attributes_of(c, options), step.inputs, step.outputs);
    return step;
  }
  step.body =
      line("%zero_grad", "constant dense<0.0>", "tensor<f32>") +
      "    %r0 = \"stablehlo.select_and_scatter\"(%a0, %a1, %zero_grad) (" +
      region("compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>",
             "tensor<i1>") +
      ", " + region("add %p, %q : tensor<f32>", "tensor<f32>") + ") " +
      window_text(c) + " : (" + type_of(c.input) + ", " + type_of(c.output()) +
      ", tensor<f32>) -> " + type_of(c.input) + "\n";
  return step;
}

/// y from x: the maximum of one strided slice per window position. Without
/// padding only.
inline Step pooling_slices_step(const PoolingCase& c) {
  const Dimensions y = c.output();
  Step step{{c.input}, {y}, ""};
  const int64_t positions = c.window[0] * c.window[1];
  for (int64_t i = 0; i < positions; ++i) {
    std::array<int64_t, 2> start{i / c.window[1], i % c.window[1]};
    std::string ranges = "0:" + std::to_string(y[0]);
    for (int axis : {0, 1}) {
      int64_t last = start[axis] + (y[axis + 1] - 1) * c.strides[axis] + 1;
      ranges += ", " + std::to_string(start[axis]) + ":" +
                std::to_string(last) + ":" + std::to_string(c.strides[axis]);
    }
    const std::string k = std::to_string(i);
    step.body += line(
        "%s" + k, "slice %a0 [" + ranges + ", 0:" + std::to_string(y[3]) + "]",
        "(" + type_of(c.input) + ") -> " + type_of(y));
    const std::string previous = i <= 1 ? "%s0" : "%m" + std::to_string(i - 1);
    if (i > 0) {
      step.body += line(i + 1 == positions ? "%r0" : "%m" + k,
                        "maximum " + previous + ", %s" + k, type_of(y));
    }
  }
  return step;
}

/// dx from (x, dy) through the same slices: each gets dy where it is the
/// maximum and no earlier one was. Without padding and overlap only.
inline Step pooling_slices_gradient_step(const PoolingCase& c) {
  const Dimensions y = c.output();
  const std::string type = type_of(y), flags = type_of(y, "i1");
  const std::string full = type_of(c.input);
  Step step{{c.input, y}, {c.input}, pooling_slices_step(c).body};
  const int64_t positions = c.window[0] * c.window[1];
  size_t at = step.body.rfind("%r0");
  step.body.replace(at, 3, "%top");
  step.body += line("%zeros", "constant dense<0.0>", type) +
               line("%zero_pad", "constant dense<0.0>", "tensor<f32>");
  std::string rest = "%a1";
  for (int64_t i = 0; i < positions; ++i) {
    const std::string k = std::to_string(i);
    std::string low = "[0", high = "[0", inner = "[0";
    for (int axis : {0, 1}) {
      int64_t start = axis == 0 ? i / c.window[1] : i % c.window[1];
      int64_t last = start + (y[axis + 1] - 1) * c.strides[axis] + 1;
      low += ", " + std::to_string(start);
      high += ", " + std::to_string(c.input[axis + 1] - last);
      inner += ", " + std::to_string(c.strides[axis] - 1);
    }
    step.body +=
        line("%is" + k, "compare EQ, %s" + k + ", %top",
             "(" + type + ", " + type + ") -> " + flags) +
        line("%g" + k, "select %is" + k + ", " + rest + ", %zeros",
             flags + ", " + type) +
        line("%left" + k, "select %is" + k + ", %zeros, " + rest,
             flags + ", " + type) +
        line("%d" + k,
             "pad %g" + k + ", %zero_pad, low = " + low +
                 ", 0], high = " + high + ", 0], interior = " + inner + ", 0]",
             "(" + type + ", tensor<f32>) -> " + full);
    rest = "%left" + k;
    if (i == 0) continue;
    step.body += line(
        i + 1 == positions ? "%r0" : "%u" + k,
        "add " + (i == 1 ? "%d0" : "%u" + std::to_string(i - 1)) + ", %d" + k,
        full);
  }
  return step;
}

}  // namespace systolic::internal::kernels
