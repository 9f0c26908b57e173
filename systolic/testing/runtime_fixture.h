// What tests with devices share: the CPU platform shown as eight devices, and
// the check that nothing was leaked.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "systolic/pjrt/handle.h"
#include "systolic/runtime/executable.h"

namespace systolic::internal::runtime {

// A test that starts and must end with the same number of live handles.
class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    client();
    Client::open({});  // a second one, also kept until the process ends
    before_ = pjrt::live_handles();
  }
  void TearDown() override {
    // Callbacks of transfers may still be about to end.
    for (int i = 0; i < 100 && !(pjrt::live_handles() == before_); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(pjrt::live_handles(), before_);
  }

  static Client& client() { return Client::open({.device_count = 8}); }
  static Device device(int index) { return client().device(index); }

  // f(x) = x + x for float32[4]; `attribute` is put behind the argument.
  static std::string doubling(const std::string& attribute = "") {
    return "module @m { func.func public @main(%x: tensor<4xf32> " + attribute +
           ") -> tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32> "
           "return %0 : tensor<4xf32> } }";
  }
  static std::string donating() {
    return doubling("{tf.aliasing_output = 0 : i32}");
  }
  static Array four(float first = 1) {
    return Array::from({first, first + 1, first + 2, first + 3});
  }
  static std::vector<float> values(const Array& array) {
    const std::span<const float> all = array.span<float>();
    return {all.begin(), all.end()};
  }
  static std::vector<float> values(const BufferPtr& buffer) {
    return values(to_host(*buffer));
  }
  // Launches a program of one output on one device.
  static BufferPtr run(const ExecutablePtr& program,
                       std::vector<BufferPtr> arguments,
                       const LaunchOptions& options = {},
                       const TensorSpec& output = {DType::float32, Shape{4}}) {
    const std::vector<std::vector<BufferPtr>> lists{std::move(arguments)};
    return launch(*program, lists, {&output, 1}, options)[0][0];
  }

 private:
  pjrt::LiveHandles before_;
};

}  // namespace systolic::internal::runtime
