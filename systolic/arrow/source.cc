// Tested by: tests/storage/s3_test.cc
#include "systolic/arrow/source.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/future.h>
#include <arrow/util/key_value_metadata.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "systolic/arrow/errors.h"
#include "systolic/arrow/retries.h"
#include "systolic/arrow/storage.h"
#include "systolic/base/message.h"
#include "systolic/io/error.h"

namespace systolic::arrow_module {
namespace {

using File = std::shared_ptr<arrow::io::RandomAccessFile>;

// A read that comes back short inside of the file is repeated so often.
constexpr int kShortReads = 5;
// How often it is seen to that the file is still the same: each time costs a
// request.
constexpr std::chrono::seconds kCheckEvery{1};
// How often a wait looks for a stop.
constexpr double kLookSeconds = 0.02;

[[noreturn]] void raise_stopped(const std::string& path) {
  internal::Message("read_at")
      .rule("the reading was stopped")
      .detail("path", path)
      .raise<io::StorageError>();
}

// What a future becomes, unless nobody wants it any more: the client's request
// then ends by itself, at its deadline.
template <class T>
arrow::Result<T> wait_for(arrow::Future<T> future, const std::stop_token& stop,
                          const std::string& path) {
  while (!future.Wait(kLookSeconds)) {
    if (stop.stop_requested()) raise_stopped(path);
  }
  return future.MoveResult();
}

// The ETag that a service gives each version of a file; empty where it gives
// none.
std::string etag_of(arrow::io::RandomAccessFile& file,
                    const std::string& path) {
  const auto metadata = value_of(file.ReadMetadata(), "open_file", path);
  if (metadata == nullptr) return "";
  const arrow::Result<std::string> etag = metadata->Get("ETag");
  return etag.ok() ? *etag : "";
}

// What changes when the file does.
std::string version_of(const Place& place, arrow::io::RandomAccessFile& file,
                       const std::string& path) {
  std::string version = etag_of(file, path);
  if (!version.empty()) return version;
  const std::optional<io::FileStat> stat = to_stat(value_of(
      place.files->GetFileInfo(place.to_arrow(path)), "open_file", path));
  return stat ? stat->version : "";
}

class Source final : public io::detail::RangeSource {
 public:
  Source(const Place& place, std::string path, File file, int64_t size,
         std::string version)
      : place_(place),
        path_(std::move(path)),
        file_(std::move(file)),
        size_(size),
        version_(std::move(version)) {}

  void fetch(int64_t offset, std::span<std::byte> out,
             const std::stop_token& stop) override {
    const int64_t end = offset + static_cast<int64_t>(out.size());
    int shorts = 0;
    while (!out.empty()) {
      const auto read =
          wait_for(file_->ReadAsync(offset, static_cast<int64_t>(out.size())),
                   stop, path_);
      // What is gone or shorter is another file first of all.
      if (!read.ok() && !is_used_up(read.status())) require_unchanged(stop);
      const auto bytes = value_of(read, "read_at", path_);
      const auto got = static_cast<size_t>(bytes->size());
      if (got < out.size()) {
        require_unchanged(stop);
        if (++shorts > kShortReads) raise_short(offset, out.size(), got);
      }
      std::memcpy(out.data(), bytes->data(), got);
      offset += bytes->size();
      out = out.subspan(got);
    }
    if (end == size_ || is_time()) require_unchanged(stop);
  }
  int64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }
  const std::string& version() const override { return version_; }

 private:
  // Whether it was not looked at for a while.
  bool is_time() {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (now - checked_ < kCheckEvery) return false;
    checked_ = now;
    return true;
  }

  // Throws where another file is there, or none.
  void require_unchanged(const std::stop_token& stop) const {
    const std::string target = place_.to_arrow(path_);
    const auto file =
        wait_for(place_.files->OpenInputFileAsync(target), stop, path_);
    if (!file.ok() && !is_used_up(file.status())) {
      const auto info = place_.files->GetFileInfo(target);
      if (info.ok() && info->type() == arrow::fs::FileType::NotFound) {
        raise_changed("none");
      }
    }
    require_good(file.status(), "read_at", path_);
    const std::string now = version_of(place_, **file, path_);
    if (now != version_) raise_changed(now);
  }

  [[noreturn]] void raise_changed(const std::string& now) const {
    internal::Message("read_at")
        .rule("the file changed while it was read")
        .detail("path", path_)
        .detail("opened", size_, " bytes, version ", version_)
        .detail("now", now)
        .hint(
            "open it again; write to another name and rename instead of "
            "writing over a file in use")
        .raise<io::StorageError>();
  }

  [[noreturn]] void raise_short(int64_t offset, size_t wanted,
                                size_t got) const {
    internal::Message("read_at")
        .expected(wanted, " bytes from ", offset, " of \"", path_, '"')
        .got(got)
        .detail("tries", kShortReads + 1)
        .raise<io::StorageError>();
  }

  const Place& place_;
  const std::string path_;
  const File file_;
  const int64_t size_;
  const std::string version_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point checked_ =
      std::chrono::steady_clock::now();
};

}  // namespace

std::shared_ptr<io::detail::RangeSource> open_source(const Place& place,
                                                     const std::string& path) {
  const std::string target = place.to_arrow(path);
  // By its path alone, which makes the client ask for what is known of it.
  const arrow::Result<File> opened = place.files->OpenInputFile(target);
  if (!opened.ok() && !is_used_up(opened.status())) {
    const arrow::fs::FileInfo info =
        value_of(place.files->GetFileInfo(target), "open_file", path);
    if (info.type() != arrow::fs::FileType::File) {
      internal::Message("open_file")
          .expected("a file that can be read")
          .got('"', path, '"')
          .detail("cause", info.type() == arrow::fs::FileType::Directory
                               ? "it is a folder"
                               : "nothing is there")
          .raise<NotFoundError>();
    }
  }
  File file = value_of(opened, "open_file", path);
  const int64_t size = value_of(file->GetSize(), "open_file", path);
  std::string version = version_of(place, *file, path);
  return std::make_shared<Source>(place, path, std::move(file), size,
                                  std::move(version));
}

}  // namespace systolic::arrow_module
