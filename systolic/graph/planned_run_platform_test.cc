// What SYSTOLIC_PLAN does. Needs libtpu, but no TPU.
#include <fstream>
#include <sstream>

#include "systolic/base/user_folders.h"
#include "systolic/graph/planned_run.h"
#include "systolic/graph/tape.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/platforms/search.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::graph {
namespace {

using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

class PlannedRunTest : public GraphTest {
 protected:
  void SetUp() override {
    if (!platforms::search(platforms::find_row("tpu")).found) {
      GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
    }
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    GraphTest::SetUp();
  }

  // One step of gradient descent on one device.
  static void train() {
    Variable w([] { return ones({256, 128}); }, {.name = "w"});
    Step step(one(), "train_step");
    const Tensor x = planned_input(*one(), {DType::float32, Shape{64, 256}});
    const NameScope scope("dense", SourceLocation::current());
    GradientTape tape;
    const Tensor loss = sum(square(matmul(x, w.value())));
    w.assign_sub(tape.gradient(loss, w) * 0.1f);
    step.commit({});
  }

  std::string file(const char* name) const {
    const std::ifstream file(out_ + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  const TemporaryFolder folder_;
  // The process of a death test writes where the one that waits for it looks.
  const std::string out_ = environment("SYSTOLIC_PLAN_OUTPUT").empty()
                               ? folder_.path().string()
                               : environment("SYSTOLIC_PLAN_OUTPUT");
  const EnvironmentGuard output_{"SYSTOLIC_PLAN_OUTPUT", out_};
};

using PlannedRunDeathTest = PlannedRunTest;

TEST_F(PlannedRunDeathTest, StepIsPlannedAndTheProcessEnds) {
  const EnvironmentGuard slice("SYSTOLIC_PLAN", "v3-8");
  EXPECT_EXIT(
      {
        start_planned_run();
        train();
        std::exit(9);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_NE(file("plan.txt").find("v3-8"), std::string::npos);
  EXPECT_NE(file("plan.json").find("\"weights\": 131072"), std::string::npos)
      << file("plan.json");
}

TEST_F(PlannedRunDeathTest, WrongSettingsEndTheProcessWithTheirReason) {
  const auto start = [](const char* slice, const char* rows) {
    const EnvironmentGuard one("SYSTOLIC_PLAN", slice);
    const EnvironmentGuard other("SYSTOLIC_PLAN_BATCH", rows);
    start_planned_run();
    std::exit(0);
  };
  EXPECT_EXIT(start("v3-9", ""), ::testing::ExitedWithCode(2),
              "SYSTOLIC_PLAN: TPU topology: expected one of v3-8, v3-32");
  EXPECT_EXIT(start("v3-8", "many"), ::testing::ExitedWithCode(2),
              "SYSTOLIC_PLAN_BATCH: expected a number of rows, at least 1, got "
              "'many'");
  EXPECT_EXIT(start("v3-8", "0"), ::testing::ExitedWithCode(2), "at least 1");
}

TEST_F(PlannedRunDeathTest, ProgramWithoutATrainingStepIsToldAtItsEnd) {
  const EnvironmentGuard slice("SYSTOLIC_PLAN", "v3-8");
  EXPECT_EXIT(
      {
        start_planned_run();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "so there is no plan");
}

TEST_F(PlannedRunTest, ProgramThatTheCompilerRefusesNamesOpAndLine) {
  std::string text;
  uint32_t line = 0;
  Planning planning(platforms::parse_tpu_topology("v3-8"),
                    [&](const Program& program) {
                      text = message_of<PlatformError>(
                          [&] { plan_program(*Planning::current(), program); });
                    });
  Variable w([] { return zeros({2, 2}, DType::int64); }, {.name = "w"});
  {
    Step step(one(), "train_step");
    line = __LINE__ + 1;
    w.assign(matmul(w.value(), w.value()));
    step.commit({});
  }
  EXPECT_TRUE(text.starts_with("TPU v3-8: its compiler refuses this program"))
      << text;
  EXPECT_NE(text.find("op: matmul(int64[2, 2],int64[2, 2])"), std::string::npos)
      << text;
  EXPECT_NE(
      text.find("at: planned_run_platform_test.cc:" + std::to_string(line)),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace systolic::internal::graph
