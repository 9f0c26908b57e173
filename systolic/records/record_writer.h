// Writes TFRecord files, which TensorFlow reads as its own.
//   data::TFRecordWriter writer("train.tfrec", {.compression_type = "GZIP"});
//   writer.write(ExampleBuilder().add("class", 3).serialize());
//   writer.close();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/file_system.h"

namespace systolic::data {

// Options of TFRecordWriter.
struct TFRecordOptions {
  // "", "GZIP" or "ZLIB".
  std::string compression_type = {};
  // 0 (none) to 9 (smallest); -1 is zlib's choice.
  int compression_level = -1;
};

// One file being written: others see it when it is closed, whole.
class TFRecordWriter {
 public:
  // Begins the file `path`, local or remote. Throws io::StorageError;
  // ValueError for options that make no sense.
  explicit TFRecordWriter(const std::string& path,
                          const TFRecordOptions& options = {});
  TFRecordWriter(TFRecordWriter&&) noexcept;
  TFRecordWriter& operator=(TFRecordWriter&&) = delete;
  // Closes the file, and logs what goes wrong then; where an exception ends
  // the writer's scope, leaves no file instead.
  ~TFRecordWriter();

  // Adds a record. Throws io::StorageError, after which the file is given up;
  // ValueError after close().
  void write(std::string_view record);
  // Puts the file in its place. Throws io::StorageError, also where writing
  // failed before.
  void close();
  // Leaves no file; what was there before stays.
  void discard();

  const std::string& path() const { return path_; }
  // The records so far.
  int64_t records() const { return records_; }
  // The bytes so far, before packing.
  int64_t bytes() const { return bytes_; }

 private:
  friend class ShardedTFRecordWriter;
  class Packer;

  void add(std::string_view bytes);
  void flush(bool last);
  void finish();
  void require_whole() const;

  std::string path_;
  std::unique_ptr<io::WritableFile> file_;
  std::unique_ptr<Packer> packer_;  // null where nothing is packed
  std::string buffer_;
  int64_t records_ = 0;
  int64_t bytes_ = 0;
  int exceptions_ = 0;
  bool finished_ = false;  // all bytes are with the file
  bool failed_ = false;
};

// Options of ShardedTFRecordWriter.
struct ShardedTFRecordOptions {
  // Records go to that many files in turn.
  int64_t num_shards = 16;
  std::string compression_type = {};
  int compression_level = -1;
};

// Writes records to the files `prefix`-00000-of-00016.tfrecord and so on, one
// record to each in turn. All files appear with close(), or none does but by
// a failure of storage in its midst. They are open all the while: the limit of
// open files of this process is raised where they need it, and each file of
// gs:// holds up to 8 MiB of host memory.
class ShardedTFRecordWriter {
 public:
  // Throws ValueError for num_shards below 1 or more than the system allows
  // open files, and where files of the prefix
  // with another number of shards are there, whose records a pattern would mix
  // with the new ones.
  explicit ShardedTFRecordWriter(const std::string& prefix,
                                 const ShardedTFRecordOptions& options = {});

  // Adds a record to the next file. Throws io::StorageError, after which all
  // files are given up.
  void write(std::string_view record);
  // Puts all files in their places, once all bytes of all are written.
  void close();

  // The paths of all files.
  std::vector<std::string> paths() const;
  // The records so far, of all files.
  int64_t records() const { return records_; }

 private:
  void discard();

  std::vector<TFRecordWriter> writers_;
  int64_t records_ = 0;
};

}  // namespace systolic::data
