#include "systolic/plan/estimate.h"

#include <gtest/gtest.h>

#include <numeric>

namespace systolic::internal::plan {
namespace {

using platforms::parse_tpu_topology;
using systolic::plan::Operation;
using systolic::plan::Plan;

constexpr int64_t kGib = int64_t{1} << 30;

// 94 M cycles of v3 are 100 ms; 615 G flops of 61.5 T a second are 10.
Compiled made_up() {
  Compiled compiled;
  compiled.memory = {.code = 1000,
                     .arguments = 3 * kGib,
                     .outputs = kGib,
                     .aliased = kGib,
                     .temporary = 4 * kGib,
                     .peak = 7 * kGib};
  compiled.work.operations = {
      {.layer = "conv1",
       .name = "convolution",
       .where = "a.cc:1",
       .cycles = 70.5e6,
       .bytes = 9e9,
       .flops = 1230e9,
       .padded_flops = 2460e9},
      {.layer = "fit", .name = "add", .cycles = 23.5e6, .bytes = 4.5e9},
      {.layer = "", .name = "pool", .unpriced_bytes = 9e9, .bytes = 9e9}};
  // 150 MB over 200 GB/s: 0.75 ms.
  compiled.work.collectives = {{.bytes = 100e6, .replicas = 8}};
  return compiled;
}

Request made_up_request() {
  Request request{.program = "fit", .topology = "v3-8", .replicas = 8};
  request.batch_size = 1024;
  request.steps_per_execution = 10;
  request.input_bytes = 640'000'000;  // 64 GB/s: 10 ms
  request.weight_bytes = kGib;
  request.optimizer_bytes = kGib;
  return request;
}

Plan plan_of(const Request& request, const Compiled& compiled) {
  return estimate(request, parse_tpu_topology(request.topology), compiled);
}

TEST(Estimate, AddsUpAStep) {
  const Plan plan = plan_of(made_up_request(), made_up());
  EXPECT_EQ(plan.topology, "v3-8");
  EXPECT_EQ(plan.chips, 4);
  EXPECT_EQ(plan.cores, 8);
  // 94 M cycles at 940 MHz and 9 GB at 450 GB/s.
  EXPECT_DOUBLE_EQ(plan.compute_seconds, 0.1 + 0.02);
  EXPECT_DOUBLE_EQ(plan.collective_seconds, 0.75e-3);
  EXPECT_DOUBLE_EQ(plan.input_seconds, 10e-3);
  EXPECT_DOUBLE_EQ(plan.launch_seconds, 1.4e-3);
  EXPECT_DOUBLE_EQ(plan.step_seconds, 0.12 + 0.75e-3 + 1.4e-3);
  EXPECT_NEAR(plan.idle, 1.4e-3 / plan.step_seconds, 1e-12);
  EXPECT_EQ(plan.flops, 1230e9);
  EXPECT_NEAR(plan.matrix_unit, 20 / 120.0, 1e-9);
  EXPECT_NEAR(plan.memory_bandwidth, 22.5 / 450 / 0.12, 1e-9);
  EXPECT_DOUBLE_EQ(plan.padding_waste, 0.5);
  EXPECT_EQ(plan.bottleneck, "compute");
}

TEST(Estimate, OperationsAddUpToTheWhole) {
  const Plan plan = plan_of(made_up_request(), made_up());
  ASSERT_EQ(plan.slowest.size(), 3u);
  EXPECT_EQ(plan.slowest[0].name, "convolution");
  EXPECT_EQ(plan.slowest[1].name, "add");
  double seconds = 0;
  double share = 0;
  for (const Operation& one : plan.slowest) {
    seconds += one.seconds;
    share += one.share;
  }
  EXPECT_DOUBLE_EQ(seconds, plan.compute_seconds);
  EXPECT_DOUBLE_EQ(share, 1);
  EXPECT_NEAR(plan.slowest[0].matrix_unit, 20 / 75.0, 1e-9);
  EXPECT_DOUBLE_EQ(plan.slowest[0].padding_waste, 0.5);
}

TEST(Estimate, TenOperationsAreKeptAndAllAreCounted) {
  Compiled compiled = made_up();
  compiled.work.operations.assign(25, {.name = "add", .cycles = 940e3});
  const Plan plan = plan_of(made_up_request(), compiled);
  EXPECT_EQ(plan.slowest.size(), 10u);
  EXPECT_NEAR(plan.compute_seconds, 25e-3, 1e-12);
}

// A program of ten steps takes ten times as long as one of them.
TEST(Estimate, LoopsInTheProgramAreManySteps) {
  Request request = made_up_request();
  request.steps_in_program = 10;
  const Plan plan = plan_of(request, made_up());
  EXPECT_DOUBLE_EQ(plan.compute_seconds, 0.012);
  EXPECT_DOUBLE_EQ(plan.collective_seconds, 0.075e-3);
  EXPECT_NEAR(plan.matrix_unit, 20 / 120.0, 1e-9);
  // Now the input is the limit.
  EXPECT_DOUBLE_EQ(plan.step_seconds, 0.012075 + 1.4e-3);
  request.input_bytes *= 4;
  EXPECT_DOUBLE_EQ(plan_of(request, made_up()).step_seconds, 0.04 + 1.4e-3);
  EXPECT_EQ(plan_of(request, made_up()).bottleneck, "input");
}

TEST(Estimate, AMeasuredInputRateBoundsTheStep) {
  Request request = made_up_request();
  request.examples_per_second = 2048;
  const Plan plan = plan_of(request, made_up());
  EXPECT_DOUBLE_EQ(plan.step_seconds, 0.5);
  EXPECT_NEAR(plan.idle, 1 - 0.12075 / 0.5, 1e-12);
  EXPECT_EQ(plan.bottleneck, "input");
}

TEST(Estimate, SmallStepsAreBoundByLaunches) {
  Request request = made_up_request();
  request.steps_per_execution = 1;
  Compiled compiled = made_up();
  compiled.work.operations = {{.name = "add", .cycles = 940e3}};
  EXPECT_EQ(plan_of(request, compiled).bottleneck, "launch");
  EXPECT_DOUBLE_EQ(plan_of(request, compiled).launch_seconds, 14e-3);
}

TEST(Estimate, MemoryIsSplitUp) {
  const Plan plan = plan_of(made_up_request(), made_up());
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.memory.available, 16 * kGib);
  EXPECT_EQ(plan.memory.inputs, kGib);
  EXPECT_EQ(plan.memory.activations, 4 * kGib);
  EXPECT_EQ(plan.memory.peak, 7 * kGib);
  Compiled unsaid = made_up();
  unsaid.memory.peak = 0;
  EXPECT_EQ(plan_of(made_up_request(), unsaid).memory.peak, 7 * kGib);
  unsaid.memory.temporary = 14 * kGib;
  EXPECT_FALSE(plan_of(made_up_request(), unsaid).fits);
}

TEST(Estimate, ARefusalGivesItsNumbers) {
  Compiled compiled;
  compiled.refusal = Refusal{.line = "Ran out of memory",
                             .wanted = 30 * kGib,
                             .available = 15 * kGib,
                             .temporaries = 20 * kGib};
  Plan plan = plan_of(made_up_request(), compiled);
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.memory.available, 15 * kGib);
  EXPECT_EQ(plan.memory.peak, 30 * kGib);
  EXPECT_EQ(plan.memory.activations, 20 * kGib);
  EXPECT_EQ(plan.memory.inputs, 80'000'000);
  EXPECT_EQ(plan.step_seconds, 0);
  // The form that tells of all together.
  compiled.refusal->temporaries = 0;
  plan = plan_of(made_up_request(), compiled);
  EXPECT_EQ(plan.memory.peak, 30 * kGib);
  EXPECT_EQ(plan.memory.activations, 28 * kGib - 80'000'000);
}

// 22.5 GB of the operations and 45 of copies, at 450 GB/s: 150 ms.
TEST(Estimate, CopiesTakeAsLongAsTheMemoryNeeds) {
  Compiled compiled = made_up();
  compiled.work.overlapped_copies = 45e9;
  const Plan plan = plan_of(made_up_request(), compiled);
  EXPECT_DOUBLE_EQ(plan.compute_seconds, 0.15);
  EXPECT_DOUBLE_EQ(plan.memory_bandwidth, 1);
  EXPECT_EQ(plan.bottleneck, "memory");
  EXPECT_EQ(plan.slowest[1].name, "waiting for copies");
  EXPECT_NEAR(plan.slowest[1].seconds, 0.03, 1e-12);
  double seconds = 0;
  for (const Operation& one : plan.slowest) seconds += one.seconds;
  EXPECT_DOUBLE_EQ(seconds, plan.compute_seconds);
}

TEST(Estimate, ChipsWithoutAReplicaTakeNoPart) {
  Request request = made_up_request();
  request.replicas = 2;
  Compiled compiled = made_up();
  compiled.work.collectives[0].replicas = 0;
  const Plan plan = plan_of(request, compiled);
  EXPECT_DOUBLE_EQ(plan.input_seconds, 40e-3);
  EXPECT_EQ(plan.collective_seconds, 0);
}

bool says(const Plan& plan, std::string_view text) {
  for (const std::string& line : plan.assumptions) {
    if (line.find(text) != line.npos) return true;
  }
  return false;
}

TEST(Estimate, SaysWhatItAssumes) {
  Compiled compiled = made_up();
  compiled.work.loops_of_unknown_length = 2;
  compiled.work.branches = 1;
  compiled.work.overlapped_copies = 1e9;
  const Plan plan = plan_of(made_up_request(), compiled);
  EXPECT_TRUE(says(plan, "940 MHz"));
  EXPECT_TRUE(says(plan, "2 x 2 grid"));
  EXPECT_TRUE(says(plan, "they do not overlap"));
  EXPECT_TRUE(says(plan, "that of v4, since that of v3 is not published"));
  EXPECT_TRUE(says(plan, "2 loops of unknown length are counted once"));
  EXPECT_TRUE(says(plan, "the one that takes longest"));
  EXPECT_TRUE(says(plan, "copies between memories, 954 MiB a step"));
  EXPECT_TRUE(says(plan, "17 % of the time is of operations without cycles"));
  EXPECT_FALSE(says(plan, "CMEM"));
  Request request = made_up_request();
  request.topology = "v4-8";
  request.replicas = 4;
  EXPECT_TRUE(says(plan_of(request, compiled), "CMEM"));
}

TEST(Estimate, CollectivesAreHiddenByWhatIsBesideThem) {
  Compiled compiled = made_up();
  compiled.work.collectives[0].beside = 0.47e6;  // 0.5 ms of 0.75
  Plan plan = plan_of(made_up_request(), compiled);
  EXPECT_DOUBLE_EQ(plan.collective_seconds, 0.75e-3);
  EXPECT_DOUBLE_EQ(plan.step_seconds, 0.12 + 0.25e-3 + 1.4e-3);
  EXPECT_TRUE(says(plan, "500 us overlap with computing"));
  compiled.work.collectives[0].beside = 47e6;
  plan = plan_of(made_up_request(), compiled);
  EXPECT_DOUBLE_EQ(plan.step_seconds, 0.12 + 1.4e-3);
}

}  // namespace
}  // namespace systolic::internal::plan
