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

// The values of a column, shared where they need not be copied. Throws
// DataError for a value that is missing; `row` is the first one's number.
io::detail::TableColumn convert_column(
    const std::shared_ptr<arrow::Array>& column, const std::string& name,
    int64_t row, const std::string& path);

}  // namespace systolic::arrow_module
