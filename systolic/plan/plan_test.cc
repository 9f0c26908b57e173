#include "systolic/plan/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace systolic::plan {
namespace {

constexpr int64_t kGib = int64_t{1} << 30;

Plan made_up() {
  Plan plan;
  plan.topology = "v3-8";
  plan.chips = 4;
  plan.cores = 8;
  plan.replicas = 8;
  plan.program = "fit step of resnet50";
  plan.where = "resnet50.cc:90";
  plan.batch_size = 1024;
  plan.steps_per_execution = 50;
  plan.memory = {.available = 16 * kGib,
                 .weights = kGib / 10,
                 .optimizer = kGib / 10,
                 .inputs = kGib / 50,
                 .activations = 4 * kGib,
                 .code = kGib / 16,
                 .peak = 4 * kGib + kGib / 3};
  plan.compute_seconds = 0.1405;
  plan.collective_seconds = 0.77e-3;
  plan.input_seconds = 9.6e-3;
  plan.launch_seconds = 0.28e-3;
  plan.step_seconds = 0.1415;
  plan.matrix_unit = 0.31;
  plan.memory_bandwidth = 0.42;
  plan.padding_waste = 0.12;
  plan.idle = 0.002;
  plan.bottleneck = "compute";
  plan.slowest = {{.layer = "conv1_conv",
                   .name = "convolution",
                   .where = "models/resnet50.cc:58",
                   .seconds = 3.6e-3,
                   .share = 0.026,
                   .matrix_unit = 0.4,
                   .padding_waste = 0.71},
                  {.layer = "a_layer_with_a_very_long_name_indeed (gradient)",
                   .name = "reduce_sum",
                   .where = "resnet50.cc:61",
                   .seconds = 1e-3,
                   .share = 0.007},
                  {.name = "copy", .seconds = 1e-6, .share = 0.00001}};
  plan.advice = {
      "a sentence that is long enough to be broken at the end of "
      "the line, since a report has eighty columns and no more"};
  plan.assumptions = {"compute: the compiler's own cycles at 940 MHz",
                      "collectives: a 2 x 2 grid"};
  plan.compile_seconds = 48.2;
  return plan;
}

TEST(Plan, ShareOfABatchThatDoesNotDivideIsFilledUp) {
  Plan plan = made_up();
  plan.batch_size = 20;
  EXPECT_NE(plan.to_string().find("batch 20 (3 each)"), std::string::npos);
}

TEST(Plan, ReportsForPeople) {
  EXPECT_EQ("\n" + made_up().to_string(), R"(
plan         fit step of resnet50  resnet50.cc:90
slice        v3-8: 4 chips, 8 cores, 8 replicas, batch 1024 (128 each)
memory       fits: 4.33 GiB of 16.0 GiB a core
             weights 102 MiB, optimizer 102 MiB, inputs 20.5 MiB, activations
             4.00 GiB, code 64.0 MiB
time         142 ms a step, 7,237 examples a second, bound by compute
  compute       140 ms  MXU 31 %, memory bandwidth 42 %, padding waste 12 %
  collectives   770 us
  input        9.60 ms
  launch        280 us  50 steps a launch
  idle           0.2 %
slowest  share   MXU waste  layer, op, line
 3.60 ms 2.6 %  40 %  71 %  conv1_conv/convolution  resnet50.cc:58
 1.00 ms 0.7 %     -     -  ...name_indeed (gradient)/reduce_sum  resnet50.cc:61
advice       a sentence that is long enough to be broken at the end of the line,
             since a report has eighty columns and no more
assumed      compute: the compiler's own cycles at 940 MHz
             collectives: a 2 x 2 grid
compiled     in 48.2 s
)");
}

TEST(Plan, HasAtMostEightyColumns) {
  Plan plan = made_up();
  plan.fits = false;
  plan.refusal =
      "Ran out of memory in memory space hbm. Used 30.21G of 15.48G "
      "hbm. Exceeded hbm capacity by 14.73G.";
  plan.largest = {{kGib, "bf16[256000,3072]",
                   "embed/convert_of_a_name_that_is_rather_long_as_they_are"}};
  std::istringstream lines(plan.to_string());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(Plan, SaysWhatDoesNotFit) {
  Plan plan;
  plan.topology = "v3-8";
  plan.program = "fit step";
  plan.fits = false;
  plan.refusal = "Ran out of memory";
  plan.memory.available = 16 * kGib;
  plan.memory.peak = 30 * kGib;
  const std::string text = plan.to_string();
  EXPECT_NE(
      text.find("memory       DOES NOT FIT: 30.0 GiB of 16.0 GiB a core\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("compiler     Ran out of memory\n"), std::string::npos);
  EXPECT_EQ(text.find("time "), std::string::npos);
}

TEST(Plan, HasAllOfItAsJson) {
  const auto json = nlohmann::json::parse(made_up().to_json());
  EXPECT_EQ(json["topology"], "v3-8");
  EXPECT_EQ(json["memory"]["peak"], 4 * kGib + kGib / 3);
  EXPECT_EQ(json["step_seconds"], 0.1415);
  EXPECT_EQ(json["slowest"][0]["layer"], "conv1_conv");
  EXPECT_EQ(json["slowest"][1]["share"], 0.007);
  EXPECT_EQ(json["advice"].size(), 1u);
  EXPECT_EQ(json["fits"], true);
  EXPECT_EQ(json.size(), 28u);
}

TEST(Plan, JsonTakesAnyBytes) {
  Plan plan = made_up();
  plan.where = "\xff.cc:3";
  EXPECT_FALSE(nlohmann::json::parse(plan.to_json())["where"].empty());
}

}  // namespace
}  // namespace systolic::plan
