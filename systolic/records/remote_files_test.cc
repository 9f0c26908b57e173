// Records of gs:// from a service that fails now and then, writes included.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>

#include "systolic/io/test_credentials.h"
#include "systolic/records/record_writer.h"
#include "systolic/records/test_iterators.h"
#include "systolic/records/text_line_dataset.h"
#include "systolic/records/tf_record_dataset.h"
#include "systolic/testing/http_server.h"

namespace systolic::data {
namespace {

using testing::HttpServer;
using Reply = HttpServer::Reply;

// A bucket that keeps what is uploaded, and of which every third answer is
// missing, cut off, or too short.
class FaultyBucket {
 public:
  FaultyBucket() : server_([this](const auto& r) { return answer(r); }) {}

  std::string url() const { return server_.url(); }
  size_t faults() const { return faults_; }

 private:
  Reply answer(const HttpServer::Request& request) {
    const int turn = turn_++;
    if (turn % 3 != 0) return good(request);
    ++faults_;
    Reply reply = good(request);
    switch (turn / 3 % 4) {
      case 0:
        return {.status = 503};
      case 1:
        return {.status = 429, .headers = {{"Retry-After", "0"}}};
      case 2:
        reply.cut_after = reply.body.size() / 2;
        break;
      default:
        if (reply.status == 206) reply.body.clear();
    }
    return reply;
  }

  Reply good(const HttpServer::Request& request) {
    const std::lock_guard lock(mutex_);
    const std::string& target = request.target;
    const size_t name = target.find("&name=");
    if (name != std::string::npos) {
      files_[target.substr(name + 6)] = request.body;
      return {.body = "{}"};
    }
    const size_t begin = target.rfind("/o/") + 3;
    const auto file =
        files_.find(target.substr(begin, target.find('?') - begin));
    if (file == files_.end()) return {.status = 404};
    Reply reply = file_reply(request, file->second);
    reply.headers.emplace_back("X-Goog-Generation", "1");
    return reply;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::atomic<int> turn_ = 0;
  std::atomic<size_t> faults_ = 0;
  HttpServer server_;
};

TEST(RemoteFilesTest, EveryRecordComesThroughAServiceThatFails) {
  const FaultyBucket bucket;
  const io::detail::GcsGuard gcs(bucket.url());
  const io::detail::StorageOptionsGuard patient({.max_retries = 30,
                                                 .first_retry_wait = 0.001,
                                                 .longest_retry_wait = 0.001});
  std::vector<std::string> written;
  const std::vector<std::string> paths = {"gs://b/0.tfrec", "gs://b/1.tfrec"};
  for (const std::string& path : paths) {
    TFRecordWriter writer(path);
    for (int i = 0; i < 1000; ++i) {
      written.push_back(path + std::string(8000, 'r') + std::to_string(i));
      writer.write(written.back());
    }
    writer.close();
  }
  EXPECT_EQ(strings(TFRecordDataset(paths)), written);
  EXPECT_GT(bucket.faults(), 4u);
}

TEST(RemoteFilesTest, DataSetsReadAsTheStorageOptionsSay) {
  const HttpServer server([&](const HttpServer::Request& request) {
    return file_reply(request, std::string(1000, 'x') + "\n");
  });
  const io::detail::GcsGuard gcs(server.url());
  const io::detail::StorageOptionsGuard small(
      {.read_ahead = 100, .block_size = 100, .parallel_requests = 1});
  EXPECT_EQ(strings(TextLineDataset("gs://b/f")).size(), 1u);
  ASSERT_EQ(server.count(), 11u);
  EXPECT_EQ(server.requests()[0].header("range"), "bytes=0-99");
  EXPECT_EQ(server.requests()[10].header("range"), "bytes=1000-1000");
}

TEST(RemoteFilesTest, StoppingEarlyDoesNotWaitForADeadService) {
  const HttpServer server([&](const HttpServer::Request& request) {
    Reply reply = file_reply(request, "one\n" + std::string(3 << 20, 'x'));
    // Behind the first block.
    if (!request.header("range").starts_with("bytes=0-")) reply.delay = 600;
    return reply;
  });
  const io::detail::GcsGuard gcs(server.url());
  {
    Iterator lines = TextLineDataset("gs://b/f").prefetch(2).iterator();
    EXPECT_EQ(lines.next().to<std::string>(), "one");
    // The second line waits for the service.
  }
}

TEST(RemoteFilesTest, FileThatGoesAwayIsAnErrorThatNamesIt) {
  const FaultyBucket bucket;
  const io::detail::GcsGuard gcs(bucket.url());
  Iterator records = TFRecordDataset("gs://b/none").iterator();
  EXPECT_THROW(records.next(), NotFoundError);
}

}  // namespace
}  // namespace systolic::data
