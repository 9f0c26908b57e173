// Tested by: systolic/records/tf_record_dataset_test.cc
#include "systolic/records/files_dataset.h"

#include <utility>

#include "systolic/base/message.h"
#include "systolic/records/csv_dataset.h"
#include "systolic/records/record_reader.h"

namespace systolic::data::detail {
namespace {

class FilesIterator final : public IteratorBase {
 public:
  FilesIterator(const FileFormat& format, std::unique_ptr<IteratorBase> names)
      : format_(format), names_(std::move(names)) {}

  bool get_next(Element* out) override {
    while (true) {
      if (cursor_ == nullptr) {
        Element name;
        if (!names_->get_next(&name)) return false;
        path_ = name.to<std::string>();
        cursor_ = format_.open(path_);
      }
      if (read(out)) return true;
      cursor_.reset();
    }
  }

  void save(StateWriter& state) override {
    state.begin(format_.name());
    names_->save(state);
    state.write_bool(cursor_ != nullptr);
    if (cursor_ == nullptr) return;
    state.write_string(path_);
    cursor_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(format_.name());
    names_->restore(state);
    if (!state.read_bool()) return;
    path_ = state.read_string();
    cursor_ = format_.open(path_);
    cursor_->restore(state);
  }

 private:
  bool read(Element* out) {
    try {
      return cursor_->next(out);
    } catch (const RecordError&) {
      throw;
    } catch (const CsvError&) {
      throw;
    } catch (...) {
      cursor_.reset();  // what cannot be read now is not tried for ever
      throw;
    }
  }

  const FileFormat& format_;
  std::unique_ptr<IteratorBase> names_;
  std::string path_;
  std::unique_ptr<FileCursor> cursor_;
};

class FilesDataset final : public DatasetBase {
 public:
  FilesDataset(std::shared_ptr<const DatasetBase> names,
               std::shared_ptr<const FileFormat> format)
      : names_(std::move(names)), format_(std::move(format)) {}

  std::string name() const override { return format_->name(); }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<FilesIterator>(*format_,
                                           names_->make_iterator(context));
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  ElementSpec element_spec() const override { return format_->element_spec(); }

 private:
  const std::shared_ptr<const DatasetBase> names_;
  const std::shared_ptr<const FileFormat> format_;
};

}  // namespace

Dataset read_files(const FileNames& files,
                   std::shared_ptr<const FileFormat> format,
                   std::optional<int64_t> num_parallel_reads) {
  if (num_parallel_reads && *num_parallel_reads < 1 &&
      *num_parallel_reads != AUTOTUNE) {
    internal::Message(format->name())
        .expected("num_parallel_reads >= 1 or data::AUTOTUNE")
        .got(*num_parallel_reads)
        .raise<ValueError>();
  }
  return Dataset(std::make_shared<FilesDataset>(files.dataset().node(),
                                                std::move(format)));
}

}  // namespace systolic::data::detail
