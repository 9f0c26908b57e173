// What the tests with the fake plugin share: the plugin, its control, and the
// check that neither side has lost anything.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/pjrt/error.h"
#include "systolic/pjrt/functions.h"
#include "systolic/pjrt/handle.h"
#include "systolic/pjrt/plugin.h"
#include "systolic/runtime/executable.h"
#include "systolic/runtime/untold.h"
#include "tests/fake_plugin/control.h"

namespace systolic::internal::pjrt::fake {

inline constexpr const char* kPath = SYSTOLIC_FAKE_PLUGIN;

// The control of the one plugin of this process.
inline Control& control() {
  static Control* const found = [] {
    Plugin::load(kPath);
    void* library = dlopen(kPath, RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<ControlFunction*>(dlsym(library, "fake_control"))();
  }();
  return *found;
}

inline std::string text_of(const LiveHandles& n) {
  return concatenate_text(n.errors, " errors, ", n.events, " events, ",
                          n.clients, " clients, ", n.buffers, " buffers, ",
                          n.executables, " executables, ", n.loaded_executables,
                          " loaded executables, ", n.topologies, " topologies");
}

inline std::string text_of(const Live& n) {
  return concatenate_text(
      text_of(LiveHandles{n.errors, n.events, n.clients, n.buffers,
                          n.executables, n.loaded_executables, n.topologies}),
      ", ", n.serialized, " serialized");
}

// A test that ends with as many objects as it began with, on both sides, and
// keeps the log's lines.
class FakePluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    control().reset();
    cpu();
    cuda();
    before_ = live_handles();
    plugins_before_ = control().live;
    sink_ = set_log_sink([this](LogLevel, std::string_view line) {
      logged_ += std::string(line) + "\n";
    });
  }
  void TearDown() override {
    control().reset();
    runtime::log_untold();  // what this test let fail
    expect_nothing_lost("the test");
    set_log_sink(sink_);
  }

  void expect_nothing_lost(const std::string& after) const {
    EXPECT_EQ(text_of(live_handles()), text_of(before_)) << after;
    EXPECT_EQ(text_of(control().live), text_of(plugins_before_)) << after;
  }

  // Clients of two devices: of the row whose memory is the host's, and of one
  // that reads by transfer.
  static runtime::Client& cpu() {
    return runtime::Client::open(
        {.platform = "cpu", .device_count = 2, .path = kPath});
  }
  static runtime::Client& cuda() {
    return runtime::Client::open({.platform = "cuda", .path = kPath});
  }

  static std::string program(const std::string& attribute = "") {
    return "module @m { func.func public @main(%x: tensor<2xf32> " + attribute +
           ") -> tensor<2xf32> { return %x : tensor<2xf32> } }";
  }
  static Array two(float first = 1) { return Array::from({first, first + 1}); }
  static const TensorSpec& spec() {
    static const TensorSpec of_two{DType::float32, Shape{2}};
    return of_two;
  }
  static std::vector<std::vector<runtime::BufferPtr>> launch(
      const runtime::ExecutablePtr& executable,
      const std::vector<std::vector<runtime::BufferPtr>>& arguments) {
    return runtime::launch(*executable, arguments, {&spec(), 1});
  }

  std::string logged_;

 private:
  LiveHandles before_;
  Live plugins_before_;
  LogSink sink_;
};

// The words of what a call throws; empty if it throws nothing.
template <class E, class Call>
std::string words_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace systolic::internal::pjrt::fake
