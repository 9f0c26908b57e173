#include "systolic/plan/advice.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

using systolic::plan::Plan;

constexpr int64_t kGib = int64_t{1} << 30;

// A plan that needs no advice: 128 a core, bfloat16, few launches.
Plan made_up() {
  Plan plan;
  plan.replicas = 8;
  plan.batch_size = 1024;
  plan.steps_per_execution = 50;
  plan.memory = {.available = 16 * kGib,
                 .weights = kGib,
                 .optimizer = kGib,
                 .activations = 4 * kGib};
  plan.compute_seconds = 0.1;
  plan.launch_seconds = 0.28e-3;
  plan.step_seconds = 0.10028;
  plan.bottleneck = "compute";
  plan.matrix_unit = 0.5;
  plan.memory_bandwidth = 0.6;
  return plan;
}

Request made_up_request() {
  Request request{.matmul_dtype = "bfloat16"};
  request.trains = true;
  request.learning_rate = 0.1;
  return request;
}

TEST(Advice, NothingWhereThereIsNothingToGain) {
  EXPECT_TRUE(advice(made_up(), made_up_request()).empty());
}

TEST(Advice, LargerBatchesWithAScaledLearningRate) {
  Plan plan = made_up();
  plan.batch_size = 128;  // 16 a core
  plan.memory.activations = kGib / 2;
  EXPECT_EQ(advice(plan, made_up_request()),
            std::vector<std::string>{
                "128 examples a core in place of 16 (batch_size 1024): the "
                "matrix units are kept busy best at 128 a core; begin with a "
                "learning rate of 0.8, now 0.1"});
  // As many as fit: 12.4 GiB of 256 MiB for each 8.
  plan.memory.activations = 4 * kGib;
  EXPECT_EQ(advice(plan, made_up_request())[0].substr(0, 32),
            "48 examples a core in place of 1");
}

TEST(Advice, BelowEightACoreIsTooFew) {
  Plan plan = made_up();
  plan.batch_size = 32;
  plan.memory.activations = kGib / 8;
  Request request = made_up_request();
  request.learning_rate = 0;
  EXPECT_EQ(advice(plan, request),
            std::vector<std::string>{
                "128 examples a core in place of 4 (batch_size 1024): speed "
                "begins at 8 examples a core; the learning rate grows with "
                "the batch"});
  request.trains = false;
  EXPECT_EQ(advice(plan, request)[0].find("learning rate"), std::string::npos);
}

TEST(Advice, AFewExamplesMoreAreNotWorthALine) {
  Plan plan = made_up();
  plan.batch_size = 8 * 64;
  plan.memory.activations = 11 * kGib;  // 72 fit
  EXPECT_TRUE(advice(plan, made_up_request()).empty());
}

TEST(Advice, MultiplesOfEight) {
  Plan plan = made_up();
  plan.batch_size = 8 * 130;
  EXPECT_EQ(advice(plan, made_up_request())[0].substr(0, 34),
            "136 examples a core in place of 13");
}

TEST(Advice, MoreStepsALaunch) {
  Plan plan = made_up();
  plan.steps_per_execution = 1;
  plan.launch_seconds = 14e-3;
  plan.compute_seconds = 10e-3;
  plan.step_seconds = 24e-3;
  plan.bottleneck = "launch";
  EXPECT_EQ(advice(plan, made_up_request()),
            std::vector<std::string>{
                "launches take 58 % of a step: steps_per_execution = 30"});
  plan.steps_per_execution = 4;
  plan.launch_seconds = 3.5e-3;
  plan.step_seconds = 13.5e-3;
  EXPECT_EQ(advice(plan, made_up_request()),
            std::vector<std::string>{
                "launches take 26 % of a step: steps_per_execution = 30, now "
                "4"});
}

TEST(Advice, FasterInput) {
  Plan plan = made_up();
  plan.bottleneck = "input";
  plan.step_seconds = 0.5;
  plan.idle = 0.8;
  Request request = made_up_request();
  EXPECT_EQ(advice(plan, request),
            std::vector<std::string>{
                "the links to the hosts are the limit: send uint8 or bfloat16 "
                "and scale on the TPU"});
  request.examples_per_second = 2048;
  EXPECT_EQ(advice(plan, request)[0].substr(0, 74),
            "the input gives 2,048 examples a second, the slice takes 10,240: "
            "read TFRe");
}

TEST(Advice, Bfloat16WhereMemoryCounts) {
  Request request = made_up_request();
  request.matmul_dtype = "float32";
  EXPECT_EQ(advice(made_up(), request),
            std::vector<std::string>{
                "mixed_precision::set_global_policy(\"mixed_bfloat16\") halves "
                "the bytes of activations"});
  Plan plan = made_up();
  plan.memory_bandwidth = 0.05;
  EXPECT_TRUE(advice(plan, request).empty());
}

TEST(Advice, AllDevices) {
  Plan plan = made_up();
  plan.topology = "v3-8";
  EXPECT_TRUE(advice(plan, made_up_request()).empty());
  plan.replicas = 1;
  plan.batch_size = 128;
  EXPECT_EQ(advice(plan, made_up_request()),
            std::vector<std::string>{
                "1 of 8 devices has work: make the model in the scope of a "
                "TPUStrategy"});
}

TEST(Advice, FullTiles) {
  Plan plan = made_up();
  plan.slowest = {{.layer = "conv1",
                   .name = "convolution",
                   .share = 0.3,
                   .matrix_unit = 0.2,
                   .padding_waste = 0.1},
                  {.layer = "predictions",
                   .name = "matmul",
                   .share = 0.1,
                   .matrix_unit = 0.01,
                   .padding_waste = 0.92},
                  {.layer = "pool", .name = "max", .share = 0.5}};
  EXPECT_EQ(advice(plan, made_up_request()),
            std::vector<std::string>{
                "predictions/matmul fills 8.0 % of the matrix units' tiles and "
                "takes 10 % of the time: a batch a core and features in "
                "multiples of 128 fill them"});
  plan.slowest[1].share = 0.01;
  EXPECT_TRUE(advice(plan, made_up_request()).empty());
}

TEST(Advice, Collectives) {
  Plan plan = made_up();
  plan.collective_seconds = 0.2;
  plan.step_seconds = 0.3;
  plan.bottleneck = "collectives";
  EXPECT_EQ(advice(plan, made_up_request()),
            std::vector<std::string>{
                "collectives take 67 % of a step, whatever the batch: a larger "
                "batch a core or fewer chips make them count less"});
}

TEST(Advice, ASmallerBatchWhereItDoesNotFit) {
  Plan plan = made_up();
  plan.fits = false;
  plan.memory.activations = 28 * kGib;
  plan.memory.peak = 30 * kGib;
  Request request = made_up_request();
  request.matmul_dtype = "float32";
  EXPECT_EQ(advice(plan, request),
            (std::vector<std::string>{
                "take at most about 64 examples a core (batch_size 512), by "
                "the share of memory that grows with the batch",
                "mixed_precision::set_global_policy(\"mixed_bfloat16\") halves "
                "activations",
                "more chips help only with a smaller batch a core: each core "
                "has all weights"}));
}

TEST(Advice, WeightsThatDoNotFitAlone) {
  Plan plan = made_up();
  plan.fits = false;
  plan.memory.weights = 30 * kGib;
  const std::vector<std::string> lines = advice(plan, made_up_request());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].substr(0, 64),
            "weights and optimizer alone need 31.0 GiB of 16.0 GiB a core: no");
}

}  // namespace
}  // namespace systolic::internal::plan
