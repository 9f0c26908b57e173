// The steps of a convolution's gradients, as a call of our handler and as its
// twin of forward convolutions.
//   Step step = input_gradient_step(c, Form::twin, {});
#pragma once

#include "systolic/kernels/test_convolutions.h"

namespace systolic::internal::kernels {

/// Which gradients a gradient step computes.
struct Wanted {
  bool input = false;
  bool filter = false;
};

/// Adds dx from %dy and the filter %`w`: pads dy between its elements and
/// around, and convolves it with the filter reversed, its channels exchanged.
inline std::string input_gradient_lines(const ConvolutionCase& c,
                                        const std::string& w,
                                        const std::string& result) {
  Dimensions dy = c.output();
  std::array<int64_t, 2> low{}, high{}, interior{};
  for (int axis : {0, 1}) {
    int64_t dilated = (dy[axis + 1] - 1) * c.strides[axis] + 1;
    int64_t wanted = c.input[axis + 1] + c.extent(axis) - 1;
    low[axis] = c.extent(axis) - 1 - c.low[axis];
    high[axis] = wanted - dilated - low[axis];
    interior[axis] = c.strides[axis] - 1;
  }
  std::string body = pad_line("%spread", "%dy", low, high, interior, dy);
  body +=
      line("%reversed", "reverse " + w + ", dims = [0, 1]", type_of(c.filter));
  const int64_t in = c.filter[2], out = c.filter[3] / c.groups;
  Dimensions split{c.filter[0], c.filter[1], in, c.groups, out};
  body += line("%split", "reshape %reversed",
               "(" + type_of(c.filter) + ") -> " + type_of(split));
  body += transpose_line("%exchanged", "%split", {0, 1, 4, 3, 2}, split);
  Dimensions filter{c.filter[0], c.filter[1], out, c.groups * in};
  body += line("%filter", "reshape %exchanged",
               "(" + type_of(split) + ") -> " + type_of(filter));
  return body +
         convolution_line(result, "%spread", "%filter",
                          {.dilation = c.dilation, .feature_groups = c.groups},
                          dy, filter, c.input);
}

/// Adds dw from the input %`x` and %dy: convolves x, its batch taken as
/// channels, with dy; strides and dilation change places.
inline std::string filter_gradient_lines(const ConvolutionCase& c,
                                         const std::string& input,
                                         const std::string& result) {
  Dimensions x = c.input, dy = c.output();
  std::array<int64_t, 2> high{};
  for (int axis : {0, 1}) {
    int64_t wanted = (dy[axis + 1] - 1) * c.strides[axis] + c.extent(axis);
    high[axis] = wanted - x[axis + 1] - c.low[axis];
  }
  std::string body = pad_line("%padded", input, c.low, high, {0, 0}, x);
  body += transpose_line("%x", "%padded", {3, 1, 2, 0}, x);
  body += transpose_line("%turned", "%dy", {1, 2, 0, 3}, dy);
  Dimensions dw{c.filter[2], c.filter[0], c.filter[1], c.filter[3]};
  body += convolution_line(
      "%dw", "%x", "%turned",
      {.stride = c.dilation, .dilation = c.strides, .batch_groups = c.groups},
      x, dy, dw);
  return body + transpose_line(result, "%dw", {1, 2, 0, 3}, dw);
}

/// The gradients that `wanted` and `options.bias` name, from dy, y with a
/// relu, x for the filter's, w for the input's.
inline Step gradient_step(const ConvolutionCase& c, Form form, Wanted wanted,
                          const StepOptions& options) {
  const Dimensions y = c.output();
  Step step{{y}, {}, ""};
  if (options.relu) step.inputs.push_back(y);
  const std::string x = "%a" + std::to_string(step.inputs.size());
  if (wanted.filter) step.inputs.push_back(c.input);
  const std::string w = "%a" + std::to_string(step.inputs.size());
  if (wanted.input) step.inputs.push_back(c.filter);
  if (wanted.input) step.outputs.push_back(c.input);
  if (wanted.filter) step.outputs.push_back(c.filter);
  if (options.bias) step.outputs.push_back({y[3]});
  const auto yes = [](bool value) { return value ? "true" : "false"; };
  if (form == Form::handler) {
    step.body = call_of(
        "systolic_conv2d_gradient",
        attributes_of(c, options) + ", input = " + yes(wanted.input) +
            ", filter = " + yes(wanted.filter) +
            ", bias = " + yes(options.bias) + ", relu = " + yes(options.relu),
        step.inputs, step.outputs);
    return step;
  }
  const std::string type = type_of(y);
  step.body = line("%zeros", "constant dense<0.0>", type);
  if (options.relu) {
    const std::string flags = type_of(y, "i1");
    step.body += line("%on", "compare GT, %a1, %zeros",
                      "(" + type + ", " + type + ") -> " + flags) +
                 line("%dy", "select %on, %a0, %zeros", flags + ", " + type);
  } else {
    step.body += line("%dy", "add %a0, %zeros", type);
  }
  int next = 0;
  const auto result = [&] { return "%r" + std::to_string(next++); };
  if (wanted.input) step.body += input_gradient_lines(c, w, result());
  if (wanted.filter) step.body += filter_gradient_lines(c, x, result());
  if (options.bias) {
    step.body += line("%none", "constant dense<0.0>", "tensor<f32>") +
                 line(result(),
                      "reduce(%dy init: %none) applies stablehlo.add across "
                      "dimensions = [0, 1, 2]",
                      "(" + type + ", tensor<f32>) -> " + type_of({y[3]}));
  }
  return step;
}

/// dx from (dy, w).
inline Step input_gradient_step(const ConvolutionCase& c, Form form,
                                const StepOptions& options) {
  return gradient_step(c, form, {.input = true}, options);
}

/// dw and perhaps db from (dy, x).
inline Step filter_gradient_step(const ConvolutionCase& c, Form form,
                                 const StepOptions& options) {
  return gradient_step(c, form, {.filter = true}, options);
}

/// All gradients, as a layer's training step has them.
inline Step both_gradients_step(const ConvolutionCase& c, Form form,
                                const StepOptions& options) {
  return gradient_step(c, form, {.input = true, .filter = true}, options);
}

}  // namespace systolic::internal::kernels
