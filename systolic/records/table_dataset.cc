#include "systolic/records/table_dataset.h"

#include <memory>
#include <mutex>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/first_element.h"
#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/records/files_dataset.h"

namespace systolic::data {
namespace {

using io::detail::TableColumn;
using io::detail::TableFormat;
using io::detail::TableReader;

std::string name_of(TableFormat format) {
  return format == TableFormat::parquet ? "ParquetDataset" : "ArrowFileDataset";
}

std::unique_ptr<TableReader> open_table(
    std::unique_ptr<io::RandomAccessFile> file, TableFormat format,
    const TableDatasetOptions& options) {
  io::detail::ArrowModule& arrow =
      io::detail::arrow_module(name_of(format), file->path());
  return arrow.read_table(std::move(file), format,
                          {options.columns, options.batch_rows});
}

class TableCursor final : public detail::FileCursor {
 public:
  explicit TableCursor(std::unique_ptr<TableReader> reader)
      : reader_(std::move(reader)) {}

  bool next(Element* out) override {
    if (row_ == rows_) {
      rows_ = reader_->next(&columns_);
      row_ = 0;
      if (rows_ == 0) return false;
    }
    std::vector<std::pair<std::string, Element>> entries;
    entries.reserve(columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c) {
      entries.emplace_back(reader_->columns()[c].name, value(columns_[c]));
    }
    *out = Element::dict(std::move(entries));
    ++row_;
    ++read_;
    return true;
  }
  void save(StateWriter& state) const override { state.write_int(read_); }
  void restore(StateReader& state) override {
    read_ = state.read_int();
    reader_->skip(read_);
  }

 private:
  // The column's part of the row.
  Element value(const TableColumn& column) const {
    const auto row = static_cast<size_t>(row_);
    if (column.splits.empty()) return column.values.slice({row_});
    return column.values.slice(
        {Slice(column.splits[row], column.splits[row + 1])});
  }

  const std::unique_ptr<TableReader> reader_;
  std::vector<TableColumn> columns_;
  int64_t rows_ = 0;  // in columns_
  int64_t row_ = 0;   // the next of them
  int64_t read_ = 0;  // of the file
};

class TableFileFormat final : public detail::FileFormat {
 public:
  TableFileFormat(TableFormat format, const FileNames& files,
                  TableDatasetOptions options)
      : format_(format),
        files_(files.dataset()),
        options_(std::move(options)) {}

  std::string name() const override { return name_of(format_); }

  // That of the first file.
  ElementSpec element_spec() const override {
    const std::lock_guard lock(mutex_);
    if (spec_.kind() != ElementKind::unknown) return spec_;
    Element first;
    if (!detail::first_element(*files_.node(), &first)) {
      return ElementSpec::any_dict();
    }
    const auto reader =
        open_table(io::open_file(first.to<std::string>()), format_, options_);
    std::vector<std::pair<std::string, ElementSpec>> entries;
    for (const TableReader::Column& column : reader->columns()) {
      entries.emplace_back(
          column.name,
          TensorSpec{column.dtype, column.is_list ? Shape({-1}) : Shape({})});
    }
    spec_ = ElementSpec::dict(std::move(entries));
    return spec_;
  }

  std::unique_ptr<detail::FileCursor> open(
      std::unique_ptr<io::RandomAccessFile> file) const override {
    return std::make_unique<TableCursor>(
        open_table(std::move(file), format_, options_));
  }

 private:
  const TableFormat format_;
  const Dataset files_;
  const TableDatasetOptions options_;
  mutable std::mutex mutex_;
  mutable ElementSpec spec_;
};

Dataset read_tables(TableFormat format, const FileNames& filenames,
                    const TableDatasetOptions& options) {
  if (options.batch_rows < 1) {
    internal::Message(name_of(format))
        .expected("batch_rows of at least 1")
        .got(options.batch_rows)
        .raise<ValueError>();
  }
  return detail::read_files(
      filenames, std::make_shared<TableFileFormat>(format, filenames, options),
      options.num_parallel_reads);
}

}  // namespace

ParquetDataset::ParquetDataset(const FileNames& filenames,
                               const TableDatasetOptions& options)
    : Dataset(read_tables(TableFormat::parquet, filenames, options)) {}

ArrowFileDataset::ArrowFileDataset(const FileNames& filenames,
                                   const TableDatasetOptions& options)
    : Dataset(read_tables(TableFormat::arrow, filenames, options)) {}

}  // namespace systolic::data
