#include "systolic/io/gcs_upload.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <mutex>

#include "systolic/io/test_credentials.h"
#include "systolic/io/test_files.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"

namespace systolic::io {
namespace {

using detail::GcsGuard;
using detail::test_bytes;
using testing::HttpServer;
using Request = HttpServer::Request;
using Reply = HttpServer::Reply;

constexpr size_t kPart = size_t{8} << 20;

// Takes uploads; of every third part it keeps only the first 256 KiB, and
// before that it fails.
class UploadServer {
 public:
  UploadServer() : server_([this](const Request& r) { return answer(r); }) {}
  std::string url() const { return server_.url(); }
  const HttpServer& server() const { return server_; }
  const std::string& file() const { return file_; }
  bool cancelled() const { return cancelled_; }

 private:
  Reply answer(const Request& request) {
    const std::lock_guard lock(mutex_);
    if (request.target.find("uploadType=media") != std::string::npos) {
      file_ = request.body;
      return {.body = "{}"};
    }
    if (request.target.find("uploadType=resumable") != std::string::npos) {
      return {.headers = {{"Location", server_.url("/session")}}};
    }
    if (request.method == "DELETE") {
      cancelled_ = true;
      return {.status = 499};
    }
    if (parts_++ % 3 == 1) return {.status = 503};
    unsigned long long first = 0;
    const std::string range = request.header("content-range");
    if (std::sscanf(range.c_str(), "bytes %llu-", &first) == 1) {
      EXPECT_EQ(first, kept_.size());
      kept_ +=
          parts_ % 3 == 0 ? request.body.substr(0, 256 << 10) : request.body;
    }
    const std::string total = range.substr(range.find('/') + 1);
    if (total != "*" && std::stoull(total) == kept_.size()) {
      file_ = kept_;
      return {.body = "{}"};
    }
    return {
        .status = 308,
        .headers = {{"Range", "bytes=0-" + std::to_string(kept_.size() - 1)}}};
  }

  std::mutex mutex_;
  std::string kept_;
  std::string file_;
  int parts_ = 0;
  bool cancelled_ = false;
  HttpServer server_;
};

TEST(GcsUploadTest, SmallFileIsOneRequest) {
  const UploadServer server;
  const GcsGuard gcs(server.url());
  write_file("gs://b/d/f", "abc");
  EXPECT_EQ(server.file(), "abc");
  ASSERT_EQ(server.server().count(), 1u);
  EXPECT_EQ(server.server().requests()[0].target,
            "/upload/storage/v1/b/b/o?uploadType=media&name=d%2Ff");
}

TEST(GcsUploadTest, LargeFileGoesInPartsWhateverTheServiceKeeps) {
  for (const size_t size : {kPart, kPart + 1, 3 * kPart + 12'345}) {
    const UploadServer server;
    const GcsGuard gcs(server.url());
    const std::string bytes = test_bytes(size);
    const auto file = create_file("gs://b/f");
    for (size_t at = 0; at < size; at += 999'999) {
      file->append(std::as_bytes(
          std::span(bytes).subspan(at, std::min<size_t>(999'999, size - at))));
    }
    EXPECT_EQ(server.file(), "");
    file->close();
    EXPECT_EQ(server.file(), bytes) << size;
    EXPECT_THROW(file->close(), ValueError);
  }
}

// Answers uploads with "go on" and without the number of the last byte, the
// first `lost` times.
class LosingServer {
 public:
  explicit LosingServer(int lost)
      : lost_(lost), server_([this](const Request& r) { return answer(r); }) {}
  std::string url() const { return server_.url(); }
  const HttpServer& server() const { return server_; }
  const std::string& file() const { return file_; }

 private:
  Reply answer(const Request& request) {
    const std::lock_guard lock(mutex_);
    if (request.method != "PUT") {
      return {.headers = {{"Location", server_.url("/session")}}};
    }
    if (lost_-- > 0) {
      if (file_.empty()) return {.status = 308};
      return {.status = 308, .headers = {{"Range", range()}}};
    }
    file_ += request.body;
    if (!request.header("content-range").ends_with("/*")) return {.body = "{}"};
    return {.status = 308, .headers = {{"Range", range()}}};
  }
  std::string range() const {
    return "bytes=0-" + std::to_string(file_.size() - 1);
  }

  std::mutex mutex_;
  int lost_;
  std::string file_;
  HttpServer server_;
};

TEST(GcsUploadTest, PartThatWasLostIsSentAgain) {
  const LosingServer server(2);
  const GcsGuard gcs(server.url());
  const std::string bytes = test_bytes(kPart + 1);
  write_file("gs://b/f", bytes);
  EXPECT_EQ(server.file(), bytes);
  EXPECT_EQ(server.server().count(), 5u);
}

TEST(GcsUploadTest, ServiceThatLosesAllIsGivenUp) {
  const LosingServer server(1000);
  const GcsGuard gcs(server.url());
  const std::string text = internal::text_of<StorageError>(
      [] { write_file("gs://b/f", std::string(kPart + 1, 'x')); });
  EXPECT_TRUE(text.starts_with(
      "append: expected the service to answer for \"gs://b/f\", got nothing "
      "kept of the bytes from 0\n  tries: 4 in "))
      << text;
}

TEST(GcsUploadTest, FileThatIsNotClosedIsNotThere) {
  const UploadServer server;
  const GcsGuard gcs(server.url());
  {
    const auto file = create_file("gs://b/f");
    const std::string bytes(kPart + 1, 'x');
    file->append(std::as_bytes(std::span(bytes)));
  }
  EXPECT_TRUE(server.cancelled());
  EXPECT_EQ(server.file(), "");
}

TEST(GcsUploadTest, ServiceThatKeepsLessIsFoundOut) {
  const HttpServer server(
      [](const Request&) { return Reply{.body = R"({"size": "2"})"}; });
  const GcsGuard gcs(server.url());
  EXPECT_EQ(
      internal::text_of<StorageError>([] { write_file("gs://b/f", "abc"); }),
      "close: expected the service to keep 3 bytes, got 2\n"
      "  path: gs://b/f");
}

TEST(GcsUploadTest, CloseThatFailedCanBeCalledAgain) {
  std::atomic<bool> refuse = true;
  const HttpServer server([&](const Request&) {
    return refuse ? Reply{.status = 403} : Reply{.body = "{}"};
  });
  const GcsGuard gcs(server.url());
  const auto file = create_file("gs://b/f");
  file->append(std::as_bytes(std::span("abc", 3)));
  EXPECT_THROW(file->close(), PermissionDeniedError);
  refuse = false;
  file->close();
  EXPECT_EQ(server.requests().back().body, "abc");
}

TEST(GcsUploadTest, NameOfAFileIsNeeded) {
  EXPECT_EQ(internal::text_of<ValueError>([] { create_file("gs://b/d/"); }),
            "create_file: expected the name of a file in a bucket, got "
            "\"gs://b/d/\"");
}

}  // namespace
}  // namespace systolic::io
