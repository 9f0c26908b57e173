#include "systolic/platforms/settings.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <string>

#include "systolic/base/log.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::internal::platforms {
namespace {

using systolic::testing::EnvironmentGuard;

constexpr const char* kName = "SYSTOLIC_TEST_SETTING";

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "(unset)" : value;
}

TEST(Settings, VariableIsSetWhereTheUserHasNot) {
  const EnvironmentGuard guard(kName);
  const std::array<EnvironmentSetting, 1> settings{{{kName, "3"}}};
  apply_environment(settings);
  EXPECT_EQ(value_of(kName), "3");
}

TEST(Settings, WhatTheUserSetStays) {
  const EnvironmentGuard guard(kName, "0");
  const std::array<EnvironmentSetting, 1> settings{{{kName, "3"}}};
  apply_environment(settings);
  EXPECT_EQ(value_of(kName), "0");
}

TEST(Settings, SettingForOtherMachinesIsLeftOut) {
  const EnvironmentGuard guard(kName);
  const std::array<EnvironmentSetting, 1> settings{
      {{kName, "3", [] { return false; }}}};
  apply_environment(settings);
  EXPECT_EQ(value_of(kName), "(unset)");
}

TEST(Settings, TpuIsEitherHereOrNot) {
  EXPECT_NE(has_tpu_hardware(), lacks_tpu_hardware());
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)

// Whether malloc maps a large block on its own, to give it back when freed.
bool maps_large_blocks() {
  const size_t before = mallinfo2().hblks;
  // Volatile, or the compiler leaves out what nobody uses.
  void* volatile block = std::malloc(64 << 20);
  const bool is_mapped = mallinfo2().hblks > before;
  std::free(block);
  return is_mapped;
}

TEST(Settings, MallocKeepsFreedMemoryUnlessTheUserSaysNo) {
  {
    const EnvironmentGuard guard("SYSTOLIC_CPU_MALLOC", "default");
    keep_freed_memory();
    EXPECT_TRUE(maps_large_blocks());
  }
  const EnvironmentGuard guard("SYSTOLIC_CPU_MALLOC");
  keep_freed_memory();
  EXPECT_FALSE(maps_large_blocks());
}

TEST(Settings, AnotherChoiceOfMallocIsSaid) {
  std::string said;
  const LogSink before =
      set_log_sink([&](LogLevel, std::string_view text) { said += text; });
  const EnvironmentGuard guard("SYSTOLIC_CPU_MALLOC", "jemalloc");
  keep_freed_memory();
  set_log_sink(before);
  EXPECT_EQ(said,
            "SYSTOLIC_CPU_MALLOC: expected \"default\", or that it is not set, "
            "got \"jemalloc\"");
  EXPECT_FALSE(maps_large_blocks());
}

#endif

TEST(Settings, SignalsAreKept) {
  const auto handler = [] {
    struct sigaction now {};
    sigaction(SIGHUP, nullptr, &now);
    return now.sa_handler;
  };
  const auto before = handler();
  {
    const KeptSignals kept;
    struct sigaction ours {};
    ours.sa_handler = [](int) {};
    sigaction(SIGHUP, &ours, nullptr);
    EXPECT_NE(handler(), before);
  }
  EXPECT_EQ(handler(), before);
}

}  // namespace
}  // namespace systolic::internal::platforms
