// s3:// by Apache Arrow against a real emulator process.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"
#include "systolic/io/test_files.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/faulty_proxy.h"
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

  std::string url() const { return emulator_.url(); }

 private:
  const TemporaryFolder folder_;
  const Emulator emulator_;
  const Service service_;
};

// A service of one file, which fails as a test wishes.
class FaultyService {
 public:
  // What becomes of the `turn`-th request of a method and range, counted from
  // 0, whose answer would be `good`.
  using Fault =
      std::function<HttpServer::Reply(int turn, HttpServer::Reply good)>;

  FaultyService(std::string bytes, Fault fault)
      : bytes_(std::move(bytes)),
        fault_(std::move(fault)),
        server_([this](const HttpServer::Request& request) {
          return fault_(next_turn(request),
                        file_reply(request, bytes_, "\"1\""));
        }),
        service_(server_.url()) {}

  // How many requests of a method there were.
  int64_t count(const std::string& method) const {
    const std::vector<HttpServer::Request> requests = server_.requests();
    return std::ranges::count(requests, method, &HttpServer::Request::method);
  }

 private:
  int next_turn(const HttpServer::Request& request) {
    const std::lock_guard lock(mutex_);
    return turns_[request.method + request.header("range")]++;
  }

  const std::string bytes_;
  const Fault fault_;
  std::mutex mutex_;
  std::map<std::string, int> turns_;
  const HttpServer server_;
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
  // To another bucket.
  EXPECT_TRUE(io::detail::send_once(
                  {.method = "PUT", .url = emulator.url() + "/other"}, {})
                  .good());
  io::copy("s3://bucket/parts", "s3://other/copy");
  EXPECT_EQ(io::read_file("s3://other/copy"),
            io::read_file("s3://bucket/parts"));
  EXPECT_THROW(io::copy("s3://bucket/none", "s3://other/none"), NotFoundError);
  EXPECT_FALSE(io::exists("s3://other/none"));
  // The options of now count, not those of the first use.
  io::write_file("s3://bucket/f", "abc");
  const io::detail::StorageOptionsGuard once({.max_retries = 0});
  const EnvironmentGuard gone("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
  EXPECT_THROW(io::read_file("s3://bucket/f"), io::StorageError);
}

TEST_F(S3EmulatorTest, DoesItThroughAServiceThatFails) {
  const Moto emulator;
  const FaultyProxy proxy(emulator.url());
  const Service service(proxy.url());
  const io::detail::StorageOptionsGuard patient({.max_retries = 30,
                                                 .first_retry_wait = 0.001,
                                                 .longest_retry_wait = 0.01,
                                                 .stall_timeout = 1});
  check_file_system("s3://bucket", /*empty_files=*/true);
  EXPECT_GT(proxy.faults(), 50);
}

TEST_F(S3EmulatorTest, EachFaultIsOvercome) {
  const std::string bytes = io::detail::test_bytes(300'000);
  const std::string slow_down = "<Error><Code>SlowDown</Code></Error>";
  const std::map<std::string, HttpServer::Reply> faults{
      {"503", {.status = 503, .body = "busy"}},
      {"slow down", {.status = 503, .body = slow_down}},
      {"429", {.status = 429}},
      {"502", {.status = 502, .body = "<html>Bad Gateway</html>"}},
      {"hang-up", {.hang_up = true}},
      {"cut-off", {.cut_after = 1000}},
      {"late", {.delay = 3600}},
      {"stalled", {.stall = 3600}}};
  for (const auto& [name, fault] : faults) {
    // A good answer may take long on a busy machine.
    const bool silent = fault.delay > 0 || fault.stall > 0;
    const io::detail::StorageOptionsGuard patient(
        {.max_retries = 5,
         .first_retry_wait = 0.001,
         .stall_timeout = silent ? 2. : 60.});
    // The first request for anything fails.
    const FaultyService service(bytes, [&](int turn, HttpServer::Reply good) {
      if (turn > 0) return good;
      HttpServer::Reply bad = fault;
      if (bad.status == 200) {
        bad.status = good.status;
        bad.headers = good.headers;
        bad.body = good.body;
      }
      return bad;
    });
    const auto file = io::open_file("s3://bucket/f", {.block_size = 100'000});
    EXPECT_EQ(io::detail::read_part(*file, 0, 300'000), bytes) << name;
    EXPECT_GE(service.count("GET"), 6) << name;
    EXPECT_LE(service.count("GET"), silent ? 12 : 6) << name;
  }
}

// Of a service that is slow only, nothing is asked twice.
TEST_F(S3EmulatorTest, SlowAnswersAreWaitedFor) {
  const FaultyService service("bytes", [](int, HttpServer::Reply good) {
    good.delay = 0.2;
    good.stall = 0.2;
    return good;
  });
  const io::detail::StorageOptionsGuard impatient(
      {.max_retries = 0, .stall_timeout = 20});
  EXPECT_EQ(io::read_file("s3://bucket/f"), "bytes");
  EXPECT_EQ(service.count("GET"), 1);
}

TEST_F(S3EmulatorTest, LimitsOfRetriesHoldAndAreTold) {
  const std::string advice =
      "\n  hint: io::set_storage_options sets max_retries and the waits";
  for (const int64_t retries : {0, 2}) {
    const std::string tries =
        "\n  tries: " + std::to_string(retries + 1) + advice;
    const io::detail::StorageOptionsGuard impatient(
        {.max_retries = retries, .first_retry_wait = 0.1});
    const auto text_of_read = [] {
      return internal::text_of<io::StorageError>(
          [] { io::read_file("s3://bucket/d/f"); });
    };
    const FaultyService busy("bytes", [](int, HttpServer::Reply) {
      return HttpServer::Reply{.status = 503};
    });
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(text_of_read(),
              "open_file: expected a file that can be had, got "
              "\"s3://bucket/d/f\"\n"
              "  cause: When reading information for key 'd/f' in bucket "
              "'bucket': AWS Error UNKNOWN (HTTP status 503) during HeadObject "
              "operation: No response body." +
                  tries);
    EXPECT_EQ(busy.count("HEAD"), retries + 1);
    EXPECT_EQ(busy.count("GET"), 0);
    // At least half of 0.1 and 0.2 seconds.
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    EXPECT_GE(taken.count(), retries == 0 ? 0 : 0.15);
    // Writing and listing too.
    using Call = std::function<void()>;
    const std::map<std::string, Call> calls{
        {"POST", [] { io::write_file("s3://bucket/d/f", "bytes"); }},
        {"GET", [] { io::list_directory("s3://bucket/d"); }}};
    for (const auto& [method, call] : calls) {
      const std::string failed = internal::text_of<io::StorageError>(call);
      EXPECT_NE(failed.find("\"s3://bucket/d"), std::string::npos) << failed;
      EXPECT_NE(failed.find("HTTP status 503"), std::string::npos) << failed;
      EXPECT_TRUE(failed.ends_with(tries)) << failed;
      EXPECT_EQ(busy.count(method), retries + 1);
    }
    // What is known of the file comes, but not its bytes.
    const FaultyService cut("bytes", [](int, HttpServer::Reply good) {
      good.cut_after = 3;
      return good;
    });
    const std::string text = text_of_read();
    EXPECT_TRUE(text.starts_with(
        "read_at: expected a file that can be had, got \"s3://bucket/d/f\"\n"
        "  cause: AWS Error NETWORK_CONNECTION during GetObject operation:"))
        << text;
    EXPECT_TRUE(text.ends_with(tries)) << text;
    EXPECT_EQ(cut.count("GET"), retries + 1);
    EXPECT_EQ(cut.count("HEAD"), 1);
  }
  // A refusal is no accident.
  const FaultyService closed("bytes", [](int, HttpServer::Reply) {
    return HttpServer::Reply{.status = 403};
  });
  EXPECT_EQ(internal::text_of<io::PermissionDeniedError>(
                [] { io::stat("s3://bucket/d/f"); }),
            "stat: expected a file that can be had, got \"s3://bucket/d/f\"\n"
            "  cause: When getting information for key 'd/f' in bucket "
            "'bucket': AWS Error ACCESS_DENIED during HeadObject operation: No "
            "response body.");
  EXPECT_EQ(closed.count("HEAD"), 1);
  // Whatever the file is called.
  EXPECT_EQ(internal::text_of<io::PermissionDeniedError>([] {
              io::stat("s3://bucket/libhdfs.so");
            }).find("Java"),
            std::string::npos);
}

// All failures of HEAD have the same words.
TEST_F(S3EmulatorTest, OtherThreadsFailuresAreNotTakenForOnesOwn) {
  const HttpServer server([](const HttpServer::Request& request) {
    const bool busy = request.target.find("busy") != std::string::npos;
    return HttpServer::Reply{.status = busy ? 503 : 403};
  });
  const Service service(server.url());
  const io::detail::StorageOptionsGuard impatient(
      {.max_retries = 1, .first_retry_wait = 0.0001});
  constexpr int kTurns = 300;
  constexpr int kThreads = 3;
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < kTurns; ++turn) {
        const std::string text = internal::text_of<io::PermissionDeniedError>(
            [] { io::stat("s3://bucket/closed"); });
        wrong += text.find("tries") != std::string::npos;
      }
    });
    threads.emplace_back([&] {
      for (int turn = 0; turn < kTurns; ++turn) {
        const std::string text = internal::text_of<io::StorageError>(
            [] { io::stat("s3://bucket/busy"); });
        wrong += text.find("\n  tries: 2\n  hint") == std::string::npos;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
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
