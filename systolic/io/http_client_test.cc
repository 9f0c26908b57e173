#include "systolic/io/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "systolic/io/error.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"

namespace systolic::io::detail {
namespace {

using internal::text_of;
using systolic::testing::EnvironmentGuard;
using systolic::testing::HttpServer;

// Waits that a test can afford.
const StorageOptions kQuick = {
    .max_retries = 3, .first_retry_wait = 0.001, .longest_retry_wait = 0.01};

class HttpClientTest : public ::testing::Test {
 private:
  const StorageOptionsGuard options_{kQuick};
};

using Replies = std::vector<HttpServer::Reply>;

// Answers the first requests with `faults`, later ones with "good".
class Faulty {
 public:
  explicit Faulty(Replies faults)
      : faults_(std::move(faults)), server_([this](const auto&) {
          const size_t turn = turn_++;
          return turn < faults_.size() ? faults_[turn]
                                       : HttpServer::Reply{.body = "good"};
        }) {}
  std::string url() const { return server_.url("/f"); }
  size_t count() const { return server_.count(); }

 private:
  Replies faults_;
  std::atomic<size_t> turn_ = 0;
  HttpServer server_;
};

TEST_F(HttpClientTest, TriesAgainWhatMayPass) {
  const Faulty server(
      Replies{{.status = 503}, {.status = 429}, {.hang_up = true}});
  const HttpAnswer answer = send({.url = server.url()}, {.path = "p"});
  EXPECT_EQ(answer.body, "good");
  EXPECT_EQ(server.count(), 4u);
}

TEST_F(HttpClientTest, AnswerThatIsCutOffIsNotTaken) {
  const Faulty server(Replies{{.body = "0123456789", .cut_after = 5}});
  EXPECT_EQ(send({.url = server.url()}, {.path = "p"}).body, "good");
  EXPECT_EQ(server.count(), 2u);
}

TEST_F(HttpClientTest, RefusalsAreNotTriedAgain) {
  for (const int status : {400, 401, 403, 404, 412}) {
    const Faulty server(Replies{{.status = status}});
    EXPECT_EQ(send({.url = server.url()}, {.path = "p"}).status, status);
    EXPECT_EQ(server.count(), 1u) << status;
  }
}

TEST_F(HttpClientTest, GivesUpBehindTheUsersLimit) {
  const HttpServer::Reply busy = {.status = 503, .body = "come\n  later"};
  const Faulty server(Replies{busy, busy, busy, busy, busy});
  const std::string text = text_of<StorageError>([&] {
    send({.url = server.url()}, {.who = "read_at", .path = "http://h/f"});
  });
  EXPECT_EQ(text.substr(0, text.find(" in ")),
            "read_at: expected the service to answer for \"http://h/f\", got "
            "status 503\n  tries: 4");
  EXPECT_NE(text.find("\n  answer: come later\n"), std::string::npos) << text;
  EXPECT_EQ(server.count(), 4u);
}

TEST_F(HttpClientTest, NoServerSaysWhyThereIsNoAnswer) {
  std::string url;
  {
    const HttpServer gone([](const auto&) { return HttpServer::Reply(); });
    url = gone.url("/f");
  }
  const std::string text =
      text_of<StorageError>([&] { send({.url = url}, {.path = "p"}); });
  EXPECT_NE(text.find("got no answer: "), std::string::npos) << text;
}

TEST_F(HttpClientTest, AnswerThatFailsTheCheckIsAskedForAgain) {
  const Faulty server(Replies{{.body = "bad"}});
  const auto check = [](const HttpAnswer& answer) {
    return std::string(answer.body == "bad" ? "bad bytes" : "");
  };
  EXPECT_EQ(send({.url = server.url()}, {.path = "p", .check = check}).body,
            "good");
}

TEST_F(HttpClientTest, StalledAnswerIsGivenUp) {
  StorageOptions options = kQuick;
  options.stall_timeout = 0.1;
  // A machine that is held up gives up other answers too.
  options.max_retries = 1000;
  const StorageOptionsGuard guard(options);
  const Faulty server(Replies{{.body = "0123456789", .stall = 600}});
  EXPECT_EQ(send({.url = server.url()}, {.path = "p"}).body, "good");
}

TEST_F(HttpClientTest, StopEndsTheWaiting) {
  StorageOptions options = kQuick;
  options.max_retries = 1000;
  options.first_retry_wait = options.longest_retry_wait = 600;
  const StorageOptionsGuard guard(options);
  const Faulty server(
      Replies{{.status = 503}, {.status = 503}, {.status = 503}});
  std::stop_source stop;
  std::jthread stopping([&] {
    while (server.count() == 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_THROW(
      send({.url = server.url()}, {.path = "p", .stop = stop.get_token()}),
      StorageError);
}

TEST_F(HttpClientTest, BreaksOffBehindTheMostBytes) {
  const Faulty server(Replies{{.body = "0123456789"}});
  EXPECT_EQ(send({.url = server.url(), .most_bytes = 4}, {.path = "p"}).body,
            "0123");
}

TEST_F(HttpClientTest, RefusalsHaveTheirErrors) {
  EXPECT_THROW(raise_refused("stat", "p", {.status = 404}), NotFoundError);
  EXPECT_THROW(raise_refused("stat", "p", {.status = 401}),
               PermissionDeniedError);
  EXPECT_EQ(text_of<StorageError>([] {
              raise_refused("stat", "p", {.status = 400, .body = "no\n way"});
            }),
            "stat: expected a file that can be had, got \"p\"\n"
            "  status: 400\n  answer: no way");
}

TEST(PercentEncodedTest, KeepsWhatAddressesMayHold) {
  EXPECT_EQ(percent_encoded("a-b_c.d~1"), "a-b_c.d~1");
  EXPECT_EQ(percent_encoded("a/b c?\xc3\xa9"), "a%2Fb%20c%3F%C3%A9");
}

TEST_F(HttpClientTest, WhatFailsEachTimeIsTriedOnce) {
  const HttpServer server([](const auto&) {
    return HttpServer::Reply{.status = 302, .headers = {{"Location", "/f"}}};
  });
  for (const std::string& url : {server.url("/f"), std::string("nothing://h/f"),
                                 std::string("http://[h/f")}) {
    const std::string text =
        text_of<StorageError>([&] { send({.url = url}, {.path = "p"}); });
    EXPECT_NE(text.find("tries: 1 in"), std::string::npos) << text;
    EXPECT_EQ(text.find("hint"), std::string::npos) << text;
  }
}

TEST_F(HttpClientTest, ServiceMayWorkAsLongAsItsRequestLasts) {
  StorageOptions options = kQuick;
  options.stall_timeout = 0.1;
  options.max_retries = 0;
  const StorageOptionsGuard guard(options);
  // libcurl asks about every second.
  const Faulty server(Replies{{.body = "late", .delay = 2.5}});
  EXPECT_EQ(send({.url = server.url(), .timeout = 600}, {.path = "p"}).body,
            "late");
}

TEST_F(HttpClientTest, EveryHostCanBeWithoutProxy) {
  const EnvironmentGuard direct("no_proxy", "*");
  // Nobody listens at either; the host is in no list of ours.
  const EnvironmentGuard proxy("http_proxy", "http://127.0.0.1:1");
  const std::string text = text_of<StorageError>(
      [&] { send({.url = "http://127.0.0.2:2/f"}, {.path = "p"}); });
  EXPECT_NE(text.find("port 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace systolic::io::detail
