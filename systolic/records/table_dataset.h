// The rows of Parquet files and of Arrow's own (IPC, Feather), local or remote.
//   data::ParquetDataset(io::glob("gs://bucket/*.parquet"),
//                        {.columns = {"image", "label"}})
//       .map([](const Element& row) { return decode(row["image"]); })
// Needs Apache Arrow: scripts/install-arrow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/records/file_names.h"

namespace systolic::data {

// Options of ParquetDataset and ArrowFileDataset.
struct TableDatasetOptions {
  // The columns that are read; empty: all.
  std::vector<std::string> columns = {};
  // The rows that are decoded at once.
  int64_t batch_rows = 1024;
  // See TFRecordDatasetOptions.
  std::optional<int64_t> num_parallel_reads = {};
};

// Elements: dicts of the columns' values: scalars, or Arrays with one axis for
// columns of lists. Times are the integers that the file holds. Reading throws
// DataError for a value that is missing, which names the file, column and row.
class ParquetDataset final : public Dataset {
 public:
  // Throws ValueError for options that make no sense.
  explicit ParquetDataset(const FileNames& filenames,
                          const TableDatasetOptions& options = {});
};

// The same of Arrow IPC files, which Feather files (version 2) are.
class ArrowFileDataset final : public Dataset {
 public:
  // Throws ValueError for options that make no sense.
  explicit ArrowFileDataset(const FileNames& filenames,
                            const TableDatasetOptions& options = {});
};

}  // namespace systolic::data
