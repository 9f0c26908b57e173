// Every call that the library makes of a plugin, as three walks: through the
// room pjrt, the opening of a client, and the room runtime.
#pragma once

#include "systolic/pjrt/client.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/pjrt/topology.h"
#include "systolic/runtime/memory.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {

inline void walk_values(const Client& client) {
  const std::vector<float> numbers{1, 2};
  const TensorSpec spec{DType::float32, Shape{2}};
  const std::vector<Device> devices = client.devices();
  const Upload sent =
      client.upload(spec, std::as_bytes(std::span(numbers)).data(),
                    devices.at(0).raw(), HostMemory::kept_until_done);
  sent.done.await();
  const Buffer copy = sent.buffer.copy_to(devices.at(1).raw());
  copy.dtype();
  copy.dims();
  copy.on_device_bytes();
  copy.device();
  copy.is_deleted();
  copy.host_pointer();
  copy.ready().await_for(std::chrono::seconds(5));
  copy.ready().on_ready([](const std::exception_ptr&) {});
  std::vector<float> back(2);
  copy.read(std::as_writable_bytes(std::span(back)), 1).await();
}

inline void walk_programs(const Client& client, const std::string& text) {
  const LoadedExecutable loaded = client.compile(text, encode({}));
  const Executable executable = loaded.executable();
  executable.name();
  executable.num_outputs();
  executable.memory();
  executable.cost();
  executable.optimized();
  client.load(executable.serialize(), encode({}));
}

// All of the room pjrt but launches, which the room runtime makes.
inline void walk_pjrt(const std::string& text) {
  const Plugin plugin = Plugin::load(kPath);
  plugin.attributes();
  const Client client = Client::create(plugin, {});
  client.platform_name();
  client.platform_version();
  for (const Device& device : client.devices()) {
    const DeviceDescription description = device.description();
    description.id();
    description.kind();
    description.to_string();
    description.attributes();
    device.memory().kind();
    device.memory_stats();
  }
  walk_values(client);
  walk_programs(client, text);
  const Topology topology = Topology::create(plugin, "fake:1");
  topology.platform_name();
  topology.devices();
  topology.compile(text, encode({}));
}

// What a training step does with a client of two devices.
inline void walk_runtime(runtime::Client& client, const std::string& text) {
  using runtime::BufferPtr;
  const TensorSpec spec{DType::float32, Shape{2}};
  const BufferPtr x =
      runtime::to_device(Array::from({1.F, 2.F}), client.device(0));
  const BufferPtr large = runtime::to_device(
      Array::zeros(Shape{40000}, DType::float32), client.device(0));
  const BufferPtr y = runtime::copy_to(x, client.device(1));
  const auto step = runtime::compile(client, text, {.num_replicas = 2});
  const auto again =
      runtime::load(client, step->serialize(), text, {.num_replicas = 2});
  for (int i = 0; i < 2; ++i) {
    const std::vector<std::vector<BufferPtr>> lists{{x}, {y}};
    const auto outputs = runtime::launch(*again, lists, {&spec, 1});
    const BufferPtr both[] = {outputs[0][0], outputs[1][0]};
    runtime::wait(both);
    runtime::to_host(both);
    both[0]->is_ready();
  }
  const auto portable = runtime::compile(client, text, {.portable = true});
  const std::vector<std::vector<BufferPtr>> list{{x}};
  runtime::to_host(*runtime::launch(*portable, list, {&spec, 1})[0][0]);
  runtime::memory_stats(client.device(0));
}

}  // namespace systolic::internal::pjrt::fake
