#include "systolic/base/error.h"
#include "systolic/pjrt/executable.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using ExecutablePlatformTest = PlatformTest;

TEST_F(ExecutablePlatformTest, KnowsItsNameAndOutputs) {
  const Client client = make_client();
  const LoadedExecutable program = client.compile(doubling(), encode({}));
  EXPECT_EQ(program.executable().num_outputs(), 1u);
  EXPECT_FALSE(program.executable().name().empty());
}

TEST_F(ExecutablePlatformTest, KnowsItsMemory) {
  const Client client = make_client();
  const LoadedExecutable program = client.compile(doubling(), encode({}));
  const auto memory = program.executable().memory();
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->arguments, 16);
  EXPECT_EQ(memory->outputs, 16);
}

TEST_F(ExecutablePlatformTest, KnowsItsCost) {
  const Client client = make_client();
  const ProgramCost cost =
      client.compile(doubling(), encode({})).executable().cost();
  if (cost.all.empty()) GTEST_SKIP() << "the plugin estimates no cost";
  EXPECT_EQ(cost.flops, 4);
  EXPECT_EQ(cost.bytes_accessed, 32);
}

TEST_F(ExecutablePlatformTest, KnowsWhatTheCompilerMadeOfIt) {
  const Client client = make_client();
  const auto optimized =
      client.compile(doubling(), encode({})).executable().optimized();
  if (!optimized) GTEST_SKIP() << "the plugin does not tell";
  EXPECT_FALSE(optimized->format.empty());
  EXPECT_NE(optimized->bytes.find("add"), std::string::npos);
}

TEST_F(ExecutablePlatformTest, SerializedFormRunsInAnotherClient) {
  const std::string options = encode({.device_ids = {0}});
  std::string bytes;
  {
    const Client client = make_client();
    bytes = client.compile(doubling(), options).executable().serialize();
  }
  const Client client = make_client();
  const LoadedExecutable program = client.load(bytes, options);
  const Buffer y = run(program, upload(client, std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(download(y), (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(ExecutablePlatformTest, BytesThatAreNoProgramAreRefused) {
  const Client client = make_client();
  EXPECT_THROW(client.load("not a program", encode({})), PlatformError);
}

TEST_F(ExecutablePlatformTest, PortableProgramRunsWhereItIsTold) {
  const Client client = make_client(8);
  const LoadedExecutable program =
      client.compile(doubling(), encode({.portable = true}));
  for (int device : {0, 3, 7}) {
    abi::Device* raw = client.devices()[static_cast<size_t>(device)].raw();
    const Buffer y = run(
        program, upload(client, std::vector<float>{1, 2, 3, 4}, device), raw);
    EXPECT_EQ(y.device(), raw);
    EXPECT_EQ(download(y)[3], 8);
  }
}

}  // namespace
}  // namespace systolic::internal::pjrt
