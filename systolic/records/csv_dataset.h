// The rows of CSV files (RFC 4180), each field converted to its column's type.
//   data::CsvDataset("flowers.csv", {DType::float32, 0, "unknown"},
//                    {.header = true});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/records/file_names.h"

namespace systolic::data {

// A column of a CSV file: a dtype, where every row needs a value, or the value
// of rows that have none. float32, float64, int32, int64 and string.
class CsvColumn {
 public:
  CsvColumn(DType dtype) : dtype_(dtype) {}  // NOLINT: as record_defaults are.
  CsvColumn(Array default_value)             // NOLINT
      : dtype_(default_value.dtype()),
        default_value_(std::move(default_value)) {}
  CsvColumn(const char* default_value)  // NOLINT
      : CsvColumn(Array::scalar(default_value)) {}
  CsvColumn(const std::string& default_value)  // NOLINT
      : CsvColumn(Array::scalar(default_value)) {}
  CsvColumn(int32_t default_value)  // NOLINT
      : CsvColumn(Array::scalar(default_value)) {}
  CsvColumn(int64_t default_value)  // NOLINT
      : CsvColumn(Array::scalar(default_value)) {}
  CsvColumn(float default_value)  // NOLINT
      : CsvColumn(Array::scalar(default_value)) {}
  CsvColumn(double default_value)  // NOLINT
      : CsvColumn(Array::scalar(default_value)) {}

  DType dtype() const { return dtype_; }
  // A scalar; not set where every row needs a value.
  const Array& default_value() const { return default_value_; }

 private:
  DType dtype_;
  Array default_value_;
};

// Options of CsvDataset; see TFRecordDatasetOptions for the first two.
struct CsvDatasetOptions {
  std::string compression_type = {};
  int64_t buffer_size = int64_t{256} << 10;
  // Whether each file's first row is passed over.
  bool header = false;
  char field_delim = ',';
  // Whether quotes surround fields (which may then hold delimiters, line ends
  // and doubled quotes) or are characters as others.
  bool use_quote_delim = true;
  // A field with this text counts as one without a value, as an empty one.
  std::string na_value = {};
  // The columns to read, counted from 0 and rising, one for each of the
  // record_defaults; unset: all. Or those to leave out.
  std::optional<std::vector<int64_t>> select_cols = {};
  std::optional<std::vector<int64_t>> exclude_cols = {};
  // As TFRecordDatasetOptions has it.
  std::string name = {};
};

// A row that cannot be read; the next one can.
class CsvError : public DataError {
 public:
  using DataError::DataError;
};

// Elements: tuples of scalars, one for each of `record_defaults`. Reading
// throws CsvError for a row that cannot be read, which names the file, the
// line and the column, and goes on behind it.
class CsvDataset final : public Dataset {
 public:
  // Throws ValueError for options that make no sense, TypeError for a column
  // of another dtype.
  CsvDataset(const FileNames& filenames,
             const std::vector<CsvColumn>& record_defaults,
             const CsvDatasetOptions& options = {});
};

}  // namespace systolic::data
