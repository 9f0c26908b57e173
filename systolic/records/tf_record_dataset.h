// The records of TFRecord files.
//   data::TFRecordDataset(io::glob("gs://bucket/*.tfrec"),
//                         {.num_parallel_reads = data::AUTOTUNE})
//       .map([](std::string_view record) { ... });
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "systolic/data/dataset.h"
#include "systolic/records/file_names.h"

namespace systolic::data {

// Options of TFRecordDataset.
struct TFRecordDatasetOptions {
  // "", "GZIP" or "ZLIB"; "AUTO" looks at each file's first bytes.
  std::string compression_type = {};
  // The bytes of a file that are read at once.
  int64_t buffer_size = int64_t{256} << 10;
  // Unset: one file after the other. Else so many at a time, a record of each
  // in turn; data::AUTOTUNE chooses.
  std::optional<int64_t> num_parallel_reads = {};
  // What reports and states call it beside its kind.
  std::string name = {};
};

// Elements: string scalars, the bytes of one record each. Reading throws
// NotFoundError for a file that is not there and RecordError for a damaged
// record, which names the file, the record and the byte. Reading on gives the
// record behind it or, where the length was damaged, the next file.
class TFRecordDataset final : public Dataset {
 public:
  // Throws ValueError for options that make no sense.
  explicit TFRecordDataset(const FileNames& filenames,
                           const TFRecordDatasetOptions& options = {});
  explicit TFRecordDataset(std::initializer_list<std::string> filenames,
                           const TFRecordDatasetOptions& options = {})
      : TFRecordDataset(FileNames(filenames), options) {}
};

}  // namespace systolic::data
