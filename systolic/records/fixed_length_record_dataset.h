// Files made of records of one size.
//   data::FixedLengthRecordDataset("images.bin", 784, {.header_bytes = 16})
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/data/dataset.h"
#include "systolic/records/file_names.h"

namespace systolic::data {

// Options of FixedLengthRecordDataset; see TFRecordDatasetOptions.
struct FixedLengthRecordDatasetOptions {
  // Bytes at each file's start and end that are passed over.
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t buffer_size = int64_t{256} << 10;
  std::string compression_type = {};
  std::optional<int64_t> num_parallel_reads = {};
  std::string name = {};
};

// Elements: string scalars of `record_bytes` bytes. Reading throws DataError
// for a file that is not made of whole records.
class FixedLengthRecordDataset final : public Dataset {
 public:
  // Throws ValueError for options that make no sense.
  FixedLengthRecordDataset(const FileNames& filenames, int64_t record_bytes,
                           const FixedLengthRecordDatasetOptions& options = {});
};

}  // namespace systolic::data
