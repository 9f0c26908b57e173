#include "systolic/io/http_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "systolic/io/test_files.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"

namespace systolic::io {
namespace {

using detail::read_part;
using detail::StorageOptionsGuard;
using detail::test_bytes;
using internal::text_of;
using testing::HttpServer;
using Request = HttpServer::Request;
using Reply = HttpServer::Reply;

const ReadOptions kSmall = {
    .read_ahead = 4000, .block_size = 1000, .parallel_requests = 4};

class HttpSourceTest : public ::testing::Test {
 protected:
  const std::string bytes_ = test_bytes(10'500);

 private:
  const StorageOptionsGuard options_{{.max_retries = 3,
                                      .first_retry_wait = 0.001,
                                      .longest_retry_wait = 0.01}};
};

TEST_F(HttpSourceTest, ReadsByRangesAndOpensWithOneRequest) {
  const HttpServer server(
      [&](const Request& r) { return file_reply(r, bytes_, "\"1\""); });
  const auto file = open_file(server.url("/f"), kSmall);
  EXPECT_EQ(server.count(), 1u);
  EXPECT_EQ(file->size(), 10'500);
  EXPECT_EQ(read_part(*file, 9'000, 9'000), bytes_.substr(9'000));
  EXPECT_EQ(read_part(*file, 10'500, 1), "");
  EXPECT_EQ(read_file(server.url("/f")), bytes_);
}

TEST_F(HttpSourceTest, FaultsInBetweenAreNotSeen) {
  // C064: a short or empty answer is no damage of the file.
  std::atomic<int> turn = 0;
  const HttpServer server([&](const Request& r) {
    Reply reply = file_reply(r, bytes_, "\"1\"");
    switch (turn++ % 5) {
      case 1:
        return Reply{.status = 503};
      case 2:
        reply.cut_after = 300;
        return reply;
      case 3:  // The server itself believes that this is all.
        reply.body.resize(reply.body.size() / 2);
        return reply;
      case 4:
        reply.body.clear();
        return reply;
      default:
        return reply;
    }
  });
  const StorageOptionsGuard patient({.max_retries = 50,
                                     .first_retry_wait = 0.001,
                                     .longest_retry_wait = 0.001});
  const auto file = open_file(server.url("/f"), kSmall);
  std::string all;
  while (all.size() < bytes_.size()) {
    all += read_part(*file, static_cast<int64_t>(all.size()), 700);
  }
  EXPECT_EQ(all, bytes_);
}

TEST_F(HttpSourceTest, ShortAnswersThatStayAreNoEndOfTheFile) {
  const HttpServer server([&](const Request& r) {
    Reply reply = file_reply(r, bytes_);
    if (r.header("range") != "bytes=0-999") reply.body.resize(10);
    return reply;
  });
  ReadOptions options = kSmall;
  options.read_ahead = 0;
  const auto file = open_file(server.url("/f"), options);
  const std::string text =
      text_of<StorageError>([&] { read_part(*file, 2000, 500); });
  EXPECT_NE(text.find("got 10 bytes of the 500 from 2000\n  tries: 4 in "),
            std::string::npos)
      << text;
}

TEST_F(HttpSourceTest, FileThatChangesIsNotMixed) {
  std::atomic<bool> changed = false;
  const HttpServer server([&](const Request& r) {
    return changed ? file_reply(r, bytes_ + "x", "\"2\"")
                   : file_reply(r, bytes_, "\"1\"");
  });
  const auto file = open_file(server.url("/f"), kSmall);
  changed = true;
  const std::string text =
      text_of<StorageError>([&] { read_part(*file, 5000, 10); });
  EXPECT_EQ(text.substr(0, text.find("\n  hint")),
            "read_at: the file changed while it was read\n  path: " +
                server.url("/f") +
                "\n  opened: 10500 bytes, version \"1\"\n  now: another");
}

TEST_F(HttpSourceTest, ServerThatMindsNoConditionIsFoundOut) {
  std::atomic<bool> changed = false;
  const HttpServer server([&](Request r) {
    r.headers.erase("if-match");
    return file_reply(r, bytes_, changed ? "\"2\"" : "\"1\"");
  });
  const auto file = open_file(server.url("/f"), kSmall);
  changed = true;
  const std::string text =
      text_of<StorageError>([&] { read_part(*file, 5000, 10); });
  EXPECT_NE(text.find("now: \"2\""), std::string::npos) << text;
}

TEST_F(HttpSourceTest, ServerWithoutETagsTellsTheTimeOfWriting) {
  std::atomic<bool> changed = false;
  const std::string others(bytes_.size(), 'x');
  const HttpServer server([&](const Request& r) {
    Reply reply = file_reply(r, changed ? others : bytes_);
    reply.headers.emplace_back("Last-Modified",
                               changed ? "Sat, 02 Jan 2021 03:04:06 GMT"
                                       : "Sat, 02 Jan 2021 03:04:05 GMT");
    return reply;
  });
  const auto file = open_file(server.url("/f"), kSmall);
  EXPECT_EQ(read_part(*file, 9000, 10), bytes_.substr(9000, 10));
  EXPECT_EQ(server.requests().back().header("if-unmodified-since"),
            "Sat, 02 Jan 2021 03:04:05 GMT");
  changed = true;
  const std::string text =
      text_of<StorageError>([&] { read_part(*file, 5000, 10); });
  EXPECT_NE(text.find("the file changed while it was read"), std::string::npos)
      << text;
}

TEST_F(HttpSourceTest, ServerWithoutRangesSendsAllOfIt) {
  const HttpServer server([&](Request r) {
    r.headers.erase("range");
    return file_reply(r, bytes_);
  });
  const auto file = open_file(server.url("/f"), kSmall);
  EXPECT_EQ(file->size(), 10'500);
  EXPECT_EQ(read_part(*file, 9'999, 3), bytes_.substr(9'999, 3));
  EXPECT_EQ(server.count(), 2u);
}

TEST_F(HttpSourceTest, EmptyFile) {
  const HttpServer server([&](const Request& r) { return file_reply(r, ""); });
  EXPECT_EQ(open_file(server.url("/f"))->size(), 0);
  EXPECT_EQ(read_file(server.url("/f")), "");
  EXPECT_EQ(io::stat(server.url("/f")).size, 0);
}

TEST_F(HttpSourceTest, StatSaysSizeVersionAndTime) {
  const HttpServer server([&](const Request& r) {
    if (r.target != "/f") return Reply{.status = 404};
    Reply reply = file_reply(r, bytes_, "\"1\"");
    reply.headers.emplace_back("Last-Modified",
                               "Sat, 02 Jan 2021 03:04:05 GMT");
    return reply;
  });
  const FileStat stat = io::stat(server.url("/f"));
  EXPECT_EQ(stat.size, 10'500);
  EXPECT_EQ(stat.version, "\"1\"");
  ASSERT_TRUE(stat.modified.has_value());
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*stat.modified), 1609556645);
  EXPECT_FALSE(exists(server.url("/none")));
  EXPECT_THROW(open_file(server.url("/none")), NotFoundError);
}

TEST_F(HttpSourceTest, RefusalIsOneRequest) {
  const HttpServer server(
      [&](const Request&) { return Reply{.status = 403, .body = "go away"}; });
  const std::string text =
      text_of<PermissionDeniedError>([&] { open_file(server.url("/f")); });
  EXPECT_NE(text.find("  status: 403\n  answer: go away"), std::string::npos)
      << text;
  EXPECT_EQ(server.count(), 1u);
}

TEST_F(HttpSourceTest, WhatLetsSomebodyInIsInNoError) {
  const HttpServer server([&](const Request&) { return Reply{.status = 403}; });
  std::string url = server.url("/f?X-Amz-Signature=secret");
  url.insert(url.find("://") + 3, "user:secret@");
  for (const std::string& text :
       {text_of<PermissionDeniedError>([&] { open_file(url); }),
        text_of<PermissionDeniedError>([&] { io::stat(url); }),
        text_of<StorageError>([&] { create_file(url); })}) {
    EXPECT_NE(text.find("/f?X-Amz-Signature=..."), std::string::npos) << text;
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  }
}

TEST_F(HttpSourceTest, PartOfAFileOfUnknownSizeIsNotTheFile) {
  const HttpServer server([&](const Request& r) {
    Reply reply = file_reply(r, bytes_);
    if (reply.status == 206) {
      reply.headers = {{"Content-Range", "bytes 0-999/*"}};
    }
    return reply;
  });
  EXPECT_EQ(open_file(server.url("/f"), kSmall)->size(), 10'500);
  EXPECT_EQ(server.count(), 2u);
  EXPECT_EQ(io::stat(server.url("/f")).size, -1);
}

TEST_F(HttpSourceTest, RefusedRangeIsNoEmptyFile) {
  const HttpServer server([&](const Request& r) {
    if (!r.header("range").empty()) return Reply{.status = 416};
    return Reply{.body = bytes_};
  });
  EXPECT_EQ(read_file(server.url("/f")), bytes_);
  EXPECT_EQ(io::stat(server.url("/f")).size, -1);
}

// Ends the program while a request waits for a service.
[[noreturn]] void end_with_a_request() {
  static const auto* server = new HttpServer([](const Request& r) {
    Reply reply = file_reply(r, std::string(10'500, 'x'));
    if (!r.header("range").starts_with("bytes=0-")) reply.delay = 600;
    return reply;
  });
  static auto* file = open_file(server->url("/f"), kSmall).release();
  read_part(*file, 0, 10);
  // With all four blocks at the service no connection ends, so that none of its
  // threads does, which nobody joins.
  while (server->count() < 5) std::this_thread::yield();
  std::exit(0);
}

TEST(HttpSourceDeathTest, ProgramEndsWhileAServiceStalls) {
  // The other style forks a process that has threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_with_a_request(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace systolic::io
