// Arrow's arrays as ours.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>

#include <memory>
#include <string>

#include "systolic/io/arrow_module.h"

namespace systolic::arrow_module {

// What a field of a table is here. Throws DataError, which names the column,
// for a type that has no dtype.
io::detail::TableReader::Column column_of(const arrow::Field& field,
                                          const std::string& path);

// Which column it is, for errors.
struct ColumnPlace {
  const std::string& name;
  const std::string& path;
  int64_t row = 0;  // the number of the first row
};

// The values of a column, shared where they need not be copied. Throws
// DataError for a value that is missing, unless that is allowed; in lists none
// may be.
io::detail::TableColumn convert_column(
    const std::shared_ptr<arrow::Array>& column, const ColumnPlace& place,
    bool may_lack);

}  // namespace systolic::arrow_module
