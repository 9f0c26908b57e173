// Tested by: tests/storage/hdfs_test.cc
#include "systolic/arrow/hdfs_files.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/hdfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/config.h>
#include <arrow/util/io_util.h>
#include <dlfcn.h>
#include <link.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <utility>

#include "systolic/arrow/errors.h"
#include "systolic/arrow/storage.h"
#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/error.h"
#include "systolic/io/path.h"

namespace systolic::arrow_module {

#ifdef ARROW_HDFS

namespace {

using arrow::Result;
using arrow::Status;
using arrow::fs::FileInfo;
using arrow::fs::FileType;
using arrow::internal::ErrnoFromStatus;
using arrow::internal::StatusFromErrno;

// The client's number for an exception of Java that has none.
constexpr int kException = 255;

// Where the client was loaded from; empty where it was not.
std::string client_library() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        const std::string name = info->dlpi_name;
        if (!io::base_name(name).starts_with("libhdfs.so")) return 0;
        *static_cast<std::string*>(out) = name;
        return 1;
      },
      &path);
  return path;
}

// What Java threw last in this thread; empty where the client is too old to
// keep it (before Hadoop 2.9).
std::string last_exception() {
  const std::string path = client_library();
  if (path.empty()) return "";
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return "";
  void* function = dlsym(library, "hdfsGetLastExceptionRootCause");
  const char* text =
      function == nullptr ? nullptr : reinterpret_cast<char* (*)()>(function)();
  std::string result = text == nullptr ? "" : text;
  dlclose(library);
  return result.substr(0, result.find('\n'));
}

// With the words of Java's last exception where that is what failed. What Arrow
// refuses by itself has no number, and what the client does without an
// exception has EIO: the last one was another's.
Status explained(const Status& status, bool by_java) {
  if (status.ok() || !by_java) return status;
  const std::string cause = last_exception();
  return cause.empty() ? status
                       : status.WithMessage(status.message(), ": ", cause);
}
Status explained(const Status& status) {
  const int code = ErrnoFromStatus(status);
  return explained(status, code != 0 && code != ENOENT && code != EIO);
}
template <class T>
Result<T> explained(Result<T> result) {
  if (result.ok()) return result;
  return explained(result.status());
}

// Whether it failed because nothing is there; below a file there is nothing
// either.
bool is_missing(const Status& failed) {
  return ErrnoFromStatus(failed) == ENOENT ||
         failed.message().find("(is not a directory)") != std::string::npos;
}

Status nothing_there() {
  return StatusFromErrno(ENOENT, arrow::StatusCode::IOError,
                         "nothing is there");
}

// A file being written; its failures have Java's words.
class HdfsStream final : public arrow::io::OutputStream {
 public:
  explicit HdfsStream(std::shared_ptr<arrow::io::OutputStream> stream)
      : stream_(std::move(stream)) {}

  using OutputStream::Write;
  Status Write(const void* data, int64_t size) override {
    return explained(stream_->Write(data, size));
  }
  Status Flush() override { return explained(stream_->Flush()); }
  Status Close() override { return explained(stream_->Close()); }
  Status Abort() override { return explained(stream_->Abort()); }
  Result<int64_t> Tell() const override { return stream_->Tell(); }
  bool closed() const override { return stream_->closed(); }

 private:
  const std::shared_ptr<arrow::io::OutputStream> stream_;
};

// The same of a file being read.
class HdfsFile final : public arrow::io::RandomAccessFile {
 public:
  explicit HdfsFile(std::shared_ptr<arrow::io::RandomAccessFile> file)
      : file_(std::move(file)) {}

  Result<int64_t> GetSize() override { return explained(file_->GetSize()); }
  using RandomAccessFile::ReadAt;
  Result<int64_t> ReadAt(int64_t offset, int64_t size, void* out) override {
    return explained(file_->ReadAt(offset, size, out));
  }
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t offset,
                                                int64_t size) override {
    return explained(file_->ReadAt(offset, size));
  }
  Result<int64_t> Read(int64_t size, void* out) override {
    return explained(file_->Read(size, out));
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size) override {
    return explained(file_->Read(size));
  }
  Status Seek(int64_t offset) override {
    return explained(file_->Seek(offset));
  }
  Result<int64_t> Tell() const override { return file_->Tell(); }
  Status Close() override { return explained(file_->Close()); }
  bool closed() const override { return file_->closed(); }

 private:
  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

class HdfsFiles final : public arrow::fs::FileSystem {
 public:
  explicit HdfsFiles(std::shared_ptr<arrow::fs::FileSystem> files)
      : FileSystem(files->io_context()), files_(std::move(files)) {
    default_async_is_sync_ = false;
  }

  std::string type_name() const override { return files_->type_name(); }
  bool Equals(const FileSystem& other) const override { return this == &other; }

  Result<FileInfo> GetFileInfo(const std::string& path) override {
    errno = 0;
    const auto info = files_->GetFileInfo(path);
    const int code = errno;
    if (!info.ok()) return explained(info);
    // Arrow says "not found" of whatever failed. What the client left behind
    // may tell; else a listing does, which fails in the same way.
    if (info->type() != FileType::NotFound || code == ENOENT) return info;
    const std::string cause = code == kException ? last_exception() : "";
    Status failed = Status::IOError("HDFS: ", cause);
    if (cause.empty()) {
      arrow::fs::FileSelector selector;
      selector.base_dir = path;
      failed = explained(files_->GetFileInfo(selector).status());
      // Something is there: what failed was an accident.
      if (failed.ok()) return explained(files_->GetFileInfo(path));
    }
    return is_missing(failed) ? info : failed;
  }
  Result<arrow::fs::FileInfoVector> GetFileInfo(
      const arrow::fs::FileSelector& selector) override {
    return explained(files_->GetFileInfo(selector));
  }
  Status CreateDir(const std::string& path, bool recursive) override {
    return explained(files_->CreateDir(path, recursive));
  }
  Status DeleteDir(const std::string& path) override {
    return explained(files_->DeleteDir(path));
  }
  Status DeleteDirContents(const std::string& path,
                           bool missing_dir_ok) override {
    return explained(files_->DeleteDirContents(path, missing_dir_ok));
  }
  Status DeleteRootDirContents() override {
    return explained(files_->DeleteRootDirContents());
  }
  Status DeleteFile(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, GetFileInfo(path));
    if (info.type() == FileType::NotFound) return nothing_there();
    return explained(files_->DeleteFile(path));
  }

  Status Move(const std::string& from, const std::string& to) override {
    ARROW_ASSIGN_OR_RAISE(const FileInfo source, GetFileInfo(from));
    if (source.type() == FileType::NotFound) return nothing_there();
    if (io::detail::same_path(from, to)) return Status::OK();
    if (to.starts_with(io::join_path(from, ""))) {
      return StatusFromErrno(EINVAL, arrow::StatusCode::IOError,
                             "nothing can be moved into itself");
    }
    ARROW_ASSIGN_OR_RAISE(const FileInfo target, GetFileInfo(to));
    if (target.type() == FileType::NotFound) {
      // Which the client would not make.
      ARROW_RETURN_NOT_OK(CreateDir(io::directory_name(to), true));
      return put(from, to, /*over=*/false);
    }
    // The client would move into the folder.
    if (target.IsDirectory() || source.IsDirectory()) {
      return StatusFromErrno(
          target.IsDirectory() ? EISDIR : ENOTDIR, arrow::StatusCode::IOError,
          target.IsDirectory() ? "a folder is there" : "a file is there");
    }
    return put(from, to, /*over=*/true);
  }

  Status CopyFile(const std::string&, const std::string&) override {
    return Status::NotImplemented("copied by reading and writing");
  }

  Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(
      const std::string& path) override {
    return OpenInputFile(path);
  }
  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const std::string& path) override {
    ARROW_RETURN_NOT_OK(require_file(path));
    ARROW_ASSIGN_OR_RAISE(auto file, explained(files_->OpenInputFile(path)));
    return std::make_shared<HdfsFile>(std::move(file));
  }
  Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(
      const std::string& path,
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override {
    ARROW_ASSIGN_OR_RAISE(auto stream,
                          explained(files_->OpenOutputStream(path, metadata)));
    return std::make_shared<HdfsStream>(std::move(stream));
  }
  Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(
      const std::string& path,
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override {
    return explained(files_->OpenAppendStream(path, metadata));
  }

 private:
  // The client writes whole stacks of Java to stderr where there is none.
  Status require_file(const std::string& path) {
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, GetFileInfo(path));
    if (info.type() == FileType::NotFound) return nothing_there();
    if (info.IsFile()) return Status::OK();
    return StatusFromErrno(EISDIR, arrow::StatusCode::IOError,
                           "it is a folder");
  }

  Result<bool> is_there(const std::string& path) {
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, GetFileInfo(path));
    return info.type() != FileType::NotFound;
  }

  // Moves to where nothing is. False where it can not because another program
  // has taken the file or the name.
  Result<bool> try_move(const std::string& from, const std::string& to) {
    const Status status = explained(files_->Move(from, to));
    if (status.ok()) return true;
    const Result<bool> source = is_there(from);
    const Result<bool> target = is_there(to);
    if (!source.ok() || !target.ok()) {
      return status.WithMessage(status.message(), "; whether ", from,
                                " is now ", to, " is not known");
    }
    if (*source && !*target) return status;
    // It may be done, and but the answer lost.
    return !*source && *target;
  }

  // Gives a file its name; `over`: where another is. HDFS moves nothing over a
  // file, so that one has to go first: to a hidden name, from where it comes
  // back if the other can not take its place.
  Status put(const std::string& from, const std::string& to, bool over) {
    constexpr int kTries = 10;
    for (int tries = 0; tries < kTries; ++tries) {
      const std::string aside = hidden_path(to);
      if (over) {
        ARROW_ASSIGN_OR_RAISE(over, try_move(to, aside));
      }
      const Result<bool> moved = try_move(from, to);
      if (moved.ok() && *moved) {
        // Whatever becomes of the other one, this one has its name.
        if (over) (void)files_->DeleteFile(aside);
        return Status::OK();
      }
      if (over) ARROW_RETURN_NOT_OK(put_back(aside, to, moved.status()));
      ARROW_RETURN_NOT_OK(moved.status());
      over = true;
    }
    return Status::IOError("others write it again and again");
  }

  // Gives a file that went aside its name again. Where it can not, `why` that
  // is done says where the file is.
  Status put_back(const std::string& aside, const std::string& to,
                  const Status& why) {
    const Result<bool> back = try_move(aside, to);
    if (back.ok()) {
      // Somebody has written the name meanwhile, so the older one goes.
      if (!*back) (void)files_->DeleteFile(aside);
      return Status::OK();
    }
    const Status& first = why.ok() ? back.status() : why;
    return first.WithMessage(first.message(), "; the file that was there is ",
                             aside);
  }

  const std::shared_ptr<arrow::fs::FileSystem> files_;
};

// Puts back what the program does at signals, which Java takes for itself when
// it starts.
class SignalsKept {
 public:
  SignalsKept() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
    }
  }
  ~SignalsKept() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static constexpr std::array kSignals{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// What the client takes times as.
std::string milliseconds(double seconds) {
  constexpr double kMost = 1e9;
  return std::to_string(
      static_cast<int64_t>(std::clamp(std::ceil(seconds * 1000), 1., kMost)));
}

void limit(const io::StorageOptions& limits, arrow::fs::HdfsOptions* options) {
  const std::string connect = milliseconds(limits.connect_timeout);
  const std::string stall = milliseconds(limits.stall_timeout);
  const std::string retries = std::to_string(limits.max_retries);
  // Of the name node.
  options->ConfigureExtraConf("ipc.client.connect.timeout", connect);
  options->ConfigureExtraConf("ipc.client.connect.max.retries", retries);
  options->ConfigureExtraConf("ipc.client.connect.max.retries.on.timeouts",
                              retries);
  options->ConfigureExtraConf("ipc.client.rpc-timeout.ms", stall);
  // Of the data nodes.
  options->ConfigureExtraConf("dfs.client.socket-timeout", stall);
  options->ConfigureExtraConf("dfs.datanode.socket.write.timeout", stall);
}

// Throws where Hadoop's settings name no cluster: its client would take this
// machine's own files, which but listings tell.
void require_cluster(arrow::fs::FileSystem& files, const std::string& who,
                     const std::string& address) {
  arrow::fs::FileSelector selector;
  selector.base_dir = hidden_path("/none");
  selector.allow_not_found = true;
  const Status status = explained(files.GetFileInfo(selector).status());
  if (status.message().starts_with(kNoCluster)) {
    require_good(status, who, address);
  }
}

}  // namespace

std::shared_ptr<arrow::fs::FileSystem> hdfs_files(
    const std::string& who, const std::string& address,
    const io::StorageOptions& limits) {
  // Java is started once in a process, so later it can not be set any more.
  if (internal::environment("CLASSPATH").empty()) {
    internal::Message(who)
        .expected("Hadoop's client for Java, by the variable CLASSPATH")
        .got("none")
        .detail("path", address)
        .hint(kHdfsHint)
        .raise<io::StorageError>();
  }
  const std::string uri =
      (address.ends_with("://") ? address + "default" : address) + "/";
  auto options = value_of(arrow::fs::HdfsOptions::FromUri(uri), who, address);
  // Where Arrow does not look.
  const std::string_view host = io::detail::without_scheme(address);
  const size_t at = host.find('@');
  if (at != std::string_view::npos) {
    options.ConfigureUser(std::string(host.substr(0, at)));
  }
  // As Hadoop's own settings have it, where Arrow has 3.
  options.ConfigureReplication(0);
  limit(limits, &options);
  const SignalsKept kept;
  auto files = arrow::fs::HadoopFileSystem::Make(options);
  // The client's number does not come with it.
  require_good(
      explained(files.status(), files.status().message() == kNoConnection), who,
      address);
  if (address.ends_with("://")) require_cluster(**files, who, address);
  return std::make_shared<HdfsFiles>(*std::move(files));
}

#else

std::shared_ptr<arrow::fs::FileSystem> hdfs_files(const std::string& who,
                                                  const std::string& address,
                                                  const io::StorageOptions&) {
  // Which says that this Arrow has no such client.
  return value_of(arrow::fs::FileSystemFromUri(address + "/"), who, address);
}

#endif

}  // namespace systolic::arrow_module
