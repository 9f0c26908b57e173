#include "systolic/io/gcs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "systolic/io/test_credentials.h"
#include "systolic/io/test_files.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"

namespace systolic::io {
namespace {

using detail::GcsGuard;
using detail::GcsPath;
using detail::read_part;
using detail::test_bytes;
using internal::text_of;
using nlohmann::json;
using testing::HttpServer;
using Request = HttpServer::Request;
using Reply = HttpServer::Reply;
using Paths = std::vector<std::string>;

// The value of a part of an address's query; empty where it is not there.
std::string query(const std::string& target, const std::string& key) {
  size_t begin = target.find("?" + key + "=");
  if (begin == std::string::npos) begin = target.find("&" + key + "=");
  if (begin == std::string::npos) return "";
  begin += key.size() + 2;
  return target.substr(begin, target.find('&', begin) - begin);
}

TEST(GcsPathTest, BucketAndObject) {
  const GcsPath file("gs://b/d/f");
  EXPECT_EQ(file.bucket, "b");
  EXPECT_EQ(file.object, "d/f");
  EXPECT_EQ(GcsPath("gs://b").object, "");
  EXPECT_EQ(text_of<ValueError>([] { GcsPath("gs://"); }),
            "io: expected gs://<bucket>/<file>, got \"gs://\"");
  EXPECT_THROW(glob("gs://b*/f"), ValueError);
}

// In an address they would lead to the bucket, and to all buckets.
TEST(GcsPathTest, NamesThatClimbAreRefused) {
  const HttpServer server([](const Request&) { return Reply{.body = "{}"}; });
  const GcsGuard gcs(server.url());
  EXPECT_THROW(io::remove("gs://b/.."), ValueError);
  EXPECT_THROW(io::remove("gs://b/."), ValueError);
  EXPECT_THROW(exists("gs://../f"), ValueError);
  EXPECT_EQ(server.count(), 0u);
  EXPECT_EQ(GcsPath("gs://b/d/..").object, "d/..");
}

TEST(GcsTest, ReadsTheGenerationThatWasOpened) {
  const std::string bytes = test_bytes(5000);
  const HttpServer server([&](const Request& request) {
    Reply reply = file_reply(request, bytes);
    reply.headers.emplace_back("X-Goog-Generation", "77");
    return reply;
  });
  const GcsGuard gcs(server.url());
  const auto file = open_file("gs://b/d/a b", {.block_size = 1000});
  EXPECT_EQ(read_part(*file, 3000, 500), bytes.substr(3000, 500));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].target,
            "/download/storage/v1/b/b/o/d%2Fa%20b?alt=media");
  EXPECT_EQ(requests[1].target,
            "/download/storage/v1/b/b/o/d%2Fa%20b?alt=media&generation=77");
  EXPECT_EQ(requests[1].header("accept-encoding"), "gzip");
}

TEST(GcsTest, ObjectThatWasReplacedIsNotMixed) {
  const std::string bytes = test_bytes(5000);
  const HttpServer server([&](const Request& request) {
    // The generation that was opened is gone.
    if (!query(request.target, "generation").empty()) {
      return Reply{.status = 404};
    }
    Reply reply = file_reply(request, bytes);
    reply.headers.emplace_back("X-Goog-Generation", "77");
    return reply;
  });
  const GcsGuard gcs(server.url());
  const auto file = open_file("gs://b/f", {.block_size = 1000});
  EXPECT_TRUE(
      text_of<StorageError>([&] { read_part(*file, 3000, 500); })
          .starts_with("read_at: the file changed while it was read\n"
                       "  path: gs://b/f\n"
                       "  opened: 5000 bytes, version 77\n  now: none"));
}

// A bucket of `count` objects "d/<number>.x" that lists in pages of 1000.
class ManyObjects {
 public:
  explicit ManyObjects(int64_t count)
      : count_(count), server_([this](const Request& r) { return page(r); }) {}
  std::string url() const { return server_.url(); }
  size_t count() const { return server_.count(); }

 private:
  Reply page(const Request& request) const {
    const std::string token = query(request.target, "pageToken");
    const int64_t begin = token.empty() ? 0 : std::stoll(token);
    const int64_t end = std::min(begin + 1000, count_);
    json answer = {{"items", json::array()}};
    for (int64_t i = begin; i < end; ++i) {
      answer["items"].push_back({{"name", "d/" + std::to_string(i) + ".x"},
                                 {"size", "5"},
                                 {"generation", "1"}});
    }
    if (end < count_) answer["nextPageToken"] = std::to_string(end);
    return Reply{.body = answer.dump()};
  }

  const int64_t count_;
  HttpServer server_;
};

TEST(GcsGlobTest, OneRequestForAThousandNames) {
  const ManyObjects server(3500);
  const GcsGuard gcs(server.url());
  EXPECT_EQ(glob("gs://b/d/*9.x").size(), 350u);
  EXPECT_EQ(server.count(), 4u);
}

TEST(GcsGlobTest, ListsOnlyOneLevelWithThePrefix) {
  const HttpServer server([](const Request&) {
    return Reply{
        .body = R"({"items": [{"name": "d/train-1.x"}, {"name": "d/train/"}],
                   "prefixes": ["d/train-2/"]})"};
  });
  const GcsGuard gcs(server.url());
  EXPECT_EQ(glob("gs://b/d/train-*"),
            (Paths{"gs://b/d/train-1.x", "gs://b/d/train-2"}));
  ASSERT_EQ(server.count(), 1u);
  const std::string target = server.requests()[0].target;
  EXPECT_EQ(query(target, "prefix"), "d%2Ftrain-");
  EXPECT_EQ(query(target, "delimiter"), "%2F");
  EXPECT_EQ(query(target, "maxResults"), "1000");
}

TEST(GcsTest, CopyGoesOnUntilItIsDone) {
  std::atomic<int> turn = 0;
  const HttpServer server([&](const Request&) {
    return Reply{.body = turn++ < 2 ? R"({"done": false, "rewriteToken": "t"})"
                                    : R"({"done": true})"};
  });
  const GcsGuard gcs(server.url());
  io::copy("gs://b/f", "gs://c/g h");
  ASSERT_EQ(server.count(), 3u);
  EXPECT_EQ(server.requests()[2].target,
            "/storage/v1/b/b/o/f/rewriteTo/b/c/o/g%20h?rewriteToken=t");
}

TEST(GcsTest, RemovingTwiceIsAnErrorUnlessTheFirstAnswerWasLost) {
  std::atomic<bool> lost = true;
  const HttpServer server([&](const Request&) {
    return lost.exchange(false) ? Reply{.hang_up = true} : Reply{.status = 404};
  });
  const GcsGuard gcs(server.url());
  io::remove("gs://b/f");
  EXPECT_EQ(server.count(), 2u);
  EXPECT_THROW(io::remove("gs://b/f"), NotFoundError);
}

TEST(GcsTest, AnswerThatIsNoJsonIsAnError) {
  const HttpServer server([](const Request&) { return Reply{.body = "hi"}; });
  const GcsGuard gcs(server.url());
  EXPECT_EQ(text_of<StorageError>([] { list_directory("gs://b/d"); }),
            "list_directory: expected an answer in JSON, got \"hi\"\n"
            "  path: gs://b/d");
}

// A bucket that can be listed, copied in and removed from.
class Bucket {
 public:
  explicit Bucket(std::set<std::string> names)
      : names_(std::move(names)),
        server_([this](const Request& r) { return answer(r); }) {}
  std::string url() const { return server_.url(); }
  std::set<std::string> names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  static std::string decoded(std::string text) {
    for (size_t at = 0; (at = text.find("%2F", at)) != std::string::npos;) {
      text.replace(at, 3, "/");
    }
    return text;
  }

  Reply answer(const Request& request) {
    const std::lock_guard lock(mutex_);
    const std::string path = request.target.substr(0, request.target.find('?'));
    constexpr std::string_view kRoot = "/storage/v1/b/b/o";
    if (path == kRoot) {
      const std::string prefix = decoded(query(request.target, "prefix"));
      json items = json::array();
      for (const std::string& name : names_) {
        if (name.starts_with(prefix)) items.push_back({{"name", name}});
      }
      return {.body = json({{"items", items}}).dump()};
    }
    const size_t rewrite = path.find("/rewriteTo/b/b/o/");
    const std::string name =
        decoded(path.substr(kRoot.size() + 1, rewrite - kRoot.size() - 1));
    if (!names_.contains(name)) return {.status = 404};
    if (rewrite != std::string::npos)
      names_.insert(decoded(path.substr(rewrite + 17)));
    if (request.method == "DELETE") names_.erase(name);
    return {.body = R"({"done": true, "size": "1"})"};
  }

  mutable std::mutex mutex_;
  std::set<std::string> names_;
  const HttpServer server_;
};

using Names = std::set<std::string>;

TEST(GcsTest, ObjectsThatStandForFoldersMoveAndGo) {
  const Bucket bucket({"d/", "d/f", "d/e/", "de"});
  const GcsGuard gcs(bucket.url());
  io::rename("gs://b/d", "gs://b/x/y/");
  EXPECT_EQ(bucket.names(), (Names{"de", "x/y/", "x/y/f", "x/y/e/"}));
  remove_tree("gs://b/x");
  EXPECT_EQ(bucket.names(), (Names{"de"}));
  EXPECT_THROW(remove_tree("gs://b/x"), NotFoundError);
}

// Nothing would find it there.
TEST(GcsTest, FileIsNotMovedToTheNameOfAFolder) {
  const Bucket bucket({"a"});
  const GcsGuard gcs(bucket.url());
  EXPECT_EQ(text_of<ValueError>([] { io::rename("gs://b/a", "gs://b/d/"); }),
            "rename: expected the name of a file in a bucket, got "
            "\"gs://b/d/\"");
  EXPECT_THROW(io::rename("gs://b/a", "gs://b"), ValueError);
  EXPECT_THROW(io::copy("gs://b/a", "gs://b/d/"), ValueError);
  EXPECT_EQ(bucket.names(), (Names{"a"}));
}

TEST(GcsTest, OnlyAFileIsOpened) {
  const Bucket bucket({"d/", "d/f"});
  const GcsGuard gcs(bucket.url());
  for (const std::string path : {"gs://b", "gs://b/", "gs://b/d/"}) {
    EXPECT_EQ(text_of<ValueError>([&] { read_file(path); }),
              "open_file: expected the name of a file in a bucket, got \"" +
                  path +
                  "\"\n  hint: io::list_directory() and io::glob() find the "
                  "files that are there");
  }
}

TEST(GcsTest, PatternsAreNoFiles) {
  const HttpServer server([](const Request&) { return Reply{.status = 404}; });
  const GcsGuard gcs(server.url());
  EXPECT_TRUE(text_of<NotFoundError>([] { read_file("gs://b/s-*"); })
                  .ends_with("\n  status: 404\n  hint: io::glob() and "
                             "Dataset::list_files() find the files of a "
                             "pattern"));
  EXPECT_EQ(text_of<NotFoundError>([] { read_file("gs://b/s"); }).find("hint"),
            std::string::npos);
}

TEST(GcsTest, WhatIsMovedToItselfStays) {
  const Names all = {"d/f", "d/e/g"};
  const Bucket bucket(all);
  const GcsGuard gcs(bucket.url());
  io::rename("gs://b/d/f", "gs://b/d/f");
  io::rename("gs://b/d", "gs://b/d/");
  EXPECT_THROW(io::rename("gs://b/d", "gs://b/d/e"), StorageError);
  EXPECT_THROW(io::rename("gs://b/d/e", "gs://b/d"), StorageError);
  EXPECT_EQ(bucket.names(), all);
  EXPECT_THROW(io::rename("gs://b/x", "gs://b/x"), NotFoundError);
}

}  // namespace
}  // namespace systolic::io
