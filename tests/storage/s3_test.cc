// s3:// by Apache Arrow against a real emulator process.
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <future>
#include <stop_token>
#include <thread>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/file_system_checks.h"

namespace systolic::testing {
namespace {

// Sends s3:// to `url` as somebody.
class Service {
 public:
  explicit Service(const std::string& url)
      : endpoint_("AWS_ENDPOINT_URL", url) {}

 private:
  const EnvironmentGuard endpoint_;
  const EnvironmentGuard key_{"AWS_ACCESS_KEY_ID", "test"};
  const EnvironmentGuard secret_{"AWS_SECRET_ACCESS_KEY", "test"};
  const EnvironmentGuard machine_{"AWS_EC2_METADATA_DISABLED", "true"};
};

// An emulator with a bucket, to which s3:// is sent.
class Moto {
 public:
  Moto()
      : emulator_({emulators_python(), "-m", "moto.server", "-H", "127.0.0.1",
                   "-p", "{port}"},
                  folder_.path().string()),
        service_(emulator_.url()) {
    EXPECT_TRUE(io::detail::send_once(
                    {.method = "PUT", .url = emulator_.url() + "/bucket"}, {})
                    .good());
  }

 private:
  const TemporaryFolder folder_;
  const Emulator emulator_;
  const Service service_;
};

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
  const Moto emulator;
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

TEST_F(S3EmulatorTest, AFileThatChangesIsNoMixture) {
  const Moto emulator;
  const std::string path = "s3://bucket/f";
  // Another of the same size and second, a shorter one, none.
  const std::vector<std::pair<std::function<void()>, std::string>> changes{
      {[&] { io::write_file(path, std::string(3000, 'b')); }, "now: \""},
      {[&] { io::write_file(path, "short"); }, "now: \""},
      {[&] { io::remove(path); }, "now: none"}};
  for (const auto& [change, now] : changes) {
    const std::string text = text_of_changed_read(path, change);
    EXPECT_NE(text.find("read_at: the file changed while it was read\n"
                        "  path: s3://bucket/f\n"
                        "  opened: 3000 bytes, version \""),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(now), std::string::npos) << text;
  }
}

TEST_F(S3EmulatorTest, AStoppedReadDoesNotWaitForTheService) {
  std::promise<void> asked;
  // Answers what is known of the file, and nothing of its bytes.
  const HttpServer server([&](const HttpServer::Request& request) {
    if (request.method == "HEAD") {
      return HttpServer::Reply{.headers = {{"ETag", "\"1\""}},
                               .body = std::string(3000, 'a')};
    }
    asked.set_value();
    return HttpServer::Reply{.delay = 3600};
  });
  const Service service(server.url());
  const io::detail::StorageOptionsGuard patient(
      {.max_retries = 0, .stall_timeout = 3600});
  std::stop_source stop;
  const auto file = io::open_file("s3://bucket/f", {.stop = stop.get_token()});
  EXPECT_EQ(file->size(), 3000);
  const std::jthread stopping([&] {
    asked.get_future().wait();
    stop.request_stop();
  });
  std::byte byte{};
  EXPECT_EQ(internal::text_of<io::StorageError>(
                [&] { file->read_at(2000, std::span(&byte, 1)); }),
            "read_at: the reading was stopped\n  path: s3://bucket/f");
}

}  // namespace
}  // namespace systolic::testing
