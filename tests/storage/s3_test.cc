// s3:// by Apache Arrow against a real emulator process.
#include <gtest/gtest.h>
#include <signal.h>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/file_system_checks.h"

namespace systolic::testing {
namespace {

class S3EmulatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (emulators_python().empty()) {
      GTEST_SKIP() << "run scripts/install-emulators";
    }
    if (!io::detail::has_arrow_module()) {
      GTEST_SKIP() << "run scripts/install-arrow and build again";
    }
  }
};

TEST_F(S3EmulatorTest, DoesWhatAFileSystemDoes) {
  const TemporaryFolder folder;
  const Emulator emulator(
      {"-m", "moto.server", "-H", "127.0.0.1", "-p", "{port}"},
      folder.path().string());
  const EnvironmentGuard endpoint("AWS_ENDPOINT_URL", emulator.url());
  const EnvironmentGuard key("AWS_ACCESS_KEY_ID", "test");
  const EnvironmentGuard secret("AWS_SECRET_ACCESS_KEY", "test");
  const EnvironmentGuard machine("AWS_EC2_METADATA_DISABLED", "true");
  ASSERT_TRUE(io::detail::send_once(
                  {.method = "PUT", .url = emulator.url() + "/bucket"}, {})
                  .good());
  check_file_system("s3://bucket", /*empty_files=*/true);
  EXPECT_THROW(io::open_file("s3://"), ValueError);
  EXPECT_THROW(io::open_file("s3://none/f"), NotFoundError);
  // A connection that breaks while it is written to does not end the program.
  struct sigaction pipe {};
  ASSERT_EQ(sigaction(SIGPIPE, nullptr, &pipe), 0);
  EXPECT_NE(pipe.sa_handler, SIG_DFL);
  // The options of now count, not those of the first use.
  io::write_file("s3://bucket/f", "abc");
  const io::detail::StorageOptionsGuard once({.max_retries = 0});
  const EnvironmentGuard gone("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
  EXPECT_THROW(io::read_file("s3://bucket/f"), io::StorageError);
}

}  // namespace
}  // namespace systolic::testing
