// gs:// against a real emulator process.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/io/file_system.h"
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
                                                 .longest_retry_wait = 0.01,
                                                 .stall_timeout = 0.1});
  check_file_system("gs://bucket", /*empty_files=*/false);
  EXPECT_GT(proxy.faults(), 50);
}

// The emulator knows no generations, by which the service itself tells another
// file of the same size (systolic/io/gcs_test.cc).
TEST_F(GcsEmulatorTest, AFileThatChangesIsNoMixture) {
  const io::detail::GcsGuard gcs(emulator_->url());
  const io::detail::StorageOptionsGuard impatient(
      {.max_retries = 1, .first_retry_wait = 0.001});
  const std::string path = "gs://bucket/f";
  const std::vector<std::pair<std::function<void()>, std::string>> changes{
      {[&] { io::write_file(path, "short"); }, "0 bytes of the 1000"},
      {[&] { io::remove(path); }, "the file changed while it was read"}};
  for (const auto& [change, told] : changes) {
    const std::string text = text_of_changed_read(path, change);
    EXPECT_NE(text.find(told), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace systolic::testing
