#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "systolic/base/log.h"
#include "systolic/io/file.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/executable_impl.h"
#include "systolic/runtime/kept_program.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/runtime_fixture.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::runtime {
namespace {

namespace fs = std::filesystem;
using systolic::testing::EnvironmentGuard;
using systolic::testing::TemporaryFolder;

class KeptProgramPlatformTest : public RuntimeTest {
 protected:
  KeptProgramPlatformTest() {
    set_log_sink([this](LogLevel level, std::string_view text) {
      if (level >= LogLevel::warning) lines_.emplace_back(text);
    });
  }
  ~KeptProgramPlatformTest() override { set_log_sink({}); }

  // As the graph does it: from the disk, or compiled and kept.
  static ExecutablePtr make(const std::string& text,
                            const CompileOptions& options = kPortable) {
    KeptProgram kept(client(), text, options);
    ExecutablePtr program = kept.load();
    if (program == nullptr) {
      program = compile(client(), text, options);
      kept.keep(*program, "test");
    }
    return program;
  }
  static std::string key(const std::string& text,
                         const CompileOptions& options = kPortable) {
    return KeptProgram(client(), text, options).key();
  }
  // Whether make() compiles.
  static bool compiles(const std::string& text,
                       const CompileOptions& options = kPortable) {
    const uint64_t before = counters().compiles;
    make(text, options);
    return counters().compiles > before;
  }
  fs::path only_file() const {
    const auto all = program_files()->list();
    EXPECT_EQ(all.size(), 1U);
    return all.at(0).path;
  }

  static inline const CompileOptions kPortable{.portable = true};
  const TemporaryFolder folder_;
  std::vector<std::string> lines_;

 private:
  const EnvironmentGuard cache_{"SYSTOLIC_CACHE",
                                (folder_.path() / "programs").string()};
};

TEST_F(KeptProgramPlatformTest, SecondStartLoads) {
  EXPECT_TRUE(compiles(doubling()));
  const uint64_t before = counters().loads;
  EXPECT_FALSE(compiles(doubling()));
  EXPECT_EQ(counters().loads, before + 1);
  const ProgramFile file = program_files()->list().at(0);
  EXPECT_EQ(file.info.platform, "cpu");
  EXPECT_EQ(file.info.name, "test");
}

TEST_F(KeptProgramPlatformTest, LoadedProgramIsAsTheCompiledOne) {
  const ExecutablePtr compiled = make(donating());
  const ExecutablePtr loaded = make(donating());
  ASSERT_EQ(counters().loads > 0, true);
  EXPECT_EQ(loaded->num_outputs(), compiled->num_outputs());
  EXPECT_EQ(loaded->donated_arguments(), compiled->donated_arguments());
  EXPECT_EQ(loaded->is_portable(), compiled->is_portable());
  const auto cost = [](const ExecutablePtr& program) {
    return program->impl().program.executable().cost().flops;
  };
  EXPECT_EQ(cost(loaded), cost(compiled));
  for (int index : {0, 3}) {
    const BufferPtr x = to_device(four(), device(index));
    EXPECT_EQ(values(run(loaded, {x})), (std::vector<float>{2, 4, 6, 8}));
    EXPECT_TRUE(x->is_donated());
    const BufferPtr kept = to_device(four(5), device(index));
    run(loaded, {kept}, {.non_donatable = {0}});
    EXPECT_EQ(values(kept), (std::vector<float>{5, 6, 7, 8}));
  }
}

TEST_F(KeptProgramPlatformTest, ReplicatedProgramLoads) {
  const std::string text =
      "module @m attributes {mhlo.num_replicas = 8 : i32} { func.func public "
      "@main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = "
      "\"stablehlo.all_reduce\"(%x) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): "
      "%s = stablehlo.add %a, %b : tensor<f32> stablehlo.return %s : "
      "tensor<f32> }) {replica_groups = dense<[[0,1,2,3,4,5,6,7]]> : "
      "tensor<1x8xi64>} : (tensor<4xf32>) -> tensor<4xf32> return %0 : "
      "tensor<4xf32> } }";
  const CompileOptions eight{.num_replicas = 8};
  EXPECT_TRUE(compiles(text, eight));
  const ExecutablePtr loaded = make(text, eight);
  EXPECT_EQ(loaded->num_replicas(), 8);
  std::vector<std::vector<BufferPtr>> arguments;
  for (int i = 0; i < 8; ++i) {
    arguments.push_back({to_device(four(static_cast<float>(i)), device(i))});
  }
  const TensorSpec spec{DType::float32, Shape{4}};
  const auto outputs = launch(*loaded, arguments, {&spec, 1});
  EXPECT_EQ(values(outputs[7][0]), (std::vector<float>{28, 36, 44, 52}));
}

TEST_F(KeptProgramPlatformTest, KeySaysTextOptionsAndDevices) {
  const std::string one = key(doubling());
  EXPECT_EQ(one, key(doubling()));
  EXPECT_EQ(one.size(), 64U);
  EXPECT_NE(one, key(donating()));
  EXPECT_NE(one, key(doubling(), {.num_replicas = 1}));
  EXPECT_NE(key(doubling(), {.device_ids = {0}}),
            key(doubling(), {.device_ids = {1}}));
  EXPECT_NE(one, key(doubling(), {.portable = true,
                                  .overrides = {{"xla_cpu_enable_fast_math",
                                                 OptionValue(true)}}}));
  Client& other = Client::open({});
  EXPECT_NE(one, KeptProgram(other, doubling(), kPortable).key())
      << "a client with another number of devices";
}

TEST_F(KeptProgramPlatformTest, DamagedFileIsCompiledAgainWithOneLine) {
  make(doubling());
  const fs::path file = only_file();
  const std::string good = io::detail::read_file(file);
  std::string bad = good;
  bad[bad.size() / 2] ^= 1;
  for (const std::string& damaged : {bad, good.substr(0, good.size() / 2),
                                     std::string("text"), std::string()}) {
    lines_.clear();
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_TRUE(compiles(doubling()));
    EXPECT_EQ(lines_.size(), 1U);
    EXPECT_FALSE(compiles(doubling())) << "it was not replaced";
    EXPECT_EQ(lines_.size(), 1U);
  }
}

TEST_F(KeptProgramPlatformTest, BytesThatThePluginRefusesAreCompiledAgain) {
  program_files()->keep(key(doubling()), {}, "no program of this plugin's");
  EXPECT_TRUE(compiles(doubling()));
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("is of no use and compiled again"),
            std::string::npos);
  EXPECT_FALSE(compiles(doubling()));
}

TEST_F(KeptProgramPlatformTest, FileOfAnotherProgramIsNotTaken) {
  make(donating());
  const fs::path file = only_file();
  fs::copy_file(file, file.parent_path() / (key(doubling()) + ".program"));
  EXPECT_TRUE(compiles(doubling()));
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_TRUE(make(doubling())->donated_arguments().empty());
}

TEST_F(KeptProgramPlatformTest, FolderThatIsNoneIsSaidInOneLine) {
  std::ofstream(folder_.path() / "programs") << "a file";
  EXPECT_TRUE(compiles(doubling()));
  EXPECT_TRUE(compiles(doubling()));
  EXPECT_EQ(lines_.size(), 1U);
}

TEST_F(KeptProgramPlatformTest, OffKeepsNothing) {
  make(doubling());
  const EnvironmentGuard off("SYSTOLIC_CACHE", "off");
  EXPECT_EQ(key(doubling()), "");
  EXPECT_TRUE(compiles(doubling()));
}

TEST_F(KeptProgramPlatformTest, OldestProgramGoesWhenThereAreTooMany) {
  make(doubling());
  const uint64_t size = fs::file_size(only_file());
  const EnvironmentGuard most("SYSTOLIC_CACHE_SIZE",
                              std::to_string(size + size / 2));
  make(donating());
  EXPECT_TRUE(compiles(doubling()));
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace systolic::internal::runtime
