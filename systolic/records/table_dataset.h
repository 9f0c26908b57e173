// The rows of Parquet files and of Arrow's own (IPC, Feather), local or remote.
//   data::ParquetDataset(io::glob("gs://bucket/*.parquet"),
//                        {.columns = {"image", "label"}})
//       .map([](const Element& row) { return decode(row["image"]); })
// Needs Apache Arrow: scripts/install-arrow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/data/dataset.h"
#include "systolic/records/file_names.h"

namespace systolic::data {

// The value of a column's rows that have none.
class TableDefault {
 public:
  // A scalar, or the values of a list.
  TableDefault(Array value) : value_(std::move(value)) {}  // NOLINT
  TableDefault(const char* value)                          // NOLINT
      : value_(Array::scalar(value)) {}
  TableDefault(const std::string& value)  // NOLINT
      : value_(Array::scalar(value)) {}
  template <class T>
  requires std::is_arithmetic_v<T> TableDefault(
      T value)  // NOLINT: as CsvColumn.
      : value_(Array::scalar(value)) {}

  const Array& value() const { return value_; }

 private:
  Array value_;
};

// Options of ParquetDataset and ArrowFileDataset.
struct TableDatasetOptions {
  // The columns that are read; empty: all.
  std::vector<std::string> columns = {};
  // The values of rows that have none, by columns: {{"price", 0.f}}. A list is
  // that of a column of lists. Numbers of another dtype are converted, where
  // the column's has them.
  std::map<std::string, TableDefault> column_defaults = {};
  // The rows that are decoded at once.
  int64_t batch_rows = 1024;
  // See TFRecordDatasetOptions.
  std::optional<int64_t> num_parallel_reads = {};
  std::string name = {};
};

// Elements: dicts of the columns' values: scalars, or Arrays with one axis for
// columns of lists. Times are the integers that the file holds. Reading throws:
// DataError for a value that is missing and has no default, which names the
// file, column and row; ValueError for a default that the column cannot hold,
// NotFoundError for one of a column that is not read.
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
