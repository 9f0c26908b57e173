// What fit says of the use of the devices, with a data set that is too slow.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "systolic/base/out.h"
#include "systolic/base/trace.h"
#include "systolic/models/test_helpers.h"
#include "systolic/runtime/utilization.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::models {
namespace {

using runtime::Bottleneck;
using runtime::Utilization;

data::Dataset slow(const data::Dataset& dataset) {
  return dataset.map([](Array x, Array y) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return std::make_tuple(x, y);
  });
}

// Seconds that a device had programs, by a trace's line of it.
double busy_seconds(const std::string& path) {
  std::ifstream file(path);
  const auto trace = nlohmann::json::parse(file);
  double seconds = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["name"] != "train_step") continue;
    seconds += event["dur"].get<double>() * 1e-6;
  }
  return seconds;
}

// By a clock of its own, and the trace's line of the device.
TEST(UtilizationPlatformTest, IdleTimeOfASlowDataSetIsThatOfAWallClock) {
  using Clock = std::chrono::steady_clock;
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  const Sequential model = classifier();
  const FitOptions silent{.verbose = Verbose::silent};
  model.fit(batches(64, 8), silent);  // compiles
  internal::start_trace(path);
  const runtime::UtilizationWindow window;
  const Clock::time_point begin = Clock::now();
  model.fit(slow(batches(320, 8)), silent);
  const Utilization u = window.read();
  const double wall =
      std::chrono::duration<double>(Clock::now() - begin).count();
  internal::stop_trace();
  EXPECT_NEAR(u.idle_fraction, 1 - busy_seconds(path) / wall, 0.02) << u;
  EXPECT_EQ(u.bottleneck, Bottleneck::input) << u;
  EXPECT_GE(u.input_wait_seconds, 40 * 0.01);
}

// Reading ahead counts where fit waits for it, and only there.
TEST(UtilizationPlatformTest, WaitingForTheThreadAheadIsInputToo) {
  const Sequential model = classifier();
  const FitOptions silent{.verbose = Verbose::silent};
  model.fit(batches(64, 8), silent);  // compiles
  const runtime::UtilizationWindow window;
  model.fit(slow(batches(160, 8)).prefetch(1), silent);
  const Utilization u = window.read();
  EXPECT_EQ(u.bottleneck, Bottleneck::input) << u;
  EXPECT_GE(u.input_wait_seconds, 20 * 0.01 / 2) << u;
  EXPECT_LE(u.input_wait_seconds, u.wall_seconds) << u;
}

TEST(UtilizationPlatformTest, FitSaysItAtVerboseTwo) {
  const Sequential model = classifier();
  std::ostringstream text;
  {
    const OutputGuard guard(text);
    model.fit(slow(batches(64, 8)), {.verbose = Verbose::line});
  }
  const std::string all = text.str();
  EXPECT_NE(all.find("utilization: "), std::string::npos) << all;
  EXPECT_NE(all.find("\nbottleneck: input - let the data set work ahead"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("; map is the slowest stage (busy "), std::string::npos)
      << all;
  std::ostringstream other;
  const OutputGuard guard(other);
  model.fit(batches(64, 8), {.verbose = Verbose::bar});
  EXPECT_EQ(other.str().find("utilization"), std::string::npos);
}

// 2 x rows x inputs x outputs for each product: of the first layer forward and
// for its weights, of the second also for its input. The shorter last stack
// counts its steps only.
TEST(UtilizationPlatformTest, FlopsAreThoseOfTheStepsThatRan) {
  constexpr double kStep = 2.0 * 8 * (2 * 4 * 8 + 3 * 8 * 3);
  for (const int64_t steps_per_execution : {1, 4}) {
    const Sequential model =
        classifier({.steps_per_execution = steps_per_execution});
    const FitOptions silent{.verbose = Verbose::silent};
    const runtime::UtilizationWindow window;
    model.fit(batches(80, 8), silent);
    EXPECT_EQ(window.read().flops, 10 * kStep) << steps_per_execution;
  }
}

TEST(UtilizationPlatformTest, ReplicasCountEach) {
  const auto strategy = replicas(8);
  const auto scope = strategy.scope();
  const Sequential model = classifier({.steps_per_execution = 4});
  const runtime::UtilizationWindow window;
  model.fit(batches(320, 32), {.verbose = Verbose::silent});
  const Utilization u = window.read();
  EXPECT_EQ(u.devices, 8);
  EXPECT_EQ(u.flops, 10 * 2.0 * 32 * (2 * 4 * 8 + 3 * 8 * 3));
}

}  // namespace
}  // namespace systolic::models
