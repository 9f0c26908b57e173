// Compiles and runs StableHLO texts on the CPU platform, with its kernels.
//   Runner runner(module_of(step));
//   auto results = runner.run({x, w});              // [replica][output]
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "systolic/kernels/test_programs.h"
#include "systolic/runtime/client.h"
#include "systolic/runtime/executable.h"

namespace systolic::internal::kernels {

/// One compiled program on the first devices of an eight-device client.
class Runner {
 public:
  using Floats = std::vector<float>;

  /// Compiles the module of `step`, or a loop of it where `loops` > 0.
  explicit Runner(const Step& step, int loops = 0, int replicas = 1)
      : step_(step), replicas_(replicas) {
    program_ = runtime::compile(
        client(), loops > 0 ? loop_of(step, loops) : module_of(step),
        {.num_replicas = replicas});
    for (const Dimensions& sizes : step.outputs) {
      specs_.push_back({DType::float32, Shape(std::span(sizes))});
    }
  }

  /// Returns the client that all runners share.
  static runtime::Client& client() {
    return runtime::open({.platform = "cpu", .device_count = 8});
  }

  /// Sends the same inputs to every replica.
  void send(const std::vector<Floats>& inputs) {
    arguments_.assign(replicas_, {});
    for (int replica = 0; replica < replicas_; ++replica) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        arguments_[replica].push_back(runtime::to_device(
            Array::from(inputs[i], Shape(std::span(step_.inputs[i]))),
            client().device(replica)));
      }
    }
  }

  /// Runs with the inputs that were sent; waits for the outputs.
  std::vector<std::vector<runtime::BufferPtr>> launch() {
    auto outputs = runtime::launch(*program_, arguments_, specs_);
    for (const auto& replica : outputs) {
      runtime::wait(std::span(replica));
    }
    return outputs;
  }

  /// Sends, runs, and returns the outputs of every replica.
  std::vector<std::vector<Floats>> run(const std::vector<Floats>& inputs) {
    send(inputs);
    std::vector<std::vector<Floats>> results;
    for (const auto& replica : launch()) {
      results.emplace_back();
      for (const auto& buffer : replica) {
        Array array = runtime::to_host(*buffer);
        auto values = array.span<float>();
        results.back().emplace_back(values.begin(), values.end());
      }
    }
    return results;
  }

 private:
  Step step_;
  int replicas_;
  runtime::ExecutablePtr program_;
  std::vector<TensorSpec> specs_;
  std::vector<std::vector<runtime::BufferPtr>> arguments_;
};

/// Returns random inputs for a step.
inline std::vector<std::vector<float>> random_inputs(const Step& step) {
  std::vector<std::vector<float>> inputs;
  int seed = 1;
  for (const Dimensions& sizes : step.inputs) {
    inputs.push_back(random_values(sizes, seed++));
  }
  return inputs;
}

}  // namespace systolic::internal::kernels
