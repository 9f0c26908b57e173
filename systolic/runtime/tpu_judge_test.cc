#include "systolic/runtime/tpu_judge.h"

#include <gtest/gtest.h>

#include <fstream>

#include "systolic/base/error.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::runtime {
namespace {

// What is judged needs libtpu: graph/judge_platform_test.cc.
class TpuJudgeTest : public ::testing::Test {
 protected:
  void write(const std::string& text) const {
    std::ofstream(folder_.path() / "exceptions") << text;
  }

  testing::TemporaryFolder folder_;

 private:
  testing::EnvironmentGuard exceptions_{
      "SYSTOLIC_JUDGE_EXCEPTIONS", (folder_.path() / "exceptions").string()};
};

TEST_F(TpuJudgeTest, ExceptionsAreLines) {
  write("# op\tdtype\treason\n\nmatmul\tint64\tno 64-bit products\n");
  const std::vector<JudgeException> all = TpuJudge::exceptions();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].op, "matmul");
  EXPECT_EQ(all[0].dtype, "int64");
  EXPECT_EQ(all[0].reason, "no 64-bit products");
}

TEST_F(TpuJudgeTest, ExceptionsWithoutReasonAreNone) {
  write("matmul\tint64\n");
  EXPECT_NE(text_of<DataError>([] { TpuJudge::exceptions(); })
                .find("expected op, dtype and reason, apart by tabs, got "
                      "'matmul\tint64'"),
            std::string::npos);
}

TEST_F(TpuJudgeTest, ExceptionsThatAreNotThereAreAnError) {
  EXPECT_THROW(TpuJudge::exceptions(), NotFoundError);
}

TEST_F(TpuJudgeTest, ReportIsALineAProgram) {
  const std::string path = (folder_.path() / "report").string();
  const testing::EnvironmentGuard report("SYSTOLIC_JUDGE_REPORT", path);
  TpuJudge::report("module", {"v3-8", 8}, TpuJudge::Outcome::compiles,
                   "two\nlines");
  TpuJudge::report("module", {"v3-8", 8}, TpuJudge::Outcome::refused, "one",
                   "a\treason");
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line.substr(16), "\tv3-8\tcompiles\ttwo lines\t");
  std::getline(file, line);
  EXPECT_EQ(line.substr(16), "\tv3-8\trefused\tone\ta reason");
}

}  // namespace
}  // namespace systolic::internal::runtime
