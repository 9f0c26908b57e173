#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "systolic/base/error.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/executable.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

using CompilePlatformTest = RuntimeTest;

TEST_F(CompilePlatformTest, IsCountedAndTimed) {
  const uint64_t before = counters().compiles;
  const ExecutablePtr program = compile(client(), doubling());
  EXPECT_EQ(counters().compiles, before + 1);
  EXPECT_GT(program->compile_seconds(), 0);
  EXPECT_EQ(program->num_outputs(), 1);
  EXPECT_EQ(program->num_replicas(), 1);
  EXPECT_EQ(program->devices(), (std::vector<Device>{device(0)}));
}

TEST_F(CompilePlatformTest, ProgramThatDoesNotCompileIsWrittenToAFile) {
  const std::string text = "module @m { this_is_no_operation }";
  const uint64_t before = counters().compiles;
  try {
    compile(client(), text);
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("PJRT_Client_Compile: ")) << what;
    EXPECT_NE(what.find("this_is_no_operation"), std::string::npos) << what;
    EXPECT_EQ(error.call(), "PJRT_Client_Compile");
    const std::string label = "\n  program: ";
    const size_t at = what.find(label);
    ASSERT_NE(at, std::string::npos) << what;
    const std::string path = what.substr(at + label.size());
    std::stringstream written;
    written << std::ifstream(path).rdbuf();
    EXPECT_EQ(written.str(), text);
    std::filesystem::remove(path);
  }
  EXPECT_EQ(counters().compiles, before);
}

TEST_F(CompilePlatformTest, OptionOfTheCallerThatIsUnknownIsAnError) {
  try {
    compile(client(), doubling(), {.overrides = {{"xla_no_such_flag", true}}});
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_NE(std::string(error.what()).find("xla_no_such_flag"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(CompilePlatformTest, OptionOfTheCallerIsTaken) {
  EXPECT_NO_THROW(
      compile(client(), doubling(),
              {.overrides = {{"xla_cpu_enable_fast_math", false}}}));
}

TEST_F(CompilePlatformTest, MoreReplicasThanDevicesAreRefused) {
  EXPECT_THROW(compile(client(), doubling(), {.num_replicas = 9}), ValueError);
  try {
    compile(client(), doubling(), {.num_replicas = 2, .device_ids = {0}});
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "compile: expected one device for each of 2 replicas, got 1 "
                 "devices");
  }
}

TEST_F(CompilePlatformTest, SerializedFormLoadsAndKeepsItsDonations) {
  const ExecutablePtr first = compile(client(), donating());
  const uint64_t before = counters().compiles;
  const ExecutablePtr second = load(client(), first->serialize(), donating());
  EXPECT_EQ(counters().compiles, before);
  EXPECT_EQ(second->donated_arguments(), (std::vector<int64_t>{0}));
  const BufferPtr x = to_device(four(), device(0));
  EXPECT_EQ(values(run(second, {x})), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_TRUE(x->is_donated());
}

}  // namespace
}  // namespace systolic::internal::runtime
