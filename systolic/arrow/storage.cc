// Tested by: tests/storage/s3_test.cc
#include "systolic/arrow/storage.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/async_generator.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <utility>

#include "systolic/arrow/errors.h"
#include "systolic/base/message.h"
#include "systolic/io/path.h"

namespace systolic::arrow_module {
namespace {

// The client of HDFS makes as large an array in Java for what it is given.
constexpr size_t kMostBytes = size_t{8} << 20;

class Writer final : public io::WritableFile {
 public:
  Writer(const Place& place, const std::string& path)
      : place_(place), path_(path), target_(place.to_arrow(path)) {
    // S3 alone shows a file only when all of it is there.
    if (place.files->type_name() != "s3") part_ = hidden_path(target_);
    stream_ =
        value_of(place.files->OpenOutputStream(part_.empty() ? target_ : part_),
                 "create_file", path);
  }
  ~Writer() override {
    if (stream_ != nullptr) (void)stream_->Abort();
    // Still there where the file did not get its place.
    if (!part_.empty()) (void)place_.files->DeleteFile(part_);
  }

  void append(std::span<const std::byte> bytes) override {
    require_open("append");
    const bool cuts = place_.files->type_name() == "hdfs";
    while (!bytes.empty()) {
      const size_t size =
          cuts ? std::min(bytes.size(), kMostBytes) : bytes.size();
      require_good(stream_->Write(bytes.data(), static_cast<int64_t>(size)),
                   "append", path_);
      bytes = bytes.subspan(size);
    }
  }
  void close() override {
    require_open("close");
    const auto stream = std::exchange(stream_, nullptr);
    require_good(stream->Close(), "close", path_);
    if (part_.empty()) return;
    require_good(move_file(place_, part_, target_), "close", path_);
    part_.clear();
  }
  const std::string& path() const override { return path_; }

 private:
  void require_open(const char* who) const {
    if (stream_ != nullptr) return;
    internal::Message(who)
        .expected("a file that is not closed yet")
        .got('"', path_, '"')
        .raise<ValueError>();
  }

  const Place& place_;
  const std::string path_;
  const std::string target_;
  std::string part_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
};

}  // namespace

std::string hidden_path(const std::string& target) {
  static std::atomic<int> written = 0;
  return io::join_path(io::directory_name(target),
                       "." + io::base_name(target) + ".part-" +
                           std::to_string(std::random_device()()) + "-" +
                           std::to_string(written++));
}

std::optional<io::FileStat> to_stat(const arrow::fs::FileInfo& info) {
  if (info.type() == arrow::fs::FileType::NotFound) return {};
  io::FileStat stat;
  stat.is_directory = info.type() == arrow::fs::FileType::Directory;
  if (!stat.is_directory) stat.size = info.size();
  if (info.mtime() != arrow::fs::kNoTime) {
    stat.modified =
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(
            info.mtime());
    // HDFS has but seconds.
    stat.version = std::to_string(info.mtime().time_since_epoch().count()) +
                   "-" + std::to_string(stat.size);
  }
  return stat;
}

std::unique_ptr<io::WritableFile> create_file(const Place& place,
                                              const std::string& path) {
  return std::make_unique<Writer>(place, path);
}

void list_folder(const Place& place, const std::string& folder,
                 const io::ListOptions& options,
                 const io::EntryVisitor& visit) {
  const std::string top = place.from_arrow(place.to_arrow(folder));
  // The folders of the prefix need not be searched from the top.
  const size_t slash = options.prefix.rfind('/');
  const std::string begin =
      options.recursive && slash != std::string::npos
          ? io::join_path(top, options.prefix.substr(0, slash))
          : top;
  arrow::fs::FileSelector selector;
  selector.base_dir = place.to_arrow(begin);
  selector.recursive = options.recursive;
  auto pages = place.files->GetFileInfoGenerator(selector);
  const size_t relative = io::join_path(top, "").size();
  while (true) {
    const arrow::fs::FileInfoVector page =
        value_of(pages().result(), "list_directory", folder);
    if (arrow::IsIterationEnd(page)) return;
    for (const arrow::fs::FileInfo& info : page) {
      io::DirectoryEntry entry{place.from_arrow(info.path()), {}};
      if (!std::string_view(entry.path)
               .substr(relative)
               .starts_with(options.prefix)) {
        continue;
      }
      const std::optional<io::FileStat> stat = to_stat(info);
      if (!stat) continue;
      entry.stat = *stat;
      if (!visit(entry)) return;
    }
  }
}

arrow::Status move_file(const Place& place, const std::string& from,
                        const std::string& to) {
  const arrow::Status moved = place.files->Move(from, to);
  // Of accounts of abfs:// without a hierarchy of names.
  if (!moved.IsNotImplemented()) return moved;
  const arrow::Status copied = place.files->CopyFile(from, to);
  return copied.ok() ? place.files->DeleteFile(from) : copied;
}

bool are_one(const Place& place, const Place& other, const std::string& file) {
  if (&place == &other) return true;
  const std::string type = place.files->type_name();
  if (type != other.files->type_name()) return false;
  if (type != "hdfs") return place.identity == other.identity;
  const std::string trial = hidden_path(file);
  const std::string path = place.from_arrow(trial);
  const auto stream =
      value_of(place.files->OpenOutputStream(trial), "rename", path);
  const arrow::Status closed = stream->Close();
  const auto found = other.files->GetFileInfo(trial);
  (void)place.files->DeleteFile(trial);
  require_good(closed, "rename", path);
  return value_of(found, "rename", other.from_arrow(trial)).type() !=
         arrow::fs::FileType::NotFound;
}

void copy_file(const Place& place, const std::string& from,
               const Place& to_place, const std::string& to) {
  const auto source = value_of(
      place.files->OpenInputStream(place.to_arrow(from)), "copy", from);
  const auto target = create_file(to_place, to);
  while (true) {
    const auto bytes = value_of(source->Read(kMostBytes), "copy", from);
    if (bytes->size() == 0) break;
    target->append(std::as_bytes(
        std::span(bytes->data(), static_cast<size_t>(bytes->size()))));
  }
  target->close();
}

void remove_path(const Place& place, const std::string& path) {
  const std::string target = place.to_arrow(path);
  const arrow::fs::FileInfo info =
      value_of(place.files->GetFileInfo(target), "remove", path);
  if (info.type() != arrow::fs::FileType::Directory) {
    return require_good(place.files->DeleteFile(target), "remove", path);
  }
  bool empty = true;
  list_folder(place, path, {},
              [&](const io::DirectoryEntry&) { return empty = false; });
  if (!empty) {
    internal::Message("remove")
        .expected("a file or empty folder that can be removed")
        .got('"', path, '"')
        .raise<io::StorageError>();
  }
  require_good(place.files->DeleteDir(target), "remove", path);
}

}  // namespace systolic::arrow_module
