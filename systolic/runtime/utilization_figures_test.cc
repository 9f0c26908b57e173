#include "systolic/runtime/utilization_figures.h"

#include <gtest/gtest.h>

namespace systolic::internal::runtime {
namespace {

using systolic::runtime::Bottleneck;
using systolic::runtime::Utilization;

constexpr int64_t kSecond = 1'000'000'000;
const Device kFirst{nullptr, 0}, kSecondDevice{nullptr, 1};

// Ten seconds of one device, which did this.
Usage ten_seconds(const DeviceUsage& device, uint64_t launches = 100) {
  return {
      .at = 10 * kSecond, .launches = launches, .devices = {{kFirst, device}}};
}

Utilization figures_of(const Usage& usage, const Peaks& peaks = {}) {
  Utilization u = figures({}, usage, peaks);
  name_bottleneck(u);
  return u;
}

TEST(UtilizationFigures, BusyAndIdleAreAllOfTheTime) {
  const Utilization u =
      figures_of(ten_seconds({.busy = 6 * kSecond,
                              .launches = 100,
                              .idle_in = {3 * kSecond, kSecond / 2}}));
  EXPECT_EQ(u.wall_seconds, 10);
  EXPECT_EQ(u.devices, 1);
  EXPECT_DOUBLE_EQ(u.busy_fraction, 0.6);
  EXPECT_DOUBLE_EQ(u.idle_fraction, 0.4);
  EXPECT_DOUBLE_EQ(u.input_idle_fraction, 0.3);
  EXPECT_DOUBLE_EQ(u.compile_idle_fraction, 0.05);
  EXPECT_NEAR(u.host_idle_fraction, 0.05, 1e-12);
}

TEST(UtilizationFigures, AreOfTheDevicesThatHadPrograms) {
  Usage usage = ten_seconds({.busy = 4 * kSecond, .launches = 1});
  usage.devices.emplace_back(kSecondDevice,
                             DeviceUsage{.busy = 8 * kSecond, .launches = 1});
  usage.devices.emplace_back(Device{nullptr, 2}, DeviceUsage{});
  const Utilization u = figures_of(usage);
  EXPECT_EQ(u.devices, 2);
  EXPECT_DOUBLE_EQ(u.busy_fraction, 0.6);
}

// A program goes on that was launched before; another ends at the start.
TEST(UtilizationFigures, AreOfDevicesThatAreStillBusy) {
  Usage usage = ten_seconds({.busy = 4 * kSecond}, 0);
  usage.devices.emplace_back(kSecondDevice, DeviceUsage{.busy = 1000});
  const Utilization u = figures_of(usage);
  EXPECT_EQ(u.devices, 1);
  EXPECT_DOUBLE_EQ(u.busy_fraction, 0.4);
}

TEST(UtilizationFigures, AreOfTheTimeBetweenTheReadings) {
  const Usage from{
      .at = 10 * kSecond,
      .launches = 7,
      .launch_time = kSecond,
      .host = {kSecond, kSecond},
      .devices = {
          {kFirst,
           {.busy = 5 * kSecond, .launches = 7, .work = {.flops = 100}}}}};
  Usage to = from;
  to.at = 20 * kSecond;
  to.launches = 9;
  to.launch_time = 2 * kSecond;
  to.host = {4 * kSecond, 3 * kSecond};
  to.devices[0].second.busy = 7 * kSecond;
  to.devices[0].second.launches = 9;
  to.devices[0].second.work.flops = 150;
  const Utilization u = figures(from, to, {});
  EXPECT_EQ(u.launches, 2);
  EXPECT_DOUBLE_EQ(u.busy_fraction, 0.2);
  EXPECT_DOUBLE_EQ(u.input_wait_seconds, 3);
  EXPECT_DOUBLE_EQ(u.compile_seconds, 2);
  EXPECT_DOUBLE_EQ(u.launch_seconds, 1);
  EXPECT_DOUBLE_EQ(u.flops, 50);
  EXPECT_DOUBLE_EQ(u.flops_per_second(), 5);
}

// Threads that overlap must not give more idle time than there is.
TEST(UtilizationFigures, PartsOfTheIdleTimeAreNoMoreThanIt) {
  const Utilization u =
      figures_of(ten_seconds({.busy = 5 * kSecond,
                              .launches = 1,
                              .idle_in = {4 * kSecond, 4 * kSecond}}));
  EXPECT_DOUBLE_EQ(
      u.input_idle_fraction + u.compile_idle_fraction + u.host_idle_fraction,
      0.5);
}

TEST(UtilizationFigures, OfUnknownPeaksAreNotSet) {
  const Utilization u = figures_of(ten_seconds({.launches = 1}));
  EXPECT_FALSE(u.matrix_unit_fraction);
  EXPECT_FALSE(u.memory_bandwidth_fraction);
  EXPECT_FALSE(u.collective_fraction);
  EXPECT_FALSE(peaks_of_kind("cpu").flops);
}

TEST(UtilizationFigures, AreSharesOfThePeaks) {
  const Utilization u =
      figures_of(ten_seconds({.busy = 10 * kSecond,
                              .launches = 1,
                              .work = {.flops = 3e3, .exchanged_bytes = 20},
                              .bytes_accessed = 500}),
                 {.flops = 1e3, .memory_bytes = 100, .exchange_bytes = 4});
  EXPECT_DOUBLE_EQ(*u.matrix_unit_fraction, 0.3);
  EXPECT_DOUBLE_EQ(*u.memory_bandwidth_fraction, 0.5);
  EXPECT_DOUBLE_EQ(*u.collective_fraction, 0.5);
}

TEST(UtilizationFigures, BandwidthIsUnknownIfALaunchsBytesAre) {
  const Utilization u = figures_of(
      ten_seconds({.launches = 2, .bytes_accessed = 5, .without_bytes = 1}),
      {.memory_bytes = 100});
  EXPECT_FALSE(u.memory_bandwidth_fraction);
}

// 123 TFLOP/s and 900 GB/s a chip of two cores.
TEST(UtilizationFigures, PeaksOfATpuAreThoseOfItsTable) {
  const Peaks v3 = peaks_of_kind("TPU v3");
  EXPECT_EQ(v3.flops, 61.5e12);
  EXPECT_EQ(v3.memory_bytes, 450e9);
}

TEST(Bottleneck, OfNoLaunchIsNone) {
  const Utilization u = figures_of(ten_seconds({}, 0));
  EXPECT_EQ(u.bottleneck, Bottleneck::none);
  EXPECT_EQ(u.advice, "");
}

TEST(Bottleneck, IsInputWhereDevicesWaitForIt) {
  const Utilization u = figures_of(ten_seconds(
      {.busy = 7 * kSecond, .launches = 100, .idle_in = {2 * kSecond, 0}}));
  EXPECT_EQ(u.bottleneck, Bottleneck::input);
  EXPECT_NE(u.advice.find("prefetch(data::AUTOTUNE)"), std::string::npos);
}

TEST(Bottleneck, IsTheLaunchWhereTheHostIsBusyWithMany) {
  const Utilization u = figures_of(
      ten_seconds({.busy = 7 * kSecond, .launches = 10'000}, 10'000));
  EXPECT_EQ(u.bottleneck, Bottleneck::launch);
  EXPECT_NE(u.advice.find(".steps_per_execution"), std::string::npos);
}

TEST(Bottleneck, OfLongGapsIsNotHelpedByFewerLaunches) {
  const Utilization u =
      figures_of(ten_seconds({.busy = 7 * kSecond, .launches = 10}, 10));
  EXPECT_EQ(u.bottleneck, Bottleneck::launch);
  EXPECT_NE(u.advice.find("SYSTOLIC_TRACE"), std::string::npos);
}

TEST(Bottleneck, IsComputeWhereDevicesAreBusy) {
  const DeviceUsage busy{
      .busy = 99 * kSecond / 10, .launches = 100, .work = {.flops = 8e3}};
  const Utilization full = figures_of(ten_seconds(busy), {.flops = 1e3});
  EXPECT_EQ(full.bottleneck, Bottleneck::compute);
  EXPECT_NE(full.advice.find("mixed_bfloat16"), std::string::npos);
  const Utilization slow = figures_of(ten_seconds(busy), {.flops = 1e4});
  EXPECT_EQ(slow.bottleneck, Bottleneck::compute);
  EXPECT_NE(slow.advice.find("larger batches"), std::string::npos);
}

// A first step that takes minutes to compile says nothing of the others.
TEST(Bottleneck, IsNotTheCompiler) {
  const Utilization u =
      figures_of(ten_seconds({.busy = 2 * kSecond,
                              .launches = 100,
                              .idle_in = {kSecond / 10, 79 * kSecond / 10}}));
  EXPECT_EQ(u.bottleneck, Bottleneck::compute);
}

TEST(Bottleneck, IsCollectivesWhereTheyTakeMostOfTheTime) {
  const Utilization u =
      figures_of(ten_seconds({.busy = 10 * kSecond,
                              .launches = 100,
                              .work = {.flops = 1e3, .exchanged_bytes = 60}}),
                 {.flops = 1e3, .exchange_bytes = 10});
  EXPECT_EQ(u.bottleneck, Bottleneck::collectives);
  EXPECT_NE(u.advice.find("larger batches"), std::string::npos);
}

TEST(Bottleneck, IsMemoryWhereItIsNearerToItsLimit) {
  const Utilization u = figures_of(ten_seconds({.busy = 10 * kSecond,
                                                .launches = 100,
                                                .work = {.flops = 1e3},
                                                .bytes_accessed = 500}),
                                   {.flops = 1e3, .memory_bytes = 100});
  EXPECT_EQ(u.bottleneck, Bottleneck::memory);
  EXPECT_NE(u.advice.find("mixed_bfloat16"), std::string::npos);
}

}  // namespace
}  // namespace systolic::internal::runtime
