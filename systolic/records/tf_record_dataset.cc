#include "systolic/records/tf_record_dataset.h"

#include <memory>
#include <utility>

#include "systolic/data/element_origin.h"
#include "systolic/records/files_dataset.h"
#include "systolic/records/record_reader.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "TFRecordDataset";

class RecordCursor final : public detail::FileCursor {
 public:
  RecordCursor(std::unique_ptr<io::RandomAccessFile> file,
               const RecordReaderOptions& options)
      : path_(std::make_shared<const std::string>(file->path())),
        reader_(std::move(file), options) {}

  bool next(Element* out) override {
    const detail::ElementOrigin origin{path_, reader_.index(),
                                       reader_.offset()};
    std::string_view record;
    if (!reader_.read(&record)) return false;
    *out = Element(detail::with_origin(std::string(record), origin));
    return true;
  }
  void save(StateWriter& state) const override {
    state.write_int(reader_.offset());
    state.write_int(reader_.index());
    state.write_bool(reader_.is_lost());
  }
  void restore(StateReader& state) override {
    const int64_t offset = state.read_int();
    reader_.seek(offset, state.read_int());
    if (state.read_bool()) reader_.give_up();
  }

 private:
  const std::shared_ptr<const std::string> path_;
  RecordReader reader_;
};

class RecordFormat final : public detail::FileFormat {
 public:
  explicit RecordFormat(RecordReaderOptions options)
      : options_(std::move(options)) {}

  std::string name() const override { return kName; }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::string, Shape::scalar()});
  }
  std::unique_ptr<detail::FileCursor> open(
      std::unique_ptr<io::RandomAccessFile> file) const override {
    return std::make_unique<RecordCursor>(std::move(file), options_);
  }

 private:
  const RecordReaderOptions options_;
};

Dataset make(const FileNames& filenames,
             const TFRecordDatasetOptions& options) {
  detail::check_file_options(kName, options.compression_type,
                             options.buffer_size);
  return detail::read_files(
      filenames,
      std::make_shared<RecordFormat>(RecordReaderOptions{
          options.compression_type, options.buffer_size, kName}),
      options.num_parallel_reads, options.name);
}

}  // namespace

TFRecordDataset::TFRecordDataset(const FileNames& filenames,
                                 const TFRecordDatasetOptions& options)
    : Dataset(make(filenames, options)) {}

}  // namespace systolic::data
