// gs:// against a real emulator process.
#include <gtest/gtest.h>

#include "systolic/io/test_credentials.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/file_system_checks.h"

namespace systolic::testing {
namespace {

TEST(GcsEmulatorTest, DoesWhatAFileSystemDoes) {
  if (emulators_python().empty()) {
    GTEST_SKIP() << "run scripts/install-emulators";
  }
  const TemporaryFolder folder;
  const Emulator emulator(
      {"-m", "gcp_storage_emulator", "--data-dir", "{folder}/data", "start",
       "--host", "127.0.0.1", "--port", "{port}", "--default-bucket", "bucket",
       "--quiet", "--in-memory"},
      folder.path().string());
  const io::detail::GcsGuard gcs(emulator.url());
  check_file_system("gs://bucket", /*empty_files=*/false);
}

}  // namespace
}  // namespace systolic::testing
