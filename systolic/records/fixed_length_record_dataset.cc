#include "systolic/records/fixed_length_record_dataset.h"

#include <memory>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/element_origin.h"
#include "systolic/records/byte_reader.h"
#include "systolic/records/files_dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "FixedLengthRecordDataset";

// The sizes of a file's parts, in bytes.
struct Sizes {
  int64_t record = 1;
  int64_t header = 0;
  int64_t footer = 0;
};

class FixedCursor final : public detail::FileCursor {
 public:
  FixedCursor(std::unique_ptr<io::RandomAccessFile> file, const Sizes& sizes,
              const detail::ReadFileOptions& options)
      : reader_(kName, std::move(file), options),
        sizes_(sizes),
        path_(std::make_shared<const std::string>(reader_.path())) {
    if (const auto left = reader_.left()) {
      const int64_t body = *left - sizes.header - sizes.footer;
      if (body < 0 || body % sizes.record != 0) fail(*left);
    }
    reader_.seek(sizes.header);
  }

  bool next(Element* out) override {
    const int64_t offset = reader_.offset();
    const auto wanted = static_cast<size_t>(sizes_.record + sizes_.footer);
    const std::string_view view = reader_.peek(wanted);
    if (view.size() < wanted) {
      const auto rest = static_cast<int64_t>(view.size());
      const bool empty = offset + rest == 0;
      if (!empty && (rest != sizes_.footer || offset < sizes_.header)) {
        fail(offset + rest);
      }
      return false;
    }
    std::string record(view.substr(0, static_cast<size_t>(sizes_.record)));
    reader_.skip(record.size());
    *out = Element(detail::with_origin(
        std::move(record),
        {path_, (offset - sizes_.header) / sizes_.record, offset}));
    return true;
  }
  void save(StateWriter& state) const override {
    state.write_int(reader_.offset());
  }
  void restore(StateReader& state) override { reader_.seek(state.read_int()); }

 private:
  [[noreturn]] void fail(int64_t size) const {
    internal::Message(kName)
        .expected("a file of whole records of ", sizes_.record,
                  " bytes between ", sizes_.header, " of a header and ",
                  sizes_.footer, " of a footer")
        .got("one of ", size, " bytes")
        .detail("file", *path_)
        .raise<DataError>();
  }

  detail::ByteReader reader_;
  const Sizes sizes_;
  const std::shared_ptr<const std::string> path_;
};

class FixedFormat final : public detail::FileFormat {
 public:
  FixedFormat(const Sizes& sizes, const detail::ReadFileOptions& options)
      : sizes_(sizes), options_(options) {
    require(sizes.record >= 1, "record_bytes of 1 or more", sizes.record);
    require(sizes.header >= 0, "header_bytes of 0 or more", sizes.header);
    require(sizes.footer >= 0, "footer_bytes of 0 or more", sizes.footer);
  }

  std::string name() const override { return kName; }
  std::string parameters() const override {
    return internal::concatenate_text("record_bytes ", sizes_.record,
                                      ", header_bytes ", sizes_.header,
                                      ", footer_bytes ", sizes_.footer);
  }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::string, Shape::scalar()});
  }
  std::unique_ptr<detail::FileCursor> open(
      std::unique_ptr<io::RandomAccessFile> file) const override {
    return std::make_unique<FixedCursor>(std::move(file), sizes_, options_);
  }

 private:
  static void require(bool right, const char* rule, int64_t got) {
    if (right) return;
    internal::Message(kName).expected(rule).got(got).raise<ValueError>();
  }

  const Sizes sizes_;
  const detail::ReadFileOptions options_;
};

}  // namespace

FixedLengthRecordDataset::FixedLengthRecordDataset(
    const FileNames& filenames, int64_t record_bytes,
    const FixedLengthRecordDatasetOptions& options)
    : Dataset(detail::read_files(
          filenames,
          std::make_shared<FixedFormat>(
              Sizes{record_bytes, options.header_bytes, options.footer_bytes},
              detail::check_file_options(kName, options.compression_type,
                                         options.buffer_size)),
          options.num_parallel_reads, options.name)) {}

}  // namespace systolic::data
