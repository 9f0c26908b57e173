#include "tools/planned_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::tools {
namespace {

using internal::text_of;

PlannedProgram plan_script(const std::string& script,
                           const PlanPoint& point = {"v3-8", 64}) {
  return plan_program({"/bin/sh", "-c", script}, point);
}

TEST(PlannedProgramTest, ProgramIsToldWhatToPlanAndWhere) {
  const PlannedProgram plan = plan_script(
      "echo noise; echo \"$SYSTOLIC_PLAN $SYSTOLIC_PLAN_BATCH\" "
      "> $SYSTOLIC_PLAN_OUTPUT/plan.txt; echo '{}' > "
      "$SYSTOLIC_PLAN_OUTPUT/plan.json");
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.text, "v3-8 64\n");
  EXPECT_EQ(plan.json, "{}\n");
}

TEST(PlannedProgramTest, WithoutABatchTheProgramsOwnIsTaken) {
  setenv("SYSTOLIC_PLAN_BATCH", "7", 1);
  const PlannedProgram plan = plan_script(
      "echo \"<$SYSTOLIC_PLAN_BATCH>\" > $SYSTOLIC_PLAN_OUTPUT/plan.txt; "
      "echo '{}' > $SYSTOLIC_PLAN_OUTPUT/plan.json; exit 1",
      {"v3-8", 0});
  unsetenv("SYSTOLIC_PLAN_BATCH");
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.text, "<>\n");
}

TEST(PlannedProgramTest, ProgramWithoutAPlanIsShownWithItsLastLines) {
  const std::string text = text_of<Error>([] {
    plan_script("for i in $(seq 100); do echo line $i; done; exit 3");
  });
  EXPECT_TRUE(
      text.starts_with("plan: '/bin/sh' ended with 3 before it was planned"))
      << text;
  EXPECT_NE(text.find("line 100"), std::string::npos) << text;
  EXPECT_EQ(text.find("line 80\n"), std::string::npos) << text;
  EXPECT_NE(text_of<Error>([] {
              plan_script("kill -9 $$");
            }).find("was ended by signal 9"),
            std::string::npos);
}

TEST(PlannedProgramTest, ProgramThatIsNotThereIsAnError) {
  EXPECT_EQ(text_of<NotFoundError>([] {
              plan_program({"/nowhere/program"}, {"v3-8", 0});
            }),
            "plan: expected a program that can be run, got "
            "'/nowhere/program': No such file or directory");
}

TEST(PlannedProgramTest, FolderOfThePlanGoes) {
  const PlannedProgram plan = plan_script(
      "echo '{}' > $SYSTOLIC_PLAN_OUTPUT/plan.json; "
      "printf '%s' $SYSTOLIC_PLAN_OUTPUT > $SYSTOLIC_PLAN_OUTPUT/plan.txt");
  EXPECT_FALSE(plan.text.empty());
  EXPECT_FALSE(std::filesystem::exists(plan.text)) << plan.text;
}

}  // namespace
}  // namespace systolic::tools
