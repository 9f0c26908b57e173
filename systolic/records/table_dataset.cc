#include "systolic/records/table_dataset.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "systolic/array/arrays.h"
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
  std::vector<std::string> may_lack;
  for (const auto& [column, value] : options.column_defaults) {
    may_lack.push_back(column);
  }
  return arrow.read_table(std::move(file), format,
                          {options.columns, options.batch_rows, may_lack});
}

// The default as a value of its column.
Array default_of(const TableReader::Column& column, const Array& value,
                 const std::string& who) {
  const bool fits = value.rank() == (column.is_list ? 1 : 0);
  const bool texts = column.dtype == DType::string;
  if (fits && texts == (value.dtype() == DType::string)) {
    if (value.dtype() == column.dtype) return value;
    const Array same = cast(value, column.dtype);
    const bool rounds = is_floating(column.dtype);
    if (rounds || array_equal(cast(same, value.dtype()), value)) return same;
  }
  internal::Message(who)
      .expected("column_defaults of \"", column.name, "\" to be ",
                column.is_list ? "a list" : "a value", " of ",
                name(column.dtype))
      .got(value.spec(), ' ', value)
      .raise<ValueError>();
}

// A default for each column of the table; unset where there is none.
std::vector<Array> defaults_of(const TableReader& table,
                               const TableDatasetOptions& options,
                               const std::string& who) {
  std::vector<Array> defaults(table.columns().size());
  for (const auto& [wanted, value] : options.column_defaults) {
    const auto found =
        std::ranges::find(table.columns(), wanted, &TableReader::Column::name);
    if (found == table.columns().end()) {
      internal::Message(who)
          .expected("column_defaults of columns that are read")
          .got('"', wanted, '"')
          .raise<NotFoundError>();
    }
    defaults[static_cast<size_t>(found - table.columns().begin())] =
        default_of(*found, value.value(), who);
  }
  return defaults;
}

class TableCursor final : public detail::FileCursor {
 public:
  TableCursor(std::unique_ptr<TableReader> reader, std::vector<Array> defaults)
      : reader_(std::move(reader)), defaults_(std::move(defaults)) {}

  bool next(Element* out) override {
    if (row_ == rows_) {
      rows_ = reader_->next(&columns_);
      row_ = 0;
      if (rows_ == 0) return false;
    }
    std::vector<std::pair<std::string, Element>> entries;
    entries.reserve(columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c) {
      entries.emplace_back(reader_->columns()[c].name, value(c));
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
  Element value(size_t index) const {
    const TableColumn& column = columns_[index];
    const auto row = static_cast<size_t>(row_);
    if (!column.missing.empty() && column.missing[row]) return defaults_[index];
    if (column.splits.empty()) return column.values.slice({row_});
    return column.values.slice(
        {Slice(column.splits[row], column.splits[row + 1])});
  }

  const std::unique_ptr<TableReader> reader_;
  const std::vector<Array> defaults_;  // by columns
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

  std::string parameters() const override {
    std::string text = "columns";
    for (const std::string& column : options_.columns) text += ' ' + column;
    for (const auto& [column, value] : options_.column_defaults) {
      text += internal::concatenate_text(", ", column, " else ", value.value());
    }
    return text;
  }

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
    auto table = open_table(std::move(file), format_, options_);
    std::vector<Array> defaults = defaults_of(*table, options_, name());
    return std::make_unique<TableCursor>(std::move(table), std::move(defaults));
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
      options.num_parallel_reads, options.name);
}

}  // namespace

ParquetDataset::ParquetDataset(const FileNames& filenames,
                               const TableDatasetOptions& options)
    : Dataset(read_tables(TableFormat::parquet, filenames, options)) {}

ArrowFileDataset::ArrowFileDataset(const FileNames& filenames,
                                   const TableDatasetOptions& options)
    : Dataset(read_tables(TableFormat::arrow, filenames, options)) {}

}  // namespace systolic::data
