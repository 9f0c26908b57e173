// Names and what they are taken for; nothing is opened here.
#include "systolic/distribute/tpu_cluster_resolver.h"

#include <gtest/gtest.h>

#include <optional>

#include "systolic/base/error.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::distribute {
namespace {

using testing::EnvironmentGuard;

// The environment of a machine that names no TPU and has no plugin for one.
class ResolverTest : public ::testing::Test {
 private:
  EnvironmentGuard systolic_tpu_{"SYSTOLIC_TPU"};
  EnvironmentGuard tpu_name_{"TPU_NAME"};
  EnvironmentGuard plugin_{"SYSTOLIC_PLATFORM_TPU", "/none/libtpu.so"};
};

std::string error_of(const std::string& name) {
  try {
    const TPUClusterResolver resolver(name);
    return "nothing was thrown";
  } catch (const ValueError& error) {
    return error.what();
  }
}

TEST_F(ResolverTest, VirtualTpusHaveTheDevicesOfTheirKind) {
  // A v5e chip is one device; in v4 two cores are one.
  const std::pair<const char*, int> names[] = {{"virtual:v3-8", 8},
                                               {"virtual:v2-8", 8},
                                               {"virtual:v5e-4", 4},
                                               {"virtual:v4-8", 4}};
  for (const auto& [name, devices] : names) {
    const TPUClusterResolver resolver(name);
    EXPECT_EQ(resolver.master(), name);
    EXPECT_EQ(resolver.state()->request.device_count, devices) << name;
    EXPECT_EQ("virtual:" + resolver.state()->slice->name(), name);
    EXPECT_FALSE(resolver.state()->initialised);
  }
}

TEST_F(ResolverTest, EmptyNameIsTakenFromTheEnvironment) {
  const EnvironmentGuard second("TPU_NAME", "virtual:v2-8");
  EXPECT_EQ(TPUClusterResolver().master(), "virtual:v2-8");
  const EnvironmentGuard first("SYSTOLIC_TPU", "virtual:v3-8");
  EXPECT_EQ(TPUClusterResolver("").master(), "virtual:v3-8");
  EXPECT_EQ(TPUClusterResolver("virtual:v3-32").master(), "virtual:v3-32");
  const EnvironmentGuard empty("SYSTOLIC_TPU", "");
  EXPECT_EQ(TPUClusterResolver().master(), "virtual:v2-8");
}

// A machine with a TPU has one more reason to differ.
std::string without_hardware(std::string text) {
  const std::string line = "PCI devices of this host: ";
  const size_t at = text.find(line);
  if (at == std::string::npos) return text;
  const size_t from = at + line.size();
  return text.replace(from, text.find('\n', from) - from, "...");
}

TEST_F(ResolverTest, WithoutATpuEveryPlaceIsListed) {
  const std::string hint =
      "  hint: name one: \"virtual:v3-8\" rehearses eight cores on this "
      "machine's CPU; distribute::get_strategy() works without a TPU";
  EXPECT_EQ(without_hardware(error_of("")),
            "TPUClusterResolver: expected a TPU, got none\n"
            "  looked at: environment variable SYSTOLIC_TPU: not set\n"
            "  looked at: environment variable TPU_NAME: not set\n"
            "  looked at: PCI devices of this host: ...\n"
            "  looked at: TPU plugin: not at /none/libtpu.so\n" +
                hint);
  EXPECT_EQ(without_hardware(error_of("local")),
            "TPUClusterResolver: expected a TPU, got none\n"
            "  name: \"local\"\n"
            "  looked at: PCI devices of this host: ...\n"
            "  looked at: TPU plugin: not at /none/libtpu.so\n" +
                hint);
}

// The lines that say where this host's own TPU was looked for.
std::string local_places(const std::string& text) {
  const size_t at = text.find("  looked at: PCI devices");
  return at == std::string::npos ? text : text.substr(at);
}

TEST_F(ResolverTest, EmptyNameAndLocalLookForTheSameTpu) {
  EXPECT_EQ(local_places(error_of("")), local_places(error_of("local")));
  EXPECT_TRUE(error_of("local").find("looked at: PCI") != std::string::npos);
}

TEST_F(ResolverTest, TpuThatCanNotBeHadIsNeverTheCpu) {
  EXPECT_TRUE(error_of("local").starts_with(
      "TPUClusterResolver: expected a TPU, got none"));
  EXPECT_TRUE(
      error_of("").starts_with("TPUClusterResolver: expected a TPU, got none"));
}

TEST_F(ResolverTest, NamesThatAreNone) {
  EXPECT_EQ(error_of("v3-8"),
            "TPUClusterResolver: expected \"\", \"local\" or "
            "\"virtual:v<generation>-<cores>\", got \"v3-8\"\n"
            "  hint: for example \"virtual:v3-8\"");
  EXPECT_EQ(error_of("grpc://10.0.0.2:8470"),
            "TPUClusterResolver: TPUs behind a network address can not be "
            "reached by this version\n"
            "  name: \"grpc://10.0.0.2:8470\"\n"
            "  hint: run the program on the TPU's own host with \"local\", or "
            "rehearse it with \"virtual:v3-8\"");
  EXPECT_NE(error_of("virtual:v3").find("got 'v3'"), std::string::npos)
      << error_of("virtual:v3");
  EXPECT_NE(error_of("virtual:v9-8"), "nothing was thrown");
  EXPECT_NE(error_of("virtual:"), "nothing was thrown");
}

TEST_F(ResolverTest, NamesOfTheEnvironmentSayWhereTheyAreFrom) {
  const EnvironmentGuard name("TPU_NAME", "my-tpu");
  EXPECT_EQ(error_of(""),
            "TPUClusterResolver: expected \"\", \"local\" or "
            "\"virtual:v<generation>-<cores>\", got \"my-tpu\"\n"
            "  named by: environment variable TPU_NAME\n"
            "  hint: for example \"virtual:v3-8\"");
  const EnvironmentGuard misspelt("SYSTOLIC_TPU", "virtual:w3-8");
  EXPECT_TRUE(
      error_of("").ends_with("\n  named by: environment variable SYSTOLIC_TPU"))
      << error_of("");
}

}  // namespace
}  // namespace systolic::distribute
