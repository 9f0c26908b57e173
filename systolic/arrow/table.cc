// Tested by: systolic/records/table_dataset_test.cc
#include "systolic/arrow/table.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "systolic/arrow/columns.h"
#include "systolic/base/message.h"

namespace systolic::arrow_module {
namespace {

using io::detail::TableColumn;
using io::detail::TableOptions;
using io::detail::TableReader;

// One of our files for Arrow's readers.
class ArrowFile final : public arrow::io::RandomAccessFile {
 public:
  explicit ArrowFile(std::unique_ptr<io::RandomAccessFile> file)
      : file_(std::move(file)) {}

  const std::string& path() const { return file_->path(); }
  // Throws what a read threw; Arrow hands on but its text.
  void rethrow() {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return file_->size(); }
  arrow::Result<int64_t> Read(int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, count, out));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, count));
    position_ += buffer->size();
    return buffer;
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count,
                                void* out) override {
    // A damaged file may ask for any number of bytes.
    const int64_t left = std::max<int64_t>(file_->size() - position, 0);
    count = std::clamp<int64_t>(count, 0, left);
    // Ours throws, and no exception may pass through Arrow.
    try {
      return static_cast<int64_t>(file_->read_at(
          position,
          {static_cast<std::byte*>(out), static_cast<size_t>(count)}));
    } catch (const std::exception& e) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      return arrow::Status::IOError(e.what());
    }
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position,
                                                       int64_t count) override {
    const int64_t left = std::max<int64_t>(file_->size() - position, 0);
    count = std::clamp<int64_t>(count, 0, left);
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(count));
    ARROW_ASSIGN_OR_RAISE(const int64_t got,
                          ReadAt(position, count, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  const std::unique_ptr<io::RandomAccessFile> file_;
  int64_t position_ = 0;
  bool closed_ = false;
  std::mutex mutex_;  // Arrow may read on threads of its own
  std::exception_ptr error_;
};

// A file's batches of rows; `first` is the number of the first row that comes.
class Batches {
 public:
  virtual ~Batches() = default;
  virtual std::shared_ptr<arrow::Schema> schema() = 0;
  virtual int64_t rows() = 0;
  // Begins at a batch in which or before which `row` is; returns the number of
  // its first row.
  virtual int64_t begin(int64_t row, const std::vector<int>& fields) = 0;
  // The next batch; null at the end.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() = 0;
};

// Throws what went wrong with the reading, else that the file is damaged.
[[noreturn]] void raise_failed(const arrow::Status& status, ArrowFile& file) {
  file.rethrow();
  internal::Message("read_table")
      .expected("a file of a table")
      .got('"', file.path(), '"')
      .detail("cause", status.message())
      .raise<DataError>();
}

template <class T>
T good(arrow::Result<T> result, ArrowFile& file) {
  if (!result.ok()) raise_failed(result.status(), file);
  return std::move(result).ValueUnsafe();
}

class ParquetBatches final : public Batches {
 public:
  ParquetBatches(std::shared_ptr<ArrowFile> file, int64_t batch_rows)
      : file_(std::move(file)) {
    parquet::arrow::FileReaderBuilder builder;
    const arrow::Status opened = builder.Open(file_);
    if (!opened.ok()) raise_failed(opened, *file_);
    parquet::ArrowReaderProperties properties;
    properties.set_batch_size(batch_rows);
    // Arrow would read ahead in its threads, which would wait for our reads,
    // which wait for Arrow's threads; ours read ahead anyway.
    properties.set_pre_buffer(false);
    reader_ = good(builder.properties(properties)->Build(), *file_);
  }

  std::shared_ptr<arrow::Schema> schema() override {
    std::shared_ptr<arrow::Schema> schema;
    const arrow::Status status = reader_->GetSchema(&schema);
    return status.ok() ? schema : nullptr;
  }
  int64_t rows() override {
    return reader_->parquet_reader()->metadata()->num_rows();
  }
  int64_t begin(int64_t row, const std::vector<int>& fields) override {
    const auto metadata = reader_->parquet_reader()->metadata();
    int64_t first = 0;
    int group = 0;
    for (; group < metadata->num_row_groups(); ++group) {
      const int64_t count = metadata->RowGroup(group)->num_rows();
      if (first + count > row) break;
      first += count;
    }
    std::vector<int> groups(
        static_cast<size_t>(metadata->num_row_groups() - group));
    std::iota(groups.begin(), groups.end(), group);
    std::vector<int> leaves;
    for (const int field : fields) {
      add_leaves(reader_->manifest().schema_fields[static_cast<size_t>(field)],
                 &leaves);
    }
    batches_ = good(reader_->GetRecordBatchReader(groups, leaves), *file_);
    return first;
  }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    return batches_->Next();
  }

 private:
  static void add_leaves(const parquet::arrow::SchemaField& field,
                         std::vector<int>* leaves) {
    if (field.is_leaf()) leaves->push_back(field.column_index);
    for (const auto& child : field.children) add_leaves(child, leaves);
  }

  const std::shared_ptr<ArrowFile> file_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

class IpcBatches final : public Batches {
 public:
  explicit IpcBatches(std::shared_ptr<ArrowFile> file)
      : file_(std::move(file)), reader_(open({})) {}

  std::shared_ptr<arrow::Schema> schema() override { return reader_->schema(); }
  int64_t rows() override { return good(reader_->CountRows(), *file_); }
  int64_t begin(int64_t /*row*/, const std::vector<int>& fields) override {
    reader_ = open(fields);
    at_ = 0;
    return 0;
  }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    if (at_ == reader_->num_record_batches()) {
      return std::shared_ptr<arrow::RecordBatch>();
    }
    ARROW_ASSIGN_OR_RAISE(auto batch, reader_->ReadRecordBatch(at_++));
    // Nothing else looks at what the offsets of a damaged file lead to.
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    return batch;
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> open(
      const std::vector<int>& fields) const {
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.included_fields = fields;
    return good(arrow::ipc::RecordBatchFileReader::Open(file_, options),
                *file_);
  }

  const std::shared_ptr<ArrowFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int at_ = 0;
};

class Reader final : public TableReader {
 public:
  Reader(std::shared_ptr<ArrowFile> file, std::unique_ptr<Batches> batches,
         const TableOptions& options)
      : file_(std::move(file)),
        batches_(std::move(batches)),
        path_(file_->path()),
        may_lack_(options.may_lack.begin(), options.may_lack.end()) {
    const std::shared_ptr<arrow::Schema> schema = batches_->schema();
    if (schema == nullptr) return;
    std::vector<std::string> names = options.columns;
    if (names.empty()) names = schema->field_names();
    for (const std::string& name : names) {
      const int field = schema->GetFieldIndex(name);
      if (field < 0) raise_no_column(name, *schema);
      columns_.push_back(column_of(*schema->field(field), path_));
      fields_.push_back(field);
    }
  }

  const std::vector<Column>& columns() const override { return columns_; }
  int64_t rows() const override { return batches_->rows(); }

  int64_t next(std::vector<TableColumn>* out) override {
    if (!begun_) begin();
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch =
          good(batches_->next(), *file_);
      if (batch == nullptr) return 0;
      const int64_t left_out =
          std::min(batch->num_rows(), std::max<int64_t>(skip_ - row_, 0));
      row_ += left_out;
      if (left_out == batch->num_rows()) continue;
      batch = batch->Slice(left_out);
      out->clear();
      for (const Column& column : columns_) {
        out->push_back(convert_column(batch->GetColumnByName(column.name),
                                      {column.name, path_, row_},
                                      may_lack_.contains(column.name)));
      }
      row_ += batch->num_rows();
      return batch->num_rows();
    }
  }

  void skip(int64_t count) override {
    skip_ = std::max(skip_, row_) + count;
    begun_ = false;
  }

 private:
  // Row groups before the rows that are wanted are not read.
  void begin() {
    row_ = batches_->begin(std::max(skip_, row_), fields_);
    begun_ = true;
  }

  [[noreturn]] void raise_no_column(const std::string& name,
                                    const arrow::Schema& schema) const {
    std::string all;
    for (const std::string& one : schema.field_names()) {
      all += (all.empty() ? "" : ", ") + one;
    }
    internal::Message("read_table")
        .expected("a column of the table")
        .got('"', name, '"')
        .detail("file", path_)
        .detail("columns", all)
        .raise<NotFoundError>();
  }

  const std::shared_ptr<ArrowFile> file_;
  const std::unique_ptr<Batches> batches_;
  const std::string path_;
  const std::set<std::string> may_lack_;
  std::vector<Column> columns_;
  std::vector<int> fields_;
  int64_t skip_ = 0;  // rows before this one are left out
  int64_t row_ = 0;   // the number of the next row that is read
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<TableReader> read_table(
    std::unique_ptr<io::RandomAccessFile> file, io::detail::TableFormat format,
    const TableOptions& options) {
  auto opened = std::make_shared<ArrowFile>(std::move(file));
  std::unique_ptr<Batches> batches;
  if (format == io::detail::TableFormat::parquet) {
    batches = std::make_unique<ParquetBatches>(opened, options.batch_rows);
  } else {
    batches = std::make_unique<IpcBatches>(opened);
  }
  return std::make_unique<Reader>(std::move(opened), std::move(batches),
                                  options);
}

}  // namespace systolic::arrow_module
