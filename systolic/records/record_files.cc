#include "systolic/records/record_files.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/file_system.h"
#include "systolic/io/path.h"
#include "systolic/records/record_writer.h"
#include "systolic/records/shard_count.h"
#include "systolic/records/tf_record_dataset.h"

namespace systolic::data {
namespace {

// How many records are read between two calls of a progress.
constexpr int64_t kProgressRecords = 256;

// Reads the next whole record over what is damaged, which it notes.
bool read_whole(RecordReader& reader, RecordFileReport* report,
                std::string_view* record) {
  try {
    while (true) {
      try {
        return reader.read(record);
      } catch (const RecordError& error) {
        report->problems.push_back(
            {error.check(), error.record(), error.offset(), error.what()});
        if (error.check() == RecordCheck::unpacking || !reader.resync()) {
          return false;
        }
      }
    }
  } catch (const DataError& error) {
    report->problems.push_back({RecordCheck::unpacking, reader.index(),
                                reader.offset(), error.what()});
    return false;
  }
}

void note(std::string_view record, RecordFileReport* report) {
  const auto size = static_cast<int64_t>(record.size());
  report->smallest =
      report->records == 0 ? size : std::min(report->smallest, size);
  report->largest = std::max(report->largest, size);
  report->record_bytes += size;
  ++report->records;
}

// All records of a file to `visit`; an exception ends it early.
void scan(RecordReader& reader, const RecordFileOptions& options,
          RecordFileReport* report, const RecordVisitor& visit) {
  int64_t offset = reader.offset();
  for (std::string_view record; read_whole(reader, report, &record);) {
    note(record, report);
    if (visit) visit(record, reader.index() - 1, offset);
    offset = reader.offset();
    if (options.progress && report->records % kProgressRecords == 0) {
      options.progress(reader.path(), offset);
    }
  }
  if (options.progress) options.progress(reader.path(), offset);
}

RecordFileReport report_of(const RecordReader& reader) {
  RecordFileReport report;
  report.path = reader.path();
  report.compression = reader.compression();
  report.file_bytes = io::stat(reader.path()).size;
  return report;
}

RecordReader open_records(const std::string& path,
                          const RecordFileOptions& options) {
  return RecordReader(path, {.compression_type = options.compression_type});
}

// Whether both paths are of one file, however they are written.
bool is_same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto is_local = [](const std::string& path) {
    const std::string scheme = io::detail::scheme_of(path);
    return scheme.empty() || scheme == "file";
  };
  if (!is_local(a) || !is_local(b)) return false;
  std::error_code missing;
  return std::filesystem::equivalent(io::detail::without_scheme(a),
                                     io::detail::without_scheme(b), missing);
}

// Throws where `to` is one of the files that are read: when it gets its place,
// the only copy of their records is gone.
void require_other_file(const char* who, const std::vector<std::string>& from,
                        const std::string& to) {
  for (const std::string& path : from) {
    if (!is_same_file(path, to)) continue;
    internal::Message(who)
        .expected("new files beside those that are read")
        .got("one that would replace \"", path, "\"")
        .hint("write to another path, look at the result, then rename")
        .raise<ValueError>();
  }
}

}  // namespace

RecordFileReport verify_records(const std::string& path,
                                const RecordFileOptions& options,
                                const RecordVisitor& visit) {
  RecordReader reader = open_records(path, options);
  RecordFileReport report = report_of(reader);
  scan(reader, options, &report, visit);
  return report;
}

RecordFileReport repair_records(const std::string& path, const std::string& to,
                                const RecordFileOptions& options) {
  require_other_file("repair_records", {path}, to);
  RecordReader reader = open_records(path, options);
  RecordFileReport report = report_of(reader);
  TFRecordWriter writer(
      to, {.compression_type =
               report.compression == "none" ? "" : report.compression});
  scan(
      reader, options, &report,
      [&](std::string_view record, int64_t, int64_t) { writer.write(record); });
  // An empty file would look as if nothing had been lost.
  if (report.records == 0 && !report.problems.empty()) {
    writer.discard();
  } else {
    writer.close();
  }
  return report;
}

namespace detail {

int64_t shard_count(const char* who, int64_t bytes, int64_t records,
                    const ReshardOptions& options) {
  if (options.num_shards) {
    if (*options.num_shards >= 1) return *options.num_shards;
    internal::Message(who)
        .expected("num_shards of 1 or more")
        .got(*options.num_shards)
        .raise<ValueError>();
  }
  if (options.shard_bytes < 1) {
    internal::Message(who)
        .expected("shard_bytes of 1 or more")
        .got(options.shard_bytes)
        .raise<ValueError>();
  }
  // Enough files for several readers, unless they would be tiny.
  constexpr int64_t kFewBytes = int64_t{10} << 20;
  constexpr int64_t kFewFiles = 16;
  const int64_t by_size =
      (bytes + options.shard_bytes - 1) / options.shard_bytes;
  const int64_t wanted =
      std::max(by_size, std::min(kFewFiles, bytes / kFewBytes));
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(records, 1));
}

}  // namespace detail

ReshardReport reshard_records(const std::vector<std::string>& paths,
                              const std::string& prefix,
                              const ReshardOptions& options) {
  int64_t bytes = 0;
  for (const std::string& path : paths) bytes += io::stat(path).size;
  if (options.begin) options.begin(bytes);
  constexpr int64_t kAnyNumber = int64_t{1} << 40;
  ShardedTFRecordWriter writer(
      prefix, {.num_shards = detail::shard_count("reshard_records", bytes,
                                                 kAnyNumber, options),
               .compression_type = options.compression_type});
  for (const std::string& path : writer.paths()) {
    require_other_file("reshard_records", paths, path);
  }
  Dataset records = TFRecordDataset(
      paths, {.compression_type = options.input_compression_type});
  if (options.shuffle_seed) {
    records = records.shuffle(options.shuffle_buffer,
                              {.seed = *options.shuffle_seed});
  }
  int64_t done = 0;
  for (std::string_view record : records.as<std::string_view>()) {
    writer.write(record);
    done += static_cast<int64_t>(record.size());
    if (options.progress && writer.records() % kProgressRecords == 0) {
      options.progress(prefix, done);
    }
  }
  writer.close();
  return {writer.paths(), writer.records()};
}

}  // namespace systolic::data
