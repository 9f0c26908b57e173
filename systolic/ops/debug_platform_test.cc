#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "systolic/base/out.h"
#include "systolic/graph/function.h"
#include "systolic/graph/step.h"
#include "systolic/ops/debug.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"

namespace systolic::debug {
namespace {

using internal::text_of;
using internal::graph::Placement;
using internal::graph::Step;

const Placement* replicas(int count) {
  return Placement::replicas(
      internal::runtime::Client::open({.device_count = count}).devices());
}

Tensor floats(std::vector<float> values) { return constant(values); }

// What is printed in this test.
class DebugPlatformTest : public ::testing::Test {
 protected:
  std::string printed() {
    std::string text = text_.str();
    text_.str("");
    return text;
  }

 private:
  std::ostringstream text_;
  OutputGuard guard_{text_};
};

TEST_F(DebugPlatformTest, OutsideOfStepsAtOnce) {
  const Variable w(floats({3}));
  print("x", floats({1, 2}) * 2.f, w, 7, 0.5f, true, std::string("end"),
        Array::from({1, 2}));
  EXPECT_EQ(printed(), "x [2. 4.] [3.] 7 0.5 True end [1 2]\n");
}

TEST_F(DebugPlatformTest, InAStepWhenItRuns) {
  {
    Step step(Placement::current_default(), "step");
    const Tensor x = floats({1, 2}) + 1.f;
    print("first", x);
    print("second", x * 2.f, "and", sum(x));
    EXPECT_EQ(printed(), "") << "nothing has run yet";
    step.commit({});
  }
  EXPECT_EQ(printed(), "first [2. 3.]\nsecond [4. 6.] and 5.0\n");
}

TEST_F(DebugPlatformTest, EachCallOfAFunctionPrintsItsValues) {
  const testing::EnvironmentGuard unchecked("SYSTOLIC_CHECK_FUNCTIONS");
  Variable w(floats({0}));
  int runs = 0;
  const auto f = function([&](Tensor x) {
    ++runs;
    w.assign_add(x);
    print("w is", w);
    print("only text");
  });
  for (int i = 1; i <= 3; ++i) f(floats({static_cast<float>(i)}));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(printed(),
            "w is [1.]\nonly text\nw is [3.]\nonly text\nw is [6.]\n"
            "only text\n");
}

TEST_F(DebugPlatformTest, CheckedFunctionsPrintTheSame) {
  const testing::EnvironmentGuard checked("SYSTOLIC_CHECK_FUNCTIONS", "1");
  const auto f = function([](Tensor x) {
    print("x", x);
    return check_numerics(x * 2.f, "twice");
  });
  for (int i = 0; i < 3; ++i) f(floats({static_cast<float>(i)}));
  EXPECT_EQ(printed(), "x [0.]\nx [1.]\nx [2.]\n");
}

TEST_F(DebugPlatformTest, LoopsPrintEachTimeRoundInOrder) {
  const auto f = function([](Tensor n) {
    print("before");
    for_loop(n, [](const Tensor& i) {
      print("at", i);
      print("square", i * i);
    });
    print("after");
  });
  f(constant(3));
  EXPECT_EQ(printed(),
            "before\nat 0\nsquare 0\nat 1\nsquare 1\nat 2\nsquare 4\nafter\n");
  f(constant(0));
  EXPECT_EQ(printed(), "before\nafter\n");
}

TEST_F(DebugPlatformTest, LastLinesOfALongLoopAreKept) {
  const auto f = function(
      [](Tensor n) { for_loop(n, [](const Tensor& i) { print(i); }); });
  f(constant(1500));
  const std::string text = printed();
  EXPECT_TRUE(
      text.starts_with("(476 earlier lines of a loop are left out)\n476\n"))
      << text.substr(0, 100);
  EXPECT_TRUE(text.ends_with("\n1499\n"));
  f(constant(2));
  EXPECT_EQ(printed(), "0\n1\n");
}

TEST_F(DebugPlatformTest, ReplicasPrintALineEach) {
  for (int run = 0; run < 2; ++run) {
    Step step(replicas(3), "strategy.run");
    print("id", replica_id_in_sync_group());
    print("again");
    step.commit({});
    EXPECT_EQ(printed(),
              "replica 0: id 0\nreplica 1: id 1\nreplica 2: id 2\n"
              "replica 0: again\nreplica 1: again\nreplica 2: again\n");
  }
}

TEST_F(DebugPlatformTest, NothingIsPrintedOfAStepThatFails) {
  {
    Step step(Placement::current_default(), "step");
    print("lost", floats({1}) + 1.f);
  }
  EXPECT_EQ(printed(), "");
}

TEST_F(DebugPlatformTest, PrintingDoesNotChangeGradients) {
  const auto f = function([](Tensor x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = square(x);
    print("y", y);
    return tape.gradient(sum(check_numerics(y, "y")), x);
  });
  EXPECT_EQ(f(floats({1, 2})).numpy().to_string(), "[2. 4.]");
  EXPECT_EQ(printed(), "y [1. 4.]\n");
}

TEST_F(DebugPlatformTest, CheckNumericsPassesGoodValues) {
  const Tensor x = floats({1, 2});
  EXPECT_EQ(check_numerics(x, "x").numpy().to_string(), "[1. 2.]");
  EXPECT_EQ(check_numerics(constant({1, 2}), "ints").numpy().to_string(),
            "[1 2]");
}

TEST_F(DebugPlatformTest, CheckNumericsNamesTheOpAndTheLine) {
  const std::string start =
      "check_numerics \"layer 3\": the result of log at "
      "debug_platform_test.cc:";
  const auto bad = [](const Tensor& x) {
    return check_numerics(log(x), "layer 3");
  };
  const std::string now = text_of<ValueError>([&] { bad(floats({-1, 1})); });
  EXPECT_TRUE(now.starts_with(start)) << now;
  EXPECT_NE(now.find(" has NaN values\n  value: float32[2]\n  at: "
                     "debug_platform_test.cc:"),
            now.npos)
      << now;
  const auto f = function(bad);
  EXPECT_EQ(f(floats({1, 1})).numpy().to_string(), "[0. 0.]");
  const std::string later = text_of<ValueError>([&] { f(floats({-1, 1})); });
  EXPECT_EQ(later, now);
  EXPECT_NE(text_of<ValueError>([&] {
              f(floats({0, 1}));
            }).find(" has infinite values"),
            later.npos);
  EXPECT_EQ(f(floats({1, 1})).numpy().to_string(), "[0. 0.]")
      << "an error is told once";
}

TEST_F(DebugPlatformTest, FirstBadReplicaIsNamed) {
  Step step(replicas(3), "strategy.run");
  check_numerics(log(cast<float>(replica_id_in_sync_group()) * -1.f + 1.5f),
                 "");
  const std::string text = text_of<ValueError>([&] { step.commit({}); });
  EXPECT_TRUE(text.starts_with("check_numerics: the result of log at "))
      << text;
  EXPECT_NE(text.find("\n  replica: 2\n"), text.npos) << text;
}

TEST_F(DebugPlatformTest, EveryOperationIsCheckedOnceEnabled) {
  const auto f = function([](Tensor x) {
    const Tensor y = exp(x * 100.f);  // the first bad one
    return y - y;
  });
  const Tensor x = floats({1});
  EXPECT_TRUE(text_of<ValueError>([&] { f(x); }) == "nothing was thrown");
  enable_check_numerics();
  const std::string eager =
      text_of<ValueError>([&] { log(floats({-1})).numpy(); });
  const auto g = function([](Tensor in) {
    const Tensor y = exp(in * 100.f);
    return for_loop(3, [](const Tensor&) {}), y - y;
  });
  const std::string traced = text_of<ValueError>([&] { g(x); });
  disable_check_numerics();
  EXPECT_TRUE(
      eager.starts_with("check_numerics: the result of log has NaN values\n"
                        "  value: float32[1]\n  at: debug_platform_test.cc:"))
      << eager;
  EXPECT_TRUE(traced.starts_with(
      "check_numerics: the result of exp has infinite values\n"
      "  value: float32[1]\n  at: debug_platform_test.cc:"))
      << traced;
  EXPECT_EQ(log(floats({-1})).numpy().to_string(), "[nan]");
}

}  // namespace
}  // namespace systolic::debug
