#include "systolic/records/record_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "systolic/data/test_helpers.h"
#include "systolic/io/test_credentials.h"
#include "systolic/records/test_files.h"
#include "systolic/testing/http_server.h"

namespace systolic::data {
namespace {

using Records = std::vector<std::string>;
using std::string_literals::operator""s;

TEST(TFRecordWriterTest, BytesAreThoseOfTensorFlow) {
  const RecordFolder folder;
  // tf.io.TFRecordWriter's file of the record b"abc".
  EXPECT_EQ(io::read_file(folder.write_records("a", {"abc"})),
            "\x03\0\0\0\0\0\0\0\xb0\x99I\x0e"s
            "abcnW\xf1!"s);
}

TEST(TFRecordWriterTest, FileAppearsWhole) {
  const RecordFolder folder;
  const std::string path = folder.path("a");
  {
    TFRecordWriter writer(path);
    writer.write(std::string(1 << 20, 'x'));
    EXPECT_FALSE(io::exists(path));
    EXPECT_EQ(writer.records(), 1);
    EXPECT_EQ(writer.bytes(), (1 << 20) + 16);
  }
  EXPECT_EQ(read_all(path), Records{std::string(1 << 20, 'x')});
}

TEST(TFRecordWriterTest, ExceptionLeavesNothing) {
  const RecordFolder folder;
  const std::string path = folder.path("a");
  EXPECT_THROW(
      {
        TFRecordWriter writer(path);
        writer.write("half of it");
        throw std::runtime_error("no more");
      },
      std::runtime_error);
  EXPECT_FALSE(io::exists(path));
  EXPECT_TRUE(io::list_directory(io::directory_name(path)).empty());
}

// While it is there no file grows past 1 MiB, as if the disk were full.
class FullDisk {
 public:
  FullDisk() {
    getrlimit(RLIMIT_FSIZE, &before_);
    old_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before_;
    small.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { end(); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  void end() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  void (*old_)(int) = nullptr;
};

TEST(TFRecordWriterTest, WhatCouldNotBeWrittenGetsNoPlace) {
  const RecordFolder folder;
  const std::string path = folder.path("a");
  {
    TFRecordWriter writer(path);
    {
      const FullDisk full;
      EXPECT_THROW(
          {
            for (int i = 0; i < 4; ++i) writer.write(std::string(1 << 19, 'x'));
          },
          io::StorageError);
    }
    // The disk has space again, but the file has a hole.
    const auto text = text_of<io::StorageError>([&] { writer.write("next"); });
    EXPECT_NE(text.find("could not be written, which is given up"),
              std::string::npos)
        << text;
    EXPECT_THROW(writer.close(), io::StorageError);
  }
  EXPECT_FALSE(io::exists(path));
  EXPECT_TRUE(io::list_directory(io::directory_name(path)).empty());
}

TEST(TFRecordWriterTest, DiscardLeavesWhatWasThere) {
  const RecordFolder folder;
  const std::string path = folder.write_records("a", {"old"});
  {
    TFRecordWriter writer(path);
    writer.write("new");
    writer.discard();
  }
  EXPECT_EQ(read_all(path), Records{"old"});
}

TEST(TFRecordWriterTest, RefusesRecordsAfterClose) {
  const RecordFolder folder;
  TFRecordWriter writer(folder.path("a"));
  writer.close();
  writer.close();
  EXPECT_EQ(text_of<ValueError>([&] { writer.write("x"); }),
            "TFRecordWriter: expected records before close(), got one after "
            "it\n  file: " +
                folder.path("a"));
}

TEST(TFRecordWriterTest, RefusesOptionsThatMakeNoSense) {
  const RecordFolder folder;
  EXPECT_EQ(text_of<ValueError>([&] {
              TFRecordWriter(folder.path("a"), {.compression_type = "AUTO"});
            }),
            "TFRecordWriter: expected compression_type \"\", \"GZIP\" or "
            "\"ZLIB\", got \"AUTO\", which is for readers");
  EXPECT_EQ(text_of<ValueError>([&] {
              TFRecordWriter(folder.path("a"), {.compression_level = 10});
            }),
            "TFRecordWriter: expected compression_level from 0 to 9, or -1, "
            "got 10");
  EXPECT_FALSE(io::exists(folder.path("a")));
}

TEST(TFRecordWriterTest, LevelsPackMoreOrLess) {
  const RecordFolder folder;
  const Records records(200, "many times the same words");
  const auto size = [&](int level) {
    return io::read_file(folder.write_records("l", records,
                                              {.compression_type = "GZIP",
                                               .compression_level = level}))
        .size();
  };
  EXPECT_GT(size(0), 200u * 40);
  EXPECT_LT(size(9), 1000u);
}

TEST(ShardedTFRecordWriterTest, RecordsGoToTheFilesInTurn) {
  const RecordFolder folder;
  ShardedTFRecordWriter writer(folder.path("train"), {.num_shards = 3});
  for (const char* record : {"a", "b", "c", "d"}) writer.write(record);
  EXPECT_TRUE(io::glob(folder.path("train*")).empty());
  writer.close();
  EXPECT_EQ(writer.records(), 4);
  const std::vector<std::string> paths = writer.paths();
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[2], folder.path("train-00002-of-00003.tfrecord"));
  EXPECT_EQ(read_all(paths[0]), (Records{"a", "d"}));
  EXPECT_EQ(read_all(paths[1]), Records{"b"});
  EXPECT_EQ(read_all(paths[2]), Records{"c"});
  EXPECT_THROW(ShardedTFRecordWriter(folder.path("x"), {.num_shards = 0}),
               ValueError);
}

// Ends the program with whether 100 shards could be written where it may have
// `hard` files open, and 64 before it asks for more.
[[noreturn]] void write_many_shards(const std::string& prefix, rlim_t hard) {
  const rlimit limit = {64, hard};
  setrlimit(RLIMIT_NOFILE, &limit);
  try {
    ShardedTFRecordWriter writer(prefix, {.num_shards = 100});
    for (int i = 0; i < 100; ++i) writer.write("x");
    writer.close();
  } catch (const ValueError& error) {
    std::fputs(error.what(), stderr);
    std::exit(1);
  }
  std::exit(io::glob(prefix + "*").size() == 100 ? 0 : 2);
}

TEST(ShardedTFRecordWriterTest, ManyShardsNeedManyOpenFiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const RecordFolder folder;
  EXPECT_EXIT(write_many_shards(folder.path("many"), 400),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(write_many_shards(folder.path("few"), 64),
              ::testing::ExitedWithCode(1),
              "ShardedTFRecordWriter: expected at most as many shards as files "
              "may be open at once, got 100 shards, where the system allows 64 "
              "files");
  EXPECT_TRUE(io::glob(folder.path("few*")).empty());
}

TEST(ShardedTFRecordWriterTest, WhoMayWriteNeedNotBeOneWhoMayList) {
  const testing::HttpServer server([](const auto& request) {
    const bool lists = request.method == "GET";
    return testing::HttpServer::Reply{.status = lists ? 403 : 200,
                                      .body = "{}"};
  });
  const io::detail::GcsGuard gcs(server.url());
  ShardedTFRecordWriter writer("gs://b/train", {.num_shards = 2});
  writer.write("x");
  writer.close();
  EXPECT_EQ(server.count(), 3u);
}

TEST(ShardedTFRecordWriterTest, FullDiskLeavesNoneOfTheFiles) {
  const RecordFolder folder;
  {
    ShardedTFRecordWriter writer(folder.path("train"), {.num_shards = 2});
    writer.write("small");
    writer.write(std::string((1 << 20) + 1, 'x'));
    {
      const FullDisk full;
      EXPECT_THROW(writer.close(), io::StorageError);
    }
  }
  EXPECT_TRUE(io::glob(folder.path("train*")).empty());
}

}  // namespace
}  // namespace systolic::data
