// gs:// against a real emulator process.
#include <gtest/gtest.h>

#include "systolic/io/test_credentials.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/faulty_proxy.h"
#include "tests/storage/file_system_checks.h"

namespace systolic::testing {
namespace {

class GcsEmulatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (emulators_python().empty()) {
      GTEST_SKIP() << "run scripts/install-emulators";
    }
    emulator_.emplace(
        std::vector<std::string>{
            emulators_python(), "-m", "gcp_storage_emulator", "--data-dir",
            "{folder}/data", "start", "--host", "127.0.0.1", "--port", "{port}",
            "--default-bucket", "bucket", "--quiet", "--in-memory"},
        folder_.path().string());
  }

  const TemporaryFolder folder_;
  std::optional<Emulator> emulator_;
};

TEST_F(GcsEmulatorTest, DoesWhatAFileSystemDoes) {
  const io::detail::GcsGuard gcs(emulator_->url());
  check_file_system("gs://bucket", /*empty_files=*/false);
}

TEST_F(GcsEmulatorTest, DoesItThroughAServiceThatFails) {
  const FaultyProxy proxy(emulator_->url());
  const io::detail::GcsGuard gcs(proxy.url());
  // Every other answer is a fault, whichever of the parallel requests gets it.
  const io::detail::StorageOptionsGuard patient({.max_retries = 30,
                                                 .first_retry_wait = 0.001,
                                                 .longest_retry_wait = 0.01});
  check_file_system("gs://bucket", /*empty_files=*/false);
  EXPECT_GT(proxy.faults(), 50);
}

}  // namespace
}  // namespace systolic::testing
