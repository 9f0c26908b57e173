// The program cache on disk over whole processes: training again compiles
// nothing and gives the same numbers.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "systolic/models/test_helpers.h"
#include "systolic/runtime/counters.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::models {
namespace {

namespace fs = std::filesystem;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

// Images of 8 x 8 with one of three labels.
data::Dataset images(int64_t count) {
  std::vector<float> x(static_cast<size_t>(count * 64));
  std::vector<int32_t> y(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 7 % 11) / 11;
  }
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<int32_t>(i % 3);
  return data::Dataset::from_tensor_slices(Array::from(x, {count, 8, 8, 1}),
                                           Array::from(y))
      .batch(16);
}

// Trains a small convolutional network (CPU kernels where there are some,
// donated weights, a loop) on as many replicas; gives its losses.
std::string train(int count) {
  const distribute::Strategy strategy = replicas(count);
  const auto scope = strategy.scope();
  set_random_seed(7);
  clear_session();
  Sequential model(
      {layers::Conv2D(4, 3, {.activation = "relu", .input_shape = {8, 8, 1}}),
       layers::MaxPooling2D(), layers::Flatten(), layers::Dropout(0.2),
       layers::Dense(3)});
  model.compile(
      {.optimizer = optimizers::Adam(0.01),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"},
       .steps_per_execution = 2});
  const auto history =
      model.fit(images(70), {.epochs = 2, .verbose = Verbose::silent});
  std::ostringstream text;
  for (double loss : history["loss"]) text << std::hexfloat << loss << " ";
  return text.str();
}

// One process of the tests below.
TEST(SecondStartChild, DISABLED_Train) {
  const EnvironmentGuard cache("SYSTOLIC_CACHE",
                               std::getenv("SYSTOLIC_TEST_PROGRAMS"));
  std::string losses = train(1) + train(8);
  const auto statistics =
      internal::graph::ProgramCache::instance().statistics();
  std::ofstream(std::getenv("SYSTOLIC_TEST_REPORT"))
      << statistics.compiles << " " << statistics.loaded_from_disk << " "
      << losses;
}

struct Report {
  uint64_t compiles = 0;
  uint64_t loads = 0;
  std::string losses;
};

// Trains in new processes that share a folder of programs.
class SecondStartPlatformTest : public ::testing::Test {
 protected:
  // Starts as many processes at once; gives their reports.
  std::vector<Report> start(int count) {
    std::vector<std::FILE*> running;
    for (int i = 0; i < count; ++i) {
      const EnvironmentGuard programs("SYSTOLIC_TEST_PROGRAMS",
                                      programs_.string());
      const EnvironmentGuard report("SYSTOLIC_TEST_REPORT", report_of(i));
      const std::string command = fs::read_symlink("/proc/self/exe").string() +
                                  " --gtest_filter=SecondStartChild.* "
                                  "--gtest_also_run_disabled_tests 2>&1";
      running.push_back(popen(command.c_str(), "r"));
    }
    for (std::FILE* child : running) {
      char part[4096];
      std::string said;
      while (std::fgets(part, sizeof(part), child) != nullptr) said += part;
      EXPECT_EQ(pclose(child), 0) << said;
    }
    std::vector<Report> reports(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      Report& report = reports[static_cast<size_t>(i)];
      std::ifstream file(report_of(i));
      file >> report.compiles >> report.loads;
      std::getline(file, report.losses);
    }
    return reports;
  }

  const TemporaryFolder folder_;
  const fs::path programs_ = folder_.path() / "programs";

 private:
  std::string report_of(int process) const {
    return (folder_.path() / ("report-" + std::to_string(process))).string();
  }
};

TEST_F(SecondStartPlatformTest, CompilesNothingAndGivesTheSameNumbers) {
  const Report first = start(1)[0];
  EXPECT_GT(first.compiles, 3U);
  EXPECT_EQ(first.loads, 0U);
  const Report second = start(1)[0];
  EXPECT_EQ(second.compiles, 0U);
  EXPECT_EQ(second.loads, first.compiles);
  EXPECT_EQ(second.losses, first.losses);
}

TEST_F(SecondStartPlatformTest, TwoProcessesAtOnceShareAFolder) {
  const std::vector<Report> first = start(2);
  EXPECT_EQ(first[0].losses, first[1].losses);
  for (const Report& report : start(2)) {
    EXPECT_EQ(report.compiles, 0U);
    EXPECT_EQ(report.losses, first[0].losses);
  }
}

}  // namespace
}  // namespace systolic::models
