// Each kernel against XLA's own code for the layers of a small convnet:
// 28x28x1 -> 32 and 13x13x32 -> 64 channels, 3x3 VALID, with the poolings that
// follow, for one replica (batch 200) and for one of eight (batch 25).
//   kernels_benchmark --benchmark_filter=filter_gradient/conv2

#include <benchmark/benchmark.h>

#include <functional>

#include "systolic/kernels/test_average_poolings.h"
#include "systolic/kernels/test_gradients.h"
#include "systolic/kernels/test_poolings.h"
#include "systolic/kernels/test_runner.h"

namespace systolic::internal::kernels {
namespace {

// Runs a step once per iteration, or eight steps of a loop on the device.
void run_step(benchmark::State& state, const Step& step, int loops) {
  Runner runner(step, loops);
  runner.send(random_inputs(step));
  runner.launch();
  for (auto _ : state) runner.launch();
  state.SetItemsProcessed(state.iterations() * std::max(1, loops) *
                          step.inputs[0][0]);
}

void add(const std::string& name, const std::function<Step()>& make) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [make](benchmark::State& state) { run_step(state, make(), 0); })
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

void add_in_loop(const std::string& name, const std::function<Step()>& make) {
  benchmark::RegisterBenchmark(
      (name + "/in_loop_of_8").c_str(),
      [make](benchmark::State& state) { run_step(state, make(), 8); })
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

void add_both_forms(const std::string& name,
                    const std::function<Step(Form)>& make) {
  add(name + "/kernel", [make] { return make(Form::handler); });
  add(name + "/xla", [make] { return make(Form::twin); });
  add_in_loop(name + "/kernel", [make] { return make(Form::handler); });
  add_in_loop(name + "/xla", [make] { return make(Form::twin); });
}

void add_convolution(const std::string& name, const ConvolutionCase& c,
                     int64_t threads) {
  add_both_forms("forward/" + name, [=](Form form) {
    return forward_step(c, form, {.threads = threads});
  });
  add_both_forms("forward_bias_relu/" + name, [=](Form form) {
    return forward_step(c, form,
                        {.bias = true, .relu = true, .threads = threads});
  });
  add_both_forms("input_gradient/" + name, [=](Form form) {
    return input_gradient_step(c, form, {.threads = threads});
  });
  add_both_forms("filter_gradient/" + name, [=](Form form) {
    return filter_gradient_step(c, form, {.threads = threads});
  });
  add_both_forms("filter_and_bias_gradient/" + name, [=](Form form) {
    return filter_gradient_step(c, form, {.bias = true, .threads = threads});
  });
  add_both_forms("all_gradients_with_relu/" + name, [=](Form form) {
    return both_gradients_step(
        c, form, {.bias = true, .relu = true, .threads = threads});
  });
}

void add_pooling(const std::string& name, const PoolingCase& c,
                 int64_t threads) {
  add_both_forms("max_pool/" + name, [=](Form form) {
    return pooling_step(c, form, {.threads = threads});
  });
  add("max_pool/" + name + "/xla_slices",
      [=] { return pooling_slices_step(c); });
  add_in_loop("max_pool/" + name + "/xla_slices",
              [=] { return pooling_slices_step(c); });
  add_both_forms("max_pool_gradient/" + name, [=](Form form) {
    return pooling_gradient_step(c, form, {.threads = threads});
  });
  add("max_pool_gradient/" + name + "/xla_slices",
      [=] { return pooling_slices_gradient_step(c); });
  add_in_loop("max_pool_gradient/" + name + "/xla_slices",
              [=] { return pooling_slices_gradient_step(c); });
}

void add_average_pooling(const std::string& name, const PoolingCase& c) {
  add_both_forms("average_pool/" + name,
                 [=](Form form) { return average_pooling_step(c, form, {}); });
  add_both_forms("average_pool_gradient/" + name, [=](Form form) {
    return average_pooling_gradient_step(c, form, {});
  });
}

// Windows side by side, over the whole image, and overlapping ones.
void add_average_poolings() {
  add_average_pooling("2x2by2", {.name = "", .input = {200, 28, 28, 32}});
  add_average_pooling("2x2by2_large", {.name = "", .input = {32, 56, 56, 64}});
  add_average_pooling("2x2by2_small", {.name = "", .input = {32, 8, 8, 16}});
  add_average_pooling("all", {.name = "",
                              .input = {32, 7, 7, 2048},
                              .window = {7, 7},
                              .strides = {7, 7}});
  const auto overlapping = [](const std::string& name, Dimensions input,
                              std::array<int64_t, 2> strides) {
    add_average_pooling(name, {.name = "",
                               .input = std::move(input),
                               .window = {3, 3},
                               .strides = strides,
                               .low = {1, 1},
                               .high = {1, 1}});
  };
  overlapping("3x3by1", {32, 8, 8, 512}, {1, 1});
  overlapping("3x3by1_small", {32, 8, 8, 16}, {1, 1});
  overlapping("3x3by1_tiny", {1, 4, 4, 4}, {1, 1});
  overlapping("3x3by1_colors", {32, 64, 64, 3}, {1, 1});
  overlapping("3x3by2", {32, 28, 28, 64}, {2, 2});
}

void add_layers(int64_t batch, int64_t threads) {
  const std::string end = "/batch" + std::to_string(batch);
  add_convolution(
      "conv1" + end,
      {.name = "", .input = {batch, 28, 28, 1}, .filter = {3, 3, 1, 32}},
      threads);
  add_convolution(
      "conv2" + end,
      {.name = "", .input = {batch, 13, 13, 32}, .filter = {3, 3, 32, 64}},
      threads);
  add_pooling("pool1" + end, {.name = "", .input = {batch, 26, 26, 32}},
              threads);
  add_pooling("pool2" + end, {.name = "", .input = {batch, 11, 11, 64}},
              threads);
}

}  // namespace
}  // namespace systolic::internal::kernels

int main(int argc, char** argv) {
  systolic::internal::kernels::add_layers(200, 0);
  systolic::internal::kernels::add_layers(25, 1);
  systolic::internal::kernels::add_average_poolings();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
