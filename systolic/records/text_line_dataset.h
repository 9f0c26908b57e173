// The lines of text files.
//   data::TextLineDataset("poem.txt").skip(1)
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "systolic/data/dataset.h"
#include "systolic/records/file_names.h"

namespace systolic::data {

// Options of TextLineDataset; see TFRecordDatasetOptions.
struct TextLineDatasetOptions {
  std::string compression_type = {};
  int64_t buffer_size = int64_t{256} << 10;
  std::optional<int64_t> num_parallel_reads = {};
  std::string name = {};
};

// Elements: string scalars, a line each without what ends it. As in tf.data,
// carriage returns are left out wherever they stand.
class TextLineDataset final : public Dataset {
 public:
  // Throws ValueError for options that make no sense.
  explicit TextLineDataset(const FileNames& filenames,
                           const TextLineDatasetOptions& options = {});
  explicit TextLineDataset(std::initializer_list<std::string> filenames,
                           const TextLineDatasetOptions& options = {})
      : TextLineDataset(FileNames(filenames), options) {}
};

}  // namespace systolic::data
