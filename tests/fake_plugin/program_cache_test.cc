// The program cache on disk over a plugin that fails, or that does not
// serialize at all. What cannot serialize is not asked again by a process, so
// each test of that has a client of its own.
#include <algorithm>

#include "systolic/runtime/kept_program.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {
namespace {

constexpr int kUnimplemented = 12;

class ProgramCacheTest : public FakePluginTest {
 protected:
  // Whether the program had to be compiled.
  bool compiles(runtime::Client& client) const {
    const runtime::CompileOptions options{.portable = true};
    runtime::KeptProgram kept(client, text_, options);
    if (kept.load() != nullptr) return false;
    kept.keep(*runtime::compile(client, text_, options), "test");
    return true;
  }
  void fail(int function, int code) const {
    control().wishes.failing = function;
    control().wishes.code = code;
  }

 private:
  const std::string text_ = program();
  const systolic::testing::TemporaryFolder folder_;
  const systolic::testing::EnvironmentGuard cache_{"SYSTOLIC_CACHE",
                                                   folder_.path().string()};
};

TEST_F(ProgramCacheTest, LoadThatFailsIsSaidAndCompiledAgain) {
  EXPECT_TRUE(compiles(cpu()));
  EXPECT_FALSE(compiles(cpu()));
  EXPECT_EQ(logged_, "");
  fail(kDeserializeAndLoad.index, 13);
  EXPECT_TRUE(compiles(cpu()));
  EXPECT_TRUE(contains(logged_, "is of no use and compiled again")) << logged_;
  EXPECT_EQ(std::count(logged_.begin(), logged_.end(), '\n'), 1) << logged_;
  control().reset();
  EXPECT_FALSE(compiles(cpu()));
}

TEST_F(ProgramCacheTest, PluginThatDoesNotSerializeHasNoCacheQuietly) {
  fail(kExecutableSerialize.index, kUnimplemented);
  EXPECT_TRUE(compiles(cuda()));
  EXPECT_TRUE(compiles(cuda()));
  EXPECT_EQ(control().calls[kExecutableSerialize.index], 1);
  EXPECT_EQ(logged_, "");
}

TEST_F(ProgramCacheTest, PluginThatDoesNotLoadHasNoCacheQuietly) {
  EXPECT_TRUE(compiles(cpu()));
  fail(kDeserializeAndLoad.index, kUnimplemented);
  EXPECT_TRUE(compiles(cpu()));
  EXPECT_TRUE(compiles(cpu()));
  EXPECT_EQ(control().calls[kDeserializeAndLoad.index], 1);
  EXPECT_EQ(logged_, "");
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
