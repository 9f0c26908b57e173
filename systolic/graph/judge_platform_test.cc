// Programs before the TPU's compiler. Needs libtpu, but no TPU.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "systolic/graph/evaluate.h"
#include "systolic/graph/judge.h"
#include "systolic/graph/lowering_target.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/platforms/search.h"
#include "systolic/runtime/tpu_judge.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::graph {
namespace {

namespace fs = std::filesystem;

using runtime::JudgeException;
using runtime::TpuJudge;

bool has_libtpu() {
  return platforms::search(platforms::find_row("tpu")).found.has_value();
}

class JudgeTest : public GraphTest {
 protected:
  void SetUp() override {
    if (!has_libtpu()) {
      GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
    }
    GraphTest::SetUp();
    judge_ = std::make_unique<TpuJudge>("v3-8,v6e-8");
  }

  // Judges the program of a value.
  void judge_value(const Tensor& value,
                   std::vector<JudgeException> exceptions = {}) {
    const Root root{value.ref(), {}};
    const Program program(std::span(&root, 1), value.ref().node->placement);
    judge(*judge_, program, {}, exceptions);
  }
  // The columns of the report's lines.
  std::vector<std::vector<std::string>> report() const {
    std::ifstream file(folder_.path() / "report");
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(file, line);) {
      std::istringstream text(line);
      lines.emplace_back();
      for (std::string column; std::getline(text, column, '\t');) {
        lines.back().push_back(column);
      }
    }
    return lines;
  }
  std::vector<fs::path> remembered() const {
    std::vector<fs::path> files;
    for (const auto& entry :
         fs::directory_iterator(folder_.path() / "systolic" / "judged")) {
      files.push_back(entry.path());
    }
    return files;
  }
  static Tensor integers() {
    return constant(Array::from<int64_t>({1, 2, 3, 4}, {2, 2}));
  }

  std::unique_ptr<TpuJudge> judge_;

 private:
  testing::TemporaryFolder folder_;
  testing::EnvironmentGuard cache_{"XDG_CACHE_HOME", folder_.path().string()};
  testing::EnvironmentGuard report_{"SYSTOLIC_JUDGE_REPORT",
                                    (folder_.path() / "report").string()};
};

TEST_F(JudgeTest, SaysWhatCompiles) {
  const Tensor x = constant(Array::zeros({2, 2}));
  judge_value(matmul(x, x) + 1);
  const auto lines = report();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0][0].size(), 16u);
  EXPECT_EQ(lines[0][1], "v3-8");
  EXPECT_EQ(lines[0][2], "compiles");
  EXPECT_EQ(lines[1][1], "v6e-8");
  EXPECT_EQ(lines[1][2], "compiles");
}

TEST_F(JudgeTest, RefusalNamesTheOpTheLineAndTheReason) {
  const std::string text = message_of<PlatformError>([&] {
    judge_value(cast(matmul(integers(), integers()), DType::float32) * 2);
  });
  EXPECT_EQ(text.find("TPU v3-8: its compiler refuses this program"), 0u);
  EXPECT_NE(text.find("\n  op: matmul(int64[2, 2],int64[2, 2])"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("reason: PJRT_Compile: UNIMPLEMENTED: "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("judge_platform_test.cc:"), std::string::npos) << text;
  ASSERT_EQ(report().size(), 1u);
  EXPECT_EQ(report()[0][2], "refused");
}

// The op in the body is named, not the loop.
TEST_F(JudgeTest, LooksIntoLoops) {
  const auto body = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] + 1, matmul(in[1], in[1])};
  };
  const auto condition = [](const std::vector<Tensor>& in) {
    return in[0] < 3;
  };
  const std::vector<Tensor> results =
      while_loop(condition, body, {constant(0), integers()});
  const std::string text =
      message_of<PlatformError>([&] { judge_value(results[1]); });
  EXPECT_NE(text.find("\n  op: matmul("), std::string::npos) << text;
}

TEST_F(JudgeTest, ExceptionsAreNoted) {
  const Tensor product = matmul(integers(), integers());
  judge_value(product, {{"matmul", "int64", "no such products"}});
  const auto lines = report();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0][2], "excepted");
  EXPECT_NE(lines[0][4].find("no such products"), std::string::npos);
  EXPECT_THROW(judge_value(product, {{"matmul", "int32", "another dtype"}}),
               PlatformError);
}

// Which the CPU's form of a convolution is not, where our kernels are loaded.
TEST_F(JudgeTest, ProgramsAreInTheFormATpuGets) {
  const Tensor images = constant(Array::zeros({1, 8, 8, 3}));
  const Tensor filter = constant(Array::zeros({3, 3, 3, 4}));
  const Tensor result = nn::conv(images, filter);
  judge_value(result);
  EXPECT_EQ(report()[0][2], "compiles");

  const Root root{result.ref(), {}};
  const Program program(std::span(&root, 1), one());
  const bool has_kernels = client().has(platforms::Capability::ffi_kernels);
  EXPECT_EQ(program.emit({}).find("systolic_conv2d") != std::string::npos,
            has_kernels);
  const LoweringTarget tpu(judge_->row());
  EXPECT_EQ(program.emit({}).find("systolic_conv2d"), std::string::npos);
}

// libtpu 0.0.52 itself breaks where it fuses such a product.
using LoweringTest = GraphTest;  // needs no libtpu
TEST_F(LoweringTest, ProductsAreNotFusedForTpus) {
  const Tensor x = constant(Array::ones({2, 4, 8}, DType::float32));
  const Tensor result = prod(x, {.axis = 1, .keepdims = true}) * x;
  const Root root{result.ref(), {}};
  const Program program(std::span(&root, 1), one());
  const char* barrier = "optimization_barrier";
  EXPECT_EQ(program.emit({}).find(barrier), std::string::npos);
  const LoweringTarget tpu(platforms::find_row("tpu"));
  EXPECT_NE(program.emit({}).find(barrier), std::string::npos);
}

TEST_F(JudgeTest, Float64IsNotCompiled) {
  judge_value(constant(Array::from({1., 2.})) * 2);
  EXPECT_EQ(report()[0][2], "float64");
}

TEST_F(JudgeTest, ReplicasAreJudgedTogether) {
  Step step(eight(), "test");
  const Tensor total =
      all_reduce(ReduceOp::sum, constant(Array::from({1.f, 2.f})));
  judge_value(total);
  EXPECT_EQ(report()[0][2], "compiles");
}

TEST_F(JudgeTest, VerdictsAreRemembered) {
  const Tensor x = constant(Array::from({1.f, 2.f}));
  judge_value(x * 3);
  const auto files = remembered();
  ASSERT_EQ(files.size(), 2u);  // of two slices
  for (const fs::path& path : files) {
    std::ofstream(path) << "systolic judged 1\nwhat the file says\n";
  }
  const std::string text =
      message_of<PlatformError>([&] { judge_value(x * 3); });
  EXPECT_NE(text.find("reason: what the file says"), std::string::npos);
  // Damaged ones are made again.
  for (const fs::path& path : files) std::ofstream(path) << "systolic jud";
  judge_value(x * 3);
}

TEST(Judge, UnknownSliceListsTheKnown) {
  if (!has_libtpu()) {
    GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
  }
  const std::string text =
      message_of<ValueError>([] { const TpuJudge judge("v3-9000"); });
  EXPECT_NE(text.find("expected one of v3-8, v3-32"), std::string::npos);
}

}  // namespace
}  // namespace systolic::internal::graph
