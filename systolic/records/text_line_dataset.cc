#include "systolic/records/text_line_dataset.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "systolic/data/element_origin.h"
#include "systolic/records/byte_reader.h"
#include "systolic/records/files_dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "TextLineDataset";

class LineCursor final : public detail::FileCursor {
 public:
  LineCursor(std::unique_ptr<io::RandomAccessFile> file,
             const detail::ReadFileOptions& options)
      : reader_(kName, std::move(file), options),
        path_(std::make_shared<const std::string>(reader_.path())) {}

  bool next(Element* out) override {
    const detail::ElementOrigin origin{path_, index_, reader_.offset(), "line"};
    std::string line;
    std::string_view view = reader_.window();
    if (view.empty()) return false;
    for (; !view.empty(); view = reader_.window()) {
      const size_t end = view.find('\n');
      line.append(view.substr(0, end));
      if (end != std::string_view::npos) {
        reader_.skip(end + 1);
        break;
      }
      reader_.skip(view.size());
    }
    std::erase(line, '\r');
    ++index_;
    *out = Element(detail::with_origin(std::move(line), origin));
    return true;
  }
  void save(StateWriter& state) const override {
    state.write_int(reader_.offset());
    state.write_int(index_);
  }
  void restore(StateReader& state) override {
    reader_.seek(state.read_int());
    index_ = state.read_int();
  }

 private:
  detail::ByteReader reader_;
  const std::shared_ptr<const std::string> path_;
  int64_t index_ = 0;
};

class LineFormat final : public detail::FileFormat {
 public:
  explicit LineFormat(const detail::ReadFileOptions& options)
      : options_(options) {}

  std::string name() const override { return kName; }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::string, Shape::scalar()});
  }
  std::unique_ptr<detail::FileCursor> open(
      std::unique_ptr<io::RandomAccessFile> file) const override {
    return std::make_unique<LineCursor>(std::move(file), options_);
  }

 private:
  const detail::ReadFileOptions options_;
};

}  // namespace

TextLineDataset::TextLineDataset(const FileNames& filenames,
                                 const TextLineDatasetOptions& options)
    : Dataset(detail::read_files(
          filenames,
          std::make_shared<LineFormat>(detail::check_file_options(
              kName, options.compression_type, options.buffer_size)),
          options.num_parallel_reads, options.name)) {}

}  // namespace systolic::data
