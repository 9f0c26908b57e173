// Needs libtpu, but no TPU.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "systolic/base/error.h"
#include "systolic/plan/make_plan.h"
#include "systolic/platforms/search.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::plan {
namespace {

using systolic::plan::Operation;
using systolic::plan::Plan;

class PlanPlatformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!platforms::search(platforms::find_row("tpu")).found) {
      GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
    }
  }
};

// A product of `size` x `size` matrices, in a loop of `trips` turns if not 0.
std::string product(int size, int trips) {
  const std::string type =
      "tensor<" + std::to_string(size) + "x" + std::to_string(size) + "xbf16>";
  const std::string dot =
      "stablehlo.dot_general %a, %b, contracting_dims = "
      "[1] x [0] : (" +
      type + ", " + type + ") -> " + type + " loc(#dot)\n";
  std::string body = "%y = " + dot;
  if (trips > 0) {
    body =
        "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "%r:2 = \"stablehlo.while\"(%zero, %x) ({\n"
        "^bb0(%i: tensor<i32>, %a: " +
        type +
        "):\n"
        "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "\"stablehlo.return\"(%p) : (tensor<i1>) -> ()\n"
        "}, {\n"
        "^bb0(%i: tensor<i32>, %a: " +
        type +
        "):\n"
        "%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "%j = stablehlo.add %i, %one : tensor<i32>\n"
        "%q = " +
        dot + "\"stablehlo.return\"(%j, %q) : (tensor<i32>, " + type +
        ") -> ()\n"
        "}) : (tensor<i32>, " +
        type + ") -> (tensor<i32>, " + type +
        ") "
        "loc(#loop)\n";
  }
  const std::string first = trips > 0 ? "%x" : "%a";
  return "module @m attributes {mhlo.num_replicas = 1 : i32} {\n"
         "func.func public @main(" +
         first + ": " + type + ", %b: " + type + ", %n: tensor<i32>) -> " +
         type + " {\n" + body + "return " + (trips > 0 ? "%r#1" : "%y") +
         " : " + type +
         "\n}\n}\n"
         "#line = loc(\"my model.cc\":58:3)\n"
         "#dot = loc(\"dense_1/matmul\"(#line))\n"
         "#loop = loc(\"fit/while [trips=" +
         std::to_string(trips) + "]\"(#line))\n";
}

Plan plan_of(const std::string& text, const std::string& topology) {
  return make_plan({.text = text, .topology = topology, .replicas = 1});
}

// tpu-hardware facts: libtpu's cycles give 1.702 ms; 1.329 ms were measured
// with a flag that gives 1.471.
TEST_F(PlanPlatformTest, AProductOn6eTakesWhatTheCompilerSays) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME", folder.path());
  const Plan plan = plan_of(product(8192, 0), "v6e-8");
  EXPECT_TRUE(plan.fits);
  EXPECT_NEAR(plan.compute_seconds, 1.702e-3, 0.02e-3);
  EXPECT_EQ(plan.flops, 2.0 * 8192 * 8192 * 8192);
  EXPECT_NEAR(plan.matrix_unit, 0.70, 0.02);
  EXPECT_EQ(plan.padding_waste, 0);
  EXPECT_EQ(plan.collective_seconds, 0);
  EXPECT_EQ(plan.bottleneck, "compute");
  ASSERT_FALSE(plan.slowest.empty());
  EXPECT_EQ(plan.slowest[0].layer, "dense_1");
  EXPECT_EQ(plan.slowest[0].name, "matmul");
  EXPECT_EQ(plan.slowest[0].where, "my model.cc:58");
  // Three matrices and the scalar argument.
  EXPECT_NEAR(static_cast<double>(plan.memory.peak), 3.0 * 8192 * 8192 * 2,
              1024);
  const double sum = std::accumulate(
      plan.slowest.begin(), plan.slowest.end(), 0.0,
      [](double all, const Operation& one) { return all + one.seconds; });
  EXPECT_DOUBLE_EQ(sum, plan.compute_seconds);
}

TEST_F(PlanPlatformTest, LoopsCountAsOftenAsTheirNamesSay) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME", folder.path());
  const Plan once = plan_of(product(1024, 0), "v3-8");
  const Plan fifty = plan_of(product(1024, 50), "v3-8");
  EXPECT_EQ(fifty.flops, 50 * once.flops);
  EXPECT_GT(fifty.compute_seconds, 45 * once.compute_seconds);
  Request request{.text = product(1024, 50), .topology = "v3-8"};
  request.replicas = 1;
  request.steps_in_program = 50;
  EXPECT_EQ(make_plan(request).flops, once.flops);
}

TEST_F(PlanPlatformTest, PlansAreRemembered) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME", folder.path());
  const Plan first = plan_of(product(256, 0), "v3-8");
  EXPECT_FALSE(first.from_cache);
  Plan second = plan_of(product(256, 0), "v3-8");
  EXPECT_TRUE(second.from_cache);
  second.from_cache = false;
  EXPECT_EQ(second.to_json(), first.to_json());
  EXPECT_FALSE(plan_of(product(256, 0), "v2-8").from_cache);
}

// The number is the compiler's own.
TEST_F(PlanPlatformTest, WhatDoesNotFitSaysByHowMuch) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME", folder.path());
  const Plan plan = plan_of(product(65536, 0), "v3-8");
  EXPECT_FALSE(plan.fits);
  EXPECT_GT(plan.memory.peak, plan.memory.available);
  EXPECT_FALSE(plan.refusal.empty());
  EXPECT_NE(plan.to_string().find("DOES NOT FIT"), std::string::npos);
}

TEST_F(PlanPlatformTest, UnknownSlicesListTheKnown) {
  try {
    plan_of(product(8, 0), "v3-12");
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("one of v3-8, v3-32"),
              std::string::npos);
  }
}

TEST_F(PlanPlatformTest, ReplicasAreAtMostTheDevices) {
  try {
    make_plan({.text = product(8, 0), .topology = "v3-8", .replicas = 16});
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "plan: expected at most 8 replicas, as v3-8 has devices, "
                 "got 16");
  }
}

TEST_F(PlanPlatformTest, OtherRefusalsAreThrown) {
  EXPECT_THROW(plan_of("module { this is no program }", "v3-8"), PlatformError);
}

}  // namespace
}  // namespace systolic::internal::plan
