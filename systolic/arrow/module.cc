// Tested by: tests/storage/s3_test.cc
// The one function of the shared object.
#include <cstring>

#include "systolic/arrow/errors.h"
#include "systolic/arrow/places.h"
#include "systolic/arrow/source.h"
#include "systolic/arrow/storage.h"
#include "systolic/arrow/table.h"
#include "systolic/base/build_info.h"
#include "systolic/io/arrow_module.h"

namespace systolic::arrow_module {
namespace {

class Module final : public io::detail::ArrowModule {
 public:
  explicit Module(io::StorageOptions (*options)()) : places_(options) {}

  std::shared_ptr<io::detail::RangeSource> open(
      const std::string& path) override {
    return open_source(places_.of("open_file", path), path);
  }
  std::unique_ptr<io::WritableFile> create(const std::string& path) override {
    return create_file(places_.of("create_file", path), path);
  }
  std::optional<io::FileStat> find(const std::string& path) override {
    const Place& place = places_.of("stat", path);
    return to_stat(
        value_of(place.files->GetFileInfo(place.to_arrow(path)), "stat", path));
  }
  void list(const std::string& folder, const io::ListOptions& options,
            const io::EntryVisitor& visit) override {
    list_folder(places_.of("list_directory", folder), folder, options, visit);
  }
  void make_dirs(const std::string& folder) override {
    const Place& place = places_.of("make_dirs", folder);
    const std::string target = place.to_arrow(folder);
    const std::string type = place.files->type_name();
    // Elsewhere a folder is there when a file is in it; a container of abfs://
    // has to be made.
    const bool makes =
        type == "hdfs" || (type == "abfs" && target == place.root);
    if (!makes) return;
    require_good(place.files->CreateDir(target), "make_dirs", folder);
  }
  void remove(const std::string& path) override {
    remove_path(places_.of("remove", path), path);
  }
  std::optional<FolderMove> rename(const std::string& from,
                                   const std::string& to) override {
    const Place& place = places_.of("rename", from);
    const Place& other = places_.of("rename", to);
    const std::string source = place.to_arrow(from);
    const std::string target = other.to_arrow(to);
    const auto info =
        value_of(place.files->GetFileInfo(source), "rename", from);
    const bool found = info.type() != arrow::fs::FileType::NotFound;
    const bool one = found ? are_one(place, other, source) : &place == &other;
    if (found && one && source == target) return {};
    // HDFS alone has folders of its own.
    if (info.IsDirectory() && !(one && place.files->type_name() == "hdfs")) {
      return {
          {place.from_arrow(source), (one ? place : other).from_arrow(target)}};
    }
    if (one) {
      require_good(move_file(place, source, target), "rename", from);
    } else {
      copy(from, to);
      remove(from);
    }
    return {};
  }
  void copy(const std::string& from, const std::string& to) override {
    const Place& place = places_.of("copy", from);
    const Place& target = places_.of("copy", to);
    if (&place == &target && place.files->type_name() != "hdfs") {
      return require_good(
          place.files->CopyFile(place.to_arrow(from), place.to_arrow(to)),
          "copy", from);
    }
    copy_file(place, from, target, to);
  }

  std::unique_ptr<io::detail::TableReader> read_table(
      std::unique_ptr<io::RandomAccessFile> file,
      io::detail::TableFormat format,
      const io::detail::TableOptions& options) override {
    return arrow_module::read_table(std::move(file), format, options);
  }

 private:
  Places places_;
};

}  // namespace
}  // namespace systolic::arrow_module

extern "C" __attribute__((visibility("default")))
systolic::io::detail::ArrowModule*
systolic_arrow_module(const char* version,
                      systolic::io::StorageOptions (*options)()) {
  if (std::strcmp(version, systolic::internal::kVersion) != 0) return nullptr;
  // Lives as long as the process.
  static auto* module = new systolic::arrow_module::Module(options);
  return module;
}
