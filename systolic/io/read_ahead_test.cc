#include "systolic/io/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "systolic/io/test_files.h"

namespace systolic::io::detail {
namespace {

// Bytes in memory that count their fetches.
class MemorySource final : public RangeSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  void fetch(int64_t offset, std::span<std::byte> out,
             const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    offsets_.push_back(offset);
    most_ = std::max(most_, ++running_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || stop.stop_requested(); });
    --running_;
    if (failures_ > 0) {
      --failures_;
      throw StorageError("the cable is out");
    }
    if (stop.stop_requested()) throw StorageError("stopped");
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  const std::string& path() const override { return path_; }
  const std::string& version() const override { return version_; }

  void hold() { set(false); }
  void let_go() { set(true); }
  void fail(int times) { failures_ = times; }
  // Waits until so many fetches have begun.
  void wait_for(size_t fetches) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return offsets_.size() >= fetches; });
  }
  std::vector<int64_t> offsets() {
    const std::lock_guard lock(mutex_);
    return offsets_;
  }
  int most_at_once() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  void set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }

  const std::string bytes_;
  const std::string path_ = "memory";
  const std::string version_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int64_t> offsets_;
  int running_ = 0;
  int most_ = 0;
  int failures_ = 0;
  bool open_ = true;
};

const ReadOptions kSmall = {
    .read_ahead = 80, .block_size = 10, .parallel_requests = 3};

TEST(ReadAheadTest, GivesTheBytesWhateverTheSizesOfTheReads) {
  const std::string bytes = test_bytes(1234);
  for (const size_t part : {1, 7, 10, 25, 500, 5000}) {
    const auto file = read_ahead(std::make_shared<MemorySource>(bytes), kSmall);
    std::string all;
    while (true) {
      const std::string got =
          read_part(*file, static_cast<int64_t>(all.size()), part);
      all += got;
      if (got.size() < part) break;
    }
    EXPECT_EQ(all, bytes) << part;
  }
}

TEST(ReadAheadTest, ForwardReaderGetsBlocksAheadSomeAtOnce) {
  const auto source = std::make_shared<MemorySource>(test_bytes(1000));
  const auto file = read_ahead(source, kSmall);
  source->hold();
  std::jthread reading([&] { read_part(*file, 0, 5); });
  source->wait_for(3);
  EXPECT_THAT(source->offsets(), ::testing::UnorderedElementsAre(0, 10, 20));
  source->let_go();
  reading.join();
  for (int64_t at = 5; at < 900; at += 5) read_part(*file, at, 5);
  EXPECT_EQ(source->most_at_once(), 3);
}

TEST(ReadAheadTest, EachBlockIsFetchedOnce) {
  const auto source = std::make_shared<MemorySource>(test_bytes(1000));
  {
    const auto file = read_ahead(source, kSmall);
    for (int64_t at = 0; at < 1000; at += 5) read_part(*file, at, 5);
  }
  EXPECT_EQ(source->offsets().size(), 100u);
}

TEST(ReadAheadTest, ReaderThatJumpsGetsJustItsBytes) {
  const std::string bytes = test_bytes(1000);
  const auto source = std::make_shared<MemorySource>(bytes);
  const auto file = read_ahead(source, kSmall);
  EXPECT_EQ(read_part(*file, 503, 4), bytes.substr(503, 4));
  EXPECT_EQ(read_part(*file, 901, 4), bytes.substr(901, 4));
  EXPECT_EQ(source->offsets(), (std::vector<int64_t>{503, 901}));
}

TEST(ReadAheadTest, WhatCameWithTheOpeningIsNotFetchedAgain) {
  const std::string bytes = test_bytes(15);
  const auto source = std::make_shared<MemorySource>(bytes);
  const auto file = read_ahead(source, {.read_ahead = 0, .block_size = 10},
                               bytes.substr(0, 10));
  EXPECT_EQ(read_part(*file, 0, 10), bytes.substr(0, 10));
  EXPECT_TRUE(source->offsets().empty());
  EXPECT_EQ(read_part(*file, 10, 10), bytes.substr(10));
}

TEST(ReadAheadTest, FailureIsThrownAndTheNextReadTriesAgain) {
  const std::string bytes = test_bytes(100);
  const auto source = std::make_shared<MemorySource>(bytes);
  const auto file = read_ahead(source, {.read_ahead = 0, .block_size = 10});
  source->fail(1);
  EXPECT_THROW(read_part(*file, 0, 10), StorageError);
  EXPECT_EQ(read_part(*file, 0, 10), bytes.substr(0, 10));
}

TEST(ReadAheadTest, StopEndsAReadThatWaits) {
  const auto source = std::make_shared<MemorySource>(test_bytes(100));
  std::stop_source stop;
  ReadOptions options = kSmall;
  options.stop = stop.get_token();
  const auto file = read_ahead(source, options);
  source->hold();
  std::jthread stopping([&] {
    source->wait_for(1);
    stop.request_stop();
  });
  EXPECT_THROW(read_part(*file, 0, 10), StorageError);
  stopping.join();
  source->let_go();
}

TEST(ReadAheadTest, FileMayGoWhileRequestsAreUnderWay) {
  const std::string bytes = test_bytes(1000);
  const auto source = std::make_shared<MemorySource>(bytes);
  auto file = read_ahead(source, kSmall, bytes.substr(0, 10));
  source->hold();
  read_part(*file, 0, 5);
  source->wait_for(3);
  file.reset();
  source->let_go();
}

TEST(ReadAheadTest, ManyThreadsReadOneFile) {
  const std::string bytes = test_bytes(10'000);
  const auto file = read_ahead(std::make_shared<MemorySource>(bytes), kSmall);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 300; ++i) {
        const size_t at = (i * 33 + t * 2500) % 10'000;
        const size_t size = 1 + (i * 7) % 60;
        if (read_part(*file, static_cast<int64_t>(at), size) !=
            bytes.substr(at, size)) {
          ++wrong;
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(ReadAheadTest, AsMuchAsThereIsIsALargeNumber) {
  const std::string bytes = test_bytes(100);
  const auto source = std::make_shared<MemorySource>(bytes);
  const auto ahead =
      read_ahead(source, {.read_ahead = INT64_MAX, .block_size = 10});
  EXPECT_EQ(read_part(*ahead, 0, 10), bytes.substr(0, 10));
  source->wait_for(10);  // all of the file
  EXPECT_EQ(read_part(*ahead, 10, 90), bytes.substr(10));
  const auto whole =
      read_ahead(source, {.read_ahead = INT64_MAX, .block_size = INT64_MAX});
  EXPECT_EQ(read_part(*whole, 0, 10), bytes.substr(0, 10));
  EXPECT_EQ(read_part(*whole, 10, 90), bytes.substr(10));
}

TEST(ReadAheadTest, WrongOptionsAreNamed) {
  const auto source = std::make_shared<MemorySource>("");
  EXPECT_THROW(read_ahead(source, {.read_ahead = -1}), ValueError);
  EXPECT_THROW(read_ahead(source, {.block_size = 0}), ValueError);
  EXPECT_THROW(read_ahead(source, {.parallel_requests = 0}), ValueError);
}

}  // namespace
}  // namespace systolic::io::detail
