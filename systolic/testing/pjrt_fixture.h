// What the tests of the room pjrt share: the CPU platform's plugin, found
// as always, and clients that are destroyed again.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "systolic/pjrt/client.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/platforms/platform.h"

namespace systolic::internal::pjrt {

// A test that starts and must end with the same number of live handles.
class PlatformTest : public ::testing::Test {
 protected:
  void SetUp() override { before_ = live_handles(); }
  void TearDown() override { EXPECT_EQ(live_handles(), before_); }

  static const Plugin& plugin() {
    return platforms::Platform::load("cpu").plugin();
  }
  static Client make_client(int devices = 1) {
    return platforms::Platform::load("cpu").create_client(devices);
  }
  static Buffer upload(const Client& client, std::span<const float> values,
                       int device = 0) {
    const TensorSpec spec{DType::float32,
                          Shape{static_cast<int64_t>(values.size())}};
    return client
        .upload(spec, std::as_bytes(values).data(),
                client.devices()[static_cast<size_t>(device)].raw(),
                HostMemory::copied_at_once)
        .buffer;
  }
  static std::vector<float> download(const Buffer& buffer) {
    std::vector<float> values(buffer.on_device_bytes() / sizeof(float));
    buffer.read(std::as_writable_bytes(std::span(values)), 1).await();
    return values;
  }
  // x + x, for four numbers.
  static std::string doubling() {
    return "module @m { func.func public @main(%x: tensor<4xf32>) -> "
           "tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32> return "
           "%0 : tensor<4xf32> } }";
  }
  // Runs a program of one argument and one result on one device.
  static Buffer run(const LoadedExecutable& program, const Buffer& argument,
                    abi::Device* device = nullptr) {
    abi::Buffer* const in[] = {argument.raw()};
    abi::Buffer* const* const ins[] = {in};
    abi::Buffer* out[] = {nullptr};
    abi::Buffer** const outs[] = {out};
    program.execute({.arguments = ins,
                     .num_arguments = 1,
                     .outputs = outs,
                     .non_donatable = {},
                     .device = device});
    return Buffer(argument.api(), out[0]);
  }

 private:
  LiveHandles before_;
};

}  // namespace systolic::internal::pjrt
