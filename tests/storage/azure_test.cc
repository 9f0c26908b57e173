// abfs:// by Apache Arrow against a real emulator process.
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/test_files.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/file_system_checks.h"
#include "tests/storage/hand_on.h"

namespace systolic::testing {
namespace {

// The emulator's account and its key, which everybody knows.
constexpr const char* kAccount = "devstoreaccount1";
constexpr const char* kKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
    "K1SZFPTOtr/KBHBeksoGMGw==";

class AzureEmulatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (azurite().empty()) {
      GTEST_SKIP() << "install npm and run scripts/install-emulators";
    }
    if (!io::detail::has_arrow_module()) {
      GTEST_SKIP() << "run scripts/install-arrow and build again";
    }
    emulator_.emplace(
        std::vector<std::string>{
            azurite(), "--blobHost", "127.0.0.1", "--blobPort", "{port}",
            "--silent", "--inMemoryPersistence", "--skipApiVersionCheck"},
        folder_.path().string());
  }

  std::string connection(const std::string& key) const {
    return connection(key, emulator_->url());
  }
  static std::string connection(const std::string& key,
                                const std::string& url) {
    return std::string("DefaultEndpointsProtocol=http;AccountName=") +
           kAccount + ";AccountKey=" + key + ";BlobEndpoint=" + url + "/" +
           kAccount + ";";
  }

  static std::string container() {
    return std::string("abfs://data@") + kAccount + ".dfs.core.windows.net";
  }

  const TemporaryFolder folder_;
  std::optional<Emulator> emulator_;
};

// By the retries of Microsoft's client, which has limits of its own.
TEST_F(AzureEmulatorTest, ReadsThroughAServiceThatFails) {
  const std::string path = container() + "/f";
  const std::string bytes = io::detail::test_bytes(300'000);
  {
    const EnvironmentGuard direct("AZURE_STORAGE_CONNECTION_STRING",
                                  connection(kKey));
    io::make_dirs(container());
    io::write_file(path, bytes);
  }
  std::mutex mutex;
  std::set<std::string> seen;
  int faults = 0;
  // The first request for anything fails, each in another way.
  const HttpServer proxy([&](const HttpServer::Request& request) {
    HttpServer::Reply reply = hand_on(emulator_->url(), request);
    const std::lock_guard lock(mutex);
    if (!seen.insert(request.method + request.header("x-ms-range")).second) {
      return reply;
    }
    switch (faults++ % 3) {
      case 0:
        return HttpServer::Reply{.status = 503};
      case 1:
        return HttpServer::Reply{.hang_up = true};
      default:
        reply.cut_after = 1000;
        return reply;
    }
  });
  const EnvironmentGuard failing("AZURE_STORAGE_CONNECTION_STRING",
                                 connection(kKey, proxy.url()));
  const auto file = io::open_file(path, {.block_size = 100'000});
  EXPECT_EQ(io::detail::read_part(*file, 0, 300'000), bytes);
  // Of what is known of the file and of three blocks; what comes in part is
  // asked for from there on.
  EXPECT_GE(faults, 4);
}

TEST_F(AzureEmulatorTest, TwoAddressesOfOneContainerAreOnePlace) {
  const EnvironmentGuard account("AZURE_STORAGE_CONNECTION_STRING",
                                 connection(kKey));
  const std::string container = this->container();
  io::make_dirs(container);
  for (const std::string& other :
       {"abfss" + container.substr(4),
        std::string("abfs://") + kAccount + "@data"}) {
    io::write_file(container + "/f", "abc");
    io::write_file(container + "/m/a", "a");
    io::write_file(container + "/m/m/a", "b");
    io::rename(container + "/f", other + "/f");
    EXPECT_EQ(io::read_file(container + "/f"), "abc");
    io::rename(container + "/f", other + "/g");
    EXPECT_EQ(io::read_file(container + "/g"), "abc");
    EXPECT_FALSE(io::exists(container + "/f"));
    io::rename(container + "/m", other + "/m/");
    EXPECT_THROW(io::rename(container + "/m/m", other + "/m"),
                 io::StorageError);
    EXPECT_EQ(io::read_file(container + "/m/a"), "a");
    EXPECT_EQ(io::read_file(container + "/m/m/a"), "b");
    io::rename(container + "/m", other + "/n");
    EXPECT_EQ(io::glob(container + "/**"),
              (std::vector<std::string>{container + "/g", container + "/n/a",
                                        container + "/n/m/a"}));
    io::remove_tree(container + "/n");
  }
}

TEST_F(AzureEmulatorTest, DoesWhatAFileSystemDoes) {
  const std::string container = this->container();
  const EnvironmentGuard account("AZURE_STORAGE_CONNECTION_STRING",
                                 connection(kKey));
  EXPECT_THROW(io::open_file(container + "/f"), NotFoundError);
  io::make_dirs(container);
  check_file_system(container, /*empty_files=*/true);
  const auto file = io::open_file(container + "/parts",
                                  {.read_ahead = 0, .block_size = 1000});
  io::write_file(container + "/parts", "other");
  std::string part(1000, '.');
  EXPECT_NE(internal::text_of<io::StorageError>([&] {
              file->read_at(file->size() - 1000,
                            std::as_writable_bytes(std::span(part)));
            }).find("the file changed while it was read"),
            std::string::npos);
  const EnvironmentGuard other("AZURE_STORAGE_CONNECTION_STRING",
                               connection("b3RoZXI="));
  EXPECT_THROW(io::read_file(container + "/parts"), io::PermissionDeniedError);
}

}  // namespace
}  // namespace systolic::testing
