// StableHLO texts for the tests and the benchmark of this room: a step, which
// is some operations, as a module that runs it once or in a loop.
//   Step step = forward_step(c, Form::handler, {.relu = true});
//   std::string text = module_of(step);             // or loop_of(step, 3)
#pragma once

#include <string>
#include <vector>

#include "systolic/kernels/test_cases.h"

namespace systolic::internal::kernels {

/// How a step is written: by custom call or by StableHLO alone.
enum class Form { handler, twin };

/// What the handlers take beyond the case.
struct StepOptions {
  bool bias = false;  ///< forward: a third input; filter gradient: an output
  bool relu = false;
  int64_t threads = 0;  ///< 0: the kernel decides
};

/// A piece of program: operations from %a0, %a1, ... to %r0, %r1, ...
struct Step {
  std::vector<Dimensions> inputs;
  std::vector<Dimensions> outputs;
  std::string body;
};

/// Returns "tensor<2x3xf32>".
inline std::string type_of(const Dimensions& sizes,
                           const std::string& element = "f32") {
  std::string text = "tensor<";
  for (int64_t size : sizes) text += std::to_string(size) + "x";
  return text + element + ">";
}

/// Returns "1, 2".
template <class Values>
std::string comma_list(const Values& values) {
  std::string text;
  for (auto value : values) {
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  }
  return text;
}

/// Returns "%a0, %a1" for the prefix "%a" and 2.
inline std::string names_of(const std::string& prefix, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + prefix + std::to_string(i);
  }
  return text;
}

/// Returns "tensor<2xf32>, tensor<3xf32>".
inline std::string types_of(const std::vector<Dimensions>& values) {
  std::string text;
  for (const Dimensions& sizes : values) {
    text += (text.empty() ? "" : ", ") + type_of(sizes);
  }
  return text;
}

/// Returns an attribute of two integers: "strides = array<i64: 1, 2>".
inline std::string pair_text(const std::string& name,
                             const std::array<int64_t, 2>& values) {
  return name + " = array<i64: " + comma_list(values) + ">";
}

/// Returns one line of a body: `result` = `operation` : `type`.
inline std::string line(const std::string& result, const std::string& operation,
                        const std::string& type) {
  return "    " + result + " = stablehlo." + operation + " : " + type + "\n";
}

/// Returns a custom call of a step with these inputs and outputs.
inline std::string call_of(const std::string& handler,
                           const std::string& attributes,
                           const std::vector<Dimensions>& inputs,
                           const std::vector<Dimensions>& outputs) {
  const bool several = outputs.size() > 1;
  std::string text = line(
      several ? "%r:" + std::to_string(outputs.size()) : "%r0",
      "custom_call @" + handler + "(" + names_of("%a", inputs.size()) +
          ") {api_version = 4 : i32, backend_config = {" + attributes + "}}",
      "(" + types_of(inputs) + ") -> (" + types_of(outputs) + ")");
  for (size_t i = 0; several && i < outputs.size(); ++i) {
    text += line("%r" + std::to_string(i),
                 "optimization_barrier %r#" + std::to_string(i),
                 type_of(outputs[i]));
  }
  return text;
}

/// Returns a module whose main runs the step once.
inline std::string module_of(const Step& step) {
  std::string arguments;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    arguments += (i == 0 ? "%a" : ", %a") + std::to_string(i) + ": " +
                 type_of(step.inputs[i]);
  }
  const std::string types = types_of(step.outputs);
  return "module @kernel {\n  func.func public @main(" + arguments + ") -> (" +
         types + ") {\n" + step.body + "    return " +
         names_of("%r", step.outputs.size()) + " : " + types + "\n  }\n}\n";
}

/// Returns a module whose main runs the step `count` times in a while, halves
/// the inputs from one to the next, and sums the outputs.
inline std::string loop_of(const Step& step, int count) {
  const size_t inputs = step.inputs.size();
  const size_t outputs = step.outputs.size();
  std::string before, carried = "%i = %begin", after, returned = "%next";
  for (size_t i = 0; i < inputs; ++i) {
    const std::string k = std::to_string(i), type = type_of(step.inputs[i]);
    carried += ", %a" + k + " = %x" + k;
    after += line("%half" + k, "constant dense<0.5>", type) +
             line("%halved" + k, "multiply %a" + k + ", %half" + k, type);
    returned += ", %halved" + k;
  }
  for (size_t i = 0; i < outputs; ++i) {
    const std::string k = std::to_string(i), type = type_of(step.outputs[i]);
    before += line("%begin" + k, "constant dense<0.0>", type);
    carried += ", %sum" + k + " = %begin" + k;
    after += line("%total" + k, "add %sum" + k + ", %r" + k, type);
    returned += ", %total" + k;
  }
  std::string arguments, results;
  for (size_t i = 0; i < inputs; ++i) {
    arguments += (i == 0 ? "%x" : ", %x") + std::to_string(i) + ": " +
                 type_of(step.inputs[i]);
  }
  for (size_t i = 0; i < outputs; ++i) {
    results += (i == 0 ? "%w#" : ", %w#") + std::to_string(1 + inputs + i);
  }
  const std::string types =
      "tensor<i32>, " + types_of(step.inputs) + ", " + types_of(step.outputs);
  return "module @loop {\n  func.func public @main(" + arguments + ") -> (" +
         types_of(step.outputs) + ") {\n" + before +
         line("%begin", "constant dense<0>", "tensor<i32>") +
         line("%one", "constant dense<1>", "tensor<i32>") +
         line("%end", "constant dense<" + std::to_string(count) + ">",
              "tensor<i32>") +
         "    %w:" + std::to_string(1 + inputs + outputs) +
         " = stablehlo.while(" + carried + ") : " + types + "\n    cond {\n" +
         line("%go", "compare LT, %i, %end",
              "(tensor<i32>, tensor<i32>) -> tensor<i1>") +
         "      stablehlo.return %go : tensor<i1>\n    } do {\n" + step.body +
         after + line("%next", "add %i, %one", "tensor<i32>") +
         "      stablehlo.return " + returned + " : " + types +
         "\n    }\n    return " + results + " : " + types_of(step.outputs) +
         "\n  }\n}\n";
}

}  // namespace systolic::internal::kernels
