#include "systolic/platforms/settings.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

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

TEST(Settings, OwnOnesAreThoseThatDifferFromTheTables) {
  constexpr std::array<EnvironmentSetting, 3> settings{{
      {"SYSTOLIC_TEST_ONE", "1"},
      {"SYSTOLIC_TEST_TWO", "2"},
      {"SYSTOLIC_TEST_THREE", "3"},
  }};
  const EnvironmentGuard one("SYSTOLIC_TEST_ONE", "1");
  const EnvironmentGuard two("SYSTOLIC_TEST_TWO", "--fast");
  EXPECT_EQ(own_settings(settings), "SYSTOLIC_TEST_TWO=--fast\n");
}

TEST(Settings, TpuIsEitherHereOrNot) {
  EXPECT_NE(has_tpu_hardware(), lacks_tpu_hardware());
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)

// Whether malloc maps a large block on its own, to give it back when freed.
bool maps_large_blocks(size_t bytes = 64 << 20) {
  const size_t before = mallinfo2().hblks;
  // Volatile, or the compiler leaves out what nobody uses.
  void* volatile block = std::malloc(bytes);
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
  EXPECT_EQ(
      said,
      "SYSTOLIC_CPU_MALLOC: expected \"default\", \"one_heap\", or that it "
      "is not set, got \"jemalloc\"");
  EXPECT_FALSE(maps_large_blocks());
}

// Ends the process with whether a thread maps what its own heap cannot hold.
[[noreturn]] void exit_with_what_a_thread_maps(const char* choice) {
  const EnvironmentGuard guard("SYSTOLIC_CPU_MALLOC", choice);
  keep_freed_memory();
  bool is_mapped = false;
  std::thread([&] { is_mapped = maps_large_blocks(100 << 20); }).join();
  std::_Exit(is_mapped ? 1 : 0);
}

// In processes of their own: heaps that there are already stay.
TEST(Settings, OneHeapHoldsWhatThreadsAllocate) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_what_a_thread_maps("one_heap"),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with_what_a_thread_maps(""), ::testing::ExitedWithCode(1),
              "");
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
