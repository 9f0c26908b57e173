// What a launch costs beyond the C API's own call: a program of one addition,
// its result dropped at once. The target is 1 us on one device.
#include <benchmark/benchmark.h>

#include "systolic/pjrt/abi_program.h"
#include "systolic/pjrt/call.h"
#include "systolic/pjrt/functions.h"
#include "systolic/runtime/executable_impl.h"

namespace systolic::internal::runtime {
namespace {

namespace abi = pjrt::abi;

const TensorSpec kSpec{DType::float32, Shape{4}};

ExecutablePtr doubling() {
  return compile(Client::open({}),
                 "module @m { func.func public @main(%x: tensor<4xf32>) -> "
                 "tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32> "
                 "return %0 : tensor<4xf32> } }");
}

// The entry of the plugin's table, as a C program calls it.
template <class Args>
auto* entry(const abi::Api* api, const pjrt::Function<Args>& function) {
  using Pointer = abi::Error* (*)(Args*);
  return reinterpret_cast<Pointer const*>(api + 1)[function.index];
}

// What any C program does: two structs filled in, one call, one buffer
// destroyed.
void launch_bare(benchmark::State& state) {
  const ExecutablePtr program = doubling();
  const BufferPtr x =
      to_device(Array::ones({4}), program->impl().client->device(0));
  const abi::Api* api = program->impl().program.api();
  auto* const execute = entry(api, pjrt::kLoadedExecute);
  auto* const destroy = entry(api, pjrt::kBufferDestroy);
  abi::Buffer* argument = x->pjrt().raw();
  abi::Buffer* const* arguments = &argument;
  for (auto _ : state) {
    abi::Buffer* output = nullptr;
    abi::Buffer** outputs = &output;
    abi::ExecuteOptions options{};
    options.struct_size = sizeof(options);
    abi::ExecuteArgs call{};
    call.struct_size = sizeof(call);
    call.executable = program->impl().program.raw();
    call.options = &options;
    call.argument_lists = &arguments;
    call.num_devices = 1;
    call.num_arguments = 1;
    call.output_lists = &outputs;
    if (execute(&call) != nullptr) {
      state.SkipWithError("the launch failed");
      return;
    }
    abi::NounArgs<abi::Buffer> destroyed{sizeof(destroyed), nullptr, output};
    destroy(&destroyed);
  }
}
BENCHMARK(launch_bare)->UseRealTime();

void launch_ours(benchmark::State& state) {
  const ExecutablePtr program = doubling();
  const std::vector<std::vector<BufferPtr>> arguments{
      {to_device(Array::ones({4}), program->impl().client->device(0))}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(launch(*program, arguments, {&kSpec, 1}));
  }
}
BENCHMARK(launch_ours)->UseRealTime();

// What the figures of utilization.h cost a step: what is recorded around one
// launch and the batch before it.
void launch_recorded(benchmark::State& state) {
  UsageRecorder recorder;
  const Device device{&Client::open({}), 0};
  const LaunchWork work{.amount = {.flops = 1}};
  for (auto _ : state) {
    recorder.begin(HostWork::input);
    recorder.end(HostWork::input);
    const int64_t start = trace_clock();
    recorder.begin({&device, 1}, work);
    recorder.add_launch(trace_clock() - start);
    recorder.end(device);
  }
}
BENCHMARK(launch_recorded)->UseRealTime();

}  // namespace
}  // namespace systolic::internal::runtime
