#include "systolic/base/error.h"
#include "systolic/pjrt/client.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using ClientPlatformTest = PlatformTest;

TEST_F(ClientPlatformTest, ShowsAsManyDevicesAsAsked) {
  EXPECT_EQ(make_client(1).devices().size(), 1u);
  EXPECT_EQ(make_client(8).devices().size(), 8u);
}

TEST_F(ClientPlatformTest, SaysWhatItIs) {
  const Client client = make_client();
  EXPECT_EQ(client.platform_name(), "cpu");
  EXPECT_FALSE(client.platform_version().empty());
}

TEST_F(ClientPlatformTest, UnknownOptionIsAnError) {
  try {
    Client::create(plugin(), {{"no_such_option", int64_t{1}}});
    GTEST_SKIP() << "this plugin ignores options that it does not know";
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.call(), "PJRT_Client_Create");
  }
}

TEST_F(ClientPlatformTest, CompilesAndRuns) {
  const Client client = make_client();
  const LoadedExecutable program =
      client.compile(doubling(), encode({.device_ids = {0}}));
  const std::vector<float> x{1, 2, 3, 4};
  const Buffer y = run(program, upload(client, x));
  EXPECT_EQ(download(y), (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(ClientPlatformTest, ProgramWithAnErrorIsRefusedWithTheParsersWords) {
  const Client client = make_client();
  try {
    client.compile("module @m { nonsense }", encode({}));
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.call(), "PJRT_Client_Compile");
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos)
        << error.what();
  }
}

TEST_F(ClientPlatformTest, UnknownCompilerOptionIsAnErrorThatNamesIt) {
  const Client client = make_client();
  try {
    client.compile(doubling(), encode({.overrides = {{"no_such_flag", true}}}));
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_flag"), std::string::npos)
        << error.what();
  }
}

TEST_F(ClientPlatformTest, EveryWayToUseHostMemoryGivesTheSameValue) {
  const Client client = make_client();
  alignas(64) static const float values[16] = {1, 2, 3};
  for (HostMemory memory : {HostMemory::copied_at_once,
                            HostMemory::kept_until_done, HostMemory::shared}) {
    const Upload upload = client.upload(
        {DType::float32, Shape{16}}, reinterpret_cast<const std::byte*>(values),
        client.devices()[0].raw(), memory);
    EXPECT_EQ(download(upload.buffer)[2], 3);
  }
}

TEST_F(ClientPlatformTest, SharedMemoryIsFreeOnceTheBufferIsGone) {
  const Client client = make_client();
  alignas(64) static const float values[16] = {1, 2, 3};
  Upload upload = client.upload({DType::float32, Shape{16}},
                                reinterpret_cast<const std::byte*>(values),
                                client.devices()[0].raw(), HostMemory::shared);
  upload.buffer.ready().await();
  upload.buffer.reset();
  upload.done.await();
  EXPECT_TRUE(upload.done.is_ready());
}

}  // namespace
}  // namespace systolic::internal::pjrt
