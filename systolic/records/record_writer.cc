#include "systolic/records/record_writer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/io/path.h"
#include "systolic/records/compression.h"
#include "systolic/records/open_files.h"
#include "systolic/records/record_format.h"

namespace systolic::data {
namespace {

using detail::Compression;

constexpr size_t kFlushBytes = size_t{256} << 10;
constexpr int kWindowBits = 15;
constexpr int kGzip = 16;
constexpr int kMemoryLevel = 8;  // zlib's own

// The number behind "-of-" in "x-00001-of-00004.tfrecord", where `base` is
// "x"; nothing for other names.
std::optional<long long> shards_of(const std::string& name,
                                   const std::string& base) {
  long long shard = 0;
  long long count = 0;
  int end = 0;
  if (!name.starts_with(base + "-")) return std::nullopt;
  const std::string rest = name.substr(base.size() + 1);
  if (std::sscanf(rest.c_str(), "%lld-of-%lld.tfrecord%n", &shard, &count,
                  &end) != 2 ||
      end != static_cast<int>(rest.size())) {
    return std::nullopt;
  }
  return count;
}

// Throws where files of another number of shards have the prefix: a pattern
// would find their records too.
void require_no_other_shards(const std::string& prefix, int64_t num_shards) {
  io::FileSystem& files = io::file_system_for(prefix);
  if (!files.can_list()) return;
  const std::string base = io::base_name(prefix);
  std::string other;
  try {
    files.list(io::directory_name(prefix), {.prefix = base + "-"},
               [&](const io::DirectoryEntry& entry) {
                 const auto count = shards_of(io::base_name(entry.path), base);
                 if (count && *count != num_shards) other = entry.path;
                 return other.empty();
               });
  } catch (const NotFoundError&) {
    return;  // no folder yet
  } catch (const io::PermissionDeniedError&) {
    return;  // who may write need not be one who may look
  }
  if (other.empty()) return;
  internal::Message("ShardedTFRecordWriter")
      .expected("no files of another number of shards than ", num_shards,
                " beside the new ones")
      .got('"', other, '"')
      .hint("\"", prefix, "*\" would give the records of both: remove the old ",
            "files, or write to another prefix")
      .raise<ValueError>();
}

void append_to(io::WritableFile& file, std::string_view bytes) {
  file.append(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

}  // namespace

// Packs bytes for the file.
class TFRecordWriter::Packer {
 public:
  Packer(Compression kind, int level) {
    const int bits = kWindowBits + (kind == Compression::gzip ? kGzip : 0);
    if (deflateInit2(&z_, level, Z_DEFLATED, bits, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Packer() { deflateEnd(&z_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Packs `bytes`; with `last` also what ends the file.
  void pack(std::string_view bytes, bool last, io::WritableFile& file) {
    constexpr size_t kPart = size_t{1} << 30;
    do {
      const std::string_view part = bytes.substr(0, kPart);
      bytes.remove_prefix(part.size());
      z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      z_.avail_in = static_cast<uInt>(part.size());
      drain(last && bytes.empty(), file);
    } while (!bytes.empty());
  }

 private:
  void drain(bool last, io::WritableFile& file) {
    do {
      z_.next_out = reinterpret_cast<Bytef*>(out_.data());
      z_.avail_out = static_cast<uInt>(out_.size());
      deflate(&z_, last ? Z_FINISH : Z_NO_FLUSH);
      append_to(file, {out_.data(), out_.size() - z_.avail_out});
    } while (z_.avail_out == 0);
  }

  z_stream z_{};
  std::string out_ = std::string(kFlushBytes, '\0');
};

TFRecordWriter::TFRecordWriter(const std::string& path,
                               const TFRecordOptions& options)
    : path_(path), exceptions_(std::uncaught_exceptions()) {
  const Compression kind =
      detail::compression_of("TFRecordWriter", options.compression_type);
  if (kind == Compression::automatic) {
    internal::Message("TFRecordWriter")
        .expected("compression_type \"\", \"GZIP\" or \"ZLIB\"")
        .got("\"AUTO\", which is for readers")
        .raise<ValueError>();
  }
  if (options.compression_level < -1 || options.compression_level > 9) {
    internal::Message("TFRecordWriter")
        .expected("compression_level from 0 to 9, or -1")
        .got(options.compression_level)
        .raise<ValueError>();
  }
  if (kind != Compression::none) {
    packer_ = std::make_unique<Packer>(kind, options.compression_level);
  }
  file_ = io::create_file(path);
}

TFRecordWriter::TFRecordWriter(TFRecordWriter&&) noexcept = default;

TFRecordWriter::~TFRecordWriter() {
  if (file_ == nullptr || std::uncaught_exceptions() > exceptions_) return;
  try {
    close();
  } catch (const std::exception& error) {
    log(LogLevel::error,
        fmt::format("TFRecordWriter: {} was not written; call close() to get "
                    "this as an exception: {}",
                    path_, error.what()));
  }
}

void TFRecordWriter::write(std::string_view record) {
  require_whole();
  if (file_ == nullptr) {
    internal::Message("TFRecordWriter")
        .expected("records before close()")
        .got("one after it")
        .detail("file", path_)
        .raise<ValueError>();
  }
  char header[detail::kHeaderBytes];
  detail::store_little<uint64_t>(record.size(), header);
  const std::string_view length(header, detail::kLengthBytes);
  detail::store_little(detail::mask_crc32c(detail::crc32c(length)),
                       header + detail::kLengthBytes);
  char footer[detail::kChecksumBytes];
  detail::store_little(detail::mask_crc32c(detail::crc32c(record)), footer);
  add({header, sizeof(header)});
  add(record);
  add({footer, sizeof(footer)});
  ++records_;
  bytes_ += static_cast<int64_t>(record.size() + detail::kFrameBytes);
}

void TFRecordWriter::add(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kFlushBytes) flush(/*last=*/false);
  buffer_.append(bytes);
}

void TFRecordWriter::flush(bool last) {
  try {
    if (packer_ != nullptr) {
      packer_->pack(buffer_, last, *file_);
    } else {
      append_to(*file_, buffer_);
    }
  } catch (...) {
    // Nobody knows how much of it is written: no such file gets its place.
    discard();
    failed_ = true;
    throw;
  }
  buffer_.clear();
}

void TFRecordWriter::finish() {
  require_whole();
  if (file_ == nullptr || finished_) return;
  flush(/*last=*/true);
  finished_ = true;
}

void TFRecordWriter::close() {
  finish();
  if (file_ == nullptr) return;
  // Whatever happens, nothing more is written.
  const std::unique_ptr<io::WritableFile> file = std::move(file_);
  try {
    file->close();
  } catch (...) {
    failed_ = true;
    throw;
  }
}

void TFRecordWriter::discard() {
  file_.reset();
  buffer_.clear();
}

void TFRecordWriter::require_whole() const {
  if (!failed_) return;
  internal::Message("TFRecordWriter")
      .expected("a file that took all records so far")
      .got("one that could not be written, which is given up")
      .detail("file", path_)
      .raise<io::StorageError>();
}

ShardedTFRecordWriter::ShardedTFRecordWriter(
    const std::string& prefix, const ShardedTFRecordOptions& options) {
  if (options.num_shards < 1) {
    internal::Message("ShardedTFRecordWriter")
        .expected("num_shards of 1 or more")
        .got(options.num_shards)
        .raise<ValueError>();
  }
  require_no_other_shards(prefix, options.num_shards);
  // What goes over the network is no file of this system.
  const std::string scheme = io::detail::scheme_of(prefix);
  if (scheme.empty() || scheme == "file") {
    detail::require_open_files("ShardedTFRecordWriter", options.num_shards);
  }
  writers_.reserve(static_cast<size_t>(options.num_shards));
  for (int64_t shard = 0; shard < options.num_shards; ++shard) {
    writers_.emplace_back(
        fmt::format("{}-{:05}-of-{:05}.tfrecord", prefix, shard,
                    options.num_shards),
        TFRecordOptions{options.compression_type, options.compression_level});
  }
}

void ShardedTFRecordWriter::write(std::string_view record) {
  try {
    writers_[static_cast<size_t>(records_) % writers_.size()].write(record);
  } catch (...) {
    discard();
    throw;
  }
  ++records_;
}

void ShardedTFRecordWriter::close() {
  try {
    // Only when every byte of all files is written does the first get its
    // place: a full disk leaves what was there before.
    for (TFRecordWriter& writer : writers_) writer.finish();
    for (TFRecordWriter& writer : writers_) writer.close();
  } catch (...) {
    discard();
    throw;
  }
}

void ShardedTFRecordWriter::discard() {
  for (TFRecordWriter& writer : writers_) {
    writer.discard();
    writer.failed_ = true;
  }
}

std::vector<std::string> ShardedTFRecordWriter::paths() const {
  std::vector<std::string> paths;
  for (const TFRecordWriter& writer : writers_) paths.push_back(writer.path());
  return paths;
}

}  // namespace systolic::data
