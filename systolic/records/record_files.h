// What is done with whole files of records: count, check, repair, cut anew,
// pack pictures. The command `systolic records` is made of these.
//   data::RecordFileReport report = data::verify_records("train.tfrec");
//   for (const auto& problem : report.problems) ...
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/records/record_reader.h"

namespace systolic::data {

// A damaged place of a file.
struct RecordProblem {
  RecordCheck check = RecordCheck::length_checksum;
  // Which record, counted from 0, of those that could be told apart.
  int64_t record = 0;
  // The unpacked byte at which it begins.
  int64_t offset = 0;
  // What the reader said.
  std::string text;
};

// What is in a file.
struct RecordFileReport {
  std::string path;
  std::string compression;   // "none", "GZIP" or "ZLIB"
  int64_t file_bytes = 0;    // on disk
  int64_t records = 0;       // that are whole
  int64_t record_bytes = 0;  // of their data
  int64_t smallest = 0;      // record, in bytes
  int64_t largest = 0;
  std::vector<RecordProblem> problems;
};

// Is called now and then with the file's path and the unpacked bytes read.
using RecordProgress =
    std::function<void(std::string_view path, int64_t bytes)>;
// Is called with each whole record.
using RecordVisitor =
    std::function<void(std::string_view record, int64_t index, int64_t offset)>;

// Options of the functions below.
struct RecordFileOptions {
  std::string compression_type = "AUTO";
  RecordProgress progress = {};
};

// Reads all of a file, over damaged places to the next whole record, and gives
// each record to `visit`. Where a packed file can not be unpacked is its last
// problem. Throws NotFoundError, io::StorageError.
RecordFileReport verify_records(const std::string& path,
                                const RecordFileOptions& options = {},
                                const RecordVisitor& visit = {});

// Copies the records of `path` that are whole to `to`, packed the same way,
// and returns what was found. Of a packed file that can not be unpacked to its
// end, those before the damage. Writes no file where something is damaged and
// no record is whole. Throws ValueError where `to` is `path`.
RecordFileReport repair_records(const std::string& path, const std::string& to,
                                const RecordFileOptions& options = {});

// Options of reshard_records() and pack_pictures().
struct ReshardOptions {
  // The number of files; unset: as many as `shard_bytes` asks for.
  std::optional<int64_t> num_shards = {};
  // About how large each file is to be; what suits training best is tens to
  // hundreds of MB, in tens to hundreds of files.
  int64_t shard_bytes = int64_t{128} << 20;
  // How the new files are packed.
  std::string compression_type = {};
  // How the files that are read are packed.
  std::string input_compression_type = "AUTO";
  // Set: the records are mixed, with this seed, over `shuffle_buffer` of them.
  std::optional<int64_t> shuffle_seed = {};
  int64_t shuffle_buffer = 10'000;
  // Called first, with the bytes of all that is read.
  std::function<void(int64_t bytes)> begin = {};
  RecordProgress progress = {};
};

// The new files, and how many records they have together.
struct ReshardReport {
  std::vector<std::string> paths;
  int64_t records = 0;
};

// Writes the records of `paths` to the files `prefix`-00000-of-00008.tfrecord
// and so on, each in turn. Throws RecordError for a damaged record, before any
// file appears; ValueError for options that make no sense, and for a new file
// that would replace one of `paths`.
ReshardReport reshard_records(const std::vector<std::string>& paths,
                              const std::string& prefix,
                              const ReshardOptions& options = {});

// Writes the pictures in the folders of `folder`, whose names are the classes,
// and in folders below those, to record files, mixed. Each is an Example of the
// features `image` (the file's bytes), `class` (int64, the folders counted in
// alphabetical order), `one_hot_class` (float32), `label` and `filename`
// (text). Throws NotFoundError where there are none.
ReshardReport pack_pictures(const std::string& folder,
                            const std::string& prefix,
                            const ReshardOptions& options = {});

}  // namespace systolic::data
