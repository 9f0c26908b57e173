// Tested by: systolic/records/table_dataset_test.cc
#include "systolic/arrow/columns.h"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "systolic/base/message.h"

namespace systolic::arrow_module {
namespace {

using io::detail::TableColumn;
using Type = arrow::Type;

// The dtype of one value; empty for types without one.
std::optional<DType> dtype_of(Type::type type) {
  switch (type) {
    case Type::BOOL:
      return DType::boolean;
    case Type::INT8:
      return DType::int8;
    case Type::INT16:
      return DType::int16;
    case Type::INT32:
    case Type::DATE32:
    case Type::TIME32:
      return DType::int32;
    case Type::INT64:
    case Type::DATE64:
    case Type::TIME64:
    case Type::TIMESTAMP:
    case Type::DURATION:
      return DType::int64;
    case Type::UINT8:
      return DType::uint8;
    case Type::UINT16:
      return DType::uint16;
    case Type::UINT32:
      return DType::uint32;
    case Type::UINT64:
      return DType::uint64;
    case Type::HALF_FLOAT:
      return DType::float16;
    case Type::FLOAT:
      return DType::float32;
    case Type::DOUBLE:
      return DType::float64;
    case Type::STRING:
    case Type::BINARY:
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return DType::string;
    default:
      return {};
  }
}

// Of a column that keeps each value once, such as pandas' categories, that of
// the values.
const arrow::DataType& type_of_values(const arrow::DataType& type) {
  if (type.id() != Type::DICTIONARY) return type;
  return *static_cast<const arrow::DictionaryType&>(type).value_type();
}

bool holds_lists(Type::type type) {
  return type == Type::LIST || type == Type::LARGE_LIST ||
         type == Type::FIXED_SIZE_LIST;
}

// The strings of an array of texts or bytes.
template <class Strings>
Array strings_of(const arrow::Array& values) {
  const auto& typed = static_cast<const Strings&>(values);
  std::vector<std::string> strings;
  strings.reserve(static_cast<size_t>(values.length()));
  for (int64_t i = 0; i < values.length(); ++i) {
    strings.emplace_back(typed.GetView(i));
  }
  return Array::from_strings(std::move(strings));
}

Array convert_values(const std::shared_ptr<arrow::Array>& values);

bool is_missing(const arrow::Array& values, int64_t i) {
  if (values.IsNull(i)) return true;
  if (values.type_id() != Type::DICTIONARY) return false;
  // The value may be missing, not only which it is.
  const auto& rows = static_cast<const arrow::DictionaryArray&>(values);
  return rows.dictionary()->IsNull(rows.GetValueIndex(i));
}

// The value of each row; any where one is missing.
Array convert_dictionary(const arrow::DictionaryArray& rows) {
  const Array values = convert_values(rows.dictionary());
  const auto count = static_cast<size_t>(rows.length());
  const auto place = [&rows](size_t row) {
    return static_cast<size_t>(rows.GetValueIndex(static_cast<int64_t>(row)));
  };
  const auto missing = [&rows](size_t row) {
    return is_missing(rows, static_cast<int64_t>(row));
  };
  if (values.dtype() == DType::string) {
    const auto texts = values.span<std::string>();
    std::vector<std::string> strings(count);
    for (size_t i = 0; i < count; ++i) {
      if (!missing(i)) strings[i] = texts[place(i)];
    }
    return Array::from_strings(std::move(strings));
  }
  Array out = Array::zeros(Shape({rows.length()}), values.dtype());
  const size_t width = size_of(values.dtype());
  for (size_t i = 0; i < count; ++i) {
    if (missing(i)) continue;
    std::memcpy(out.mutable_data() + i * width,
                values.data() + place(i) * width, width);
  }
  return out;
}

Array convert_values(const std::shared_ptr<arrow::Array>& values) {
  if (values->type_id() == Type::DICTIONARY) {
    return convert_dictionary(
        static_cast<const arrow::DictionaryArray&>(*values));
  }
  const TensorSpec spec{*dtype_of(values->type_id()),
                        Shape({values->length()})};
  switch (values->type_id()) {
    case Type::STRING:
    case Type::BINARY:
      return strings_of<arrow::BinaryArray>(*values);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return strings_of<arrow::LargeBinaryArray>(*values);
    case Type::BOOL: {
      const auto& bits = static_cast<const arrow::BooleanArray&>(*values);
      std::vector<bool> bools(static_cast<size_t>(values->length()));
      for (size_t i = 0; i < bools.size(); ++i) {
        bools[i] = bits.Value(static_cast<int64_t>(i));
      }
      return Array::from(bools);
    }
    default: {
      if (values->length() == 0) return Array::uninitialized(spec);
      const auto width = static_cast<int64_t>(spec.nbytes()) / values->length();
      const uint8_t* data = values->data()->buffers[1]->data();
      return Array::share(spec, data + values->offset() * width, values);
    }
  }
}

[[noreturn]] void raise_missing(const ColumnPlace& place, int64_t row,
                                bool in_list) {
  internal::Message("read_table")
      .expected(in_list ? "no missing value in a list" : "a value in each row")
      .got(in_list ? "one" : "none", " in column \"", place.name, '"')
      .detail("file", place.path)
      .detail("row", place.row + row)
      .hint(in_list ? "leave the column out with `columns`, or fill it before"
                    : "give it one with `column_defaults`, or leave the column "
                      "out with `columns`")
      .raise<DataError>();
}

// A list's values and where each row's begin.
template <class List>
TableColumn convert_list(const List& list, const ColumnPlace& place) {
  TableColumn column;
  const int64_t first = list.value_offset(0);
  for (int64_t i = 0; i <= list.length(); ++i) {
    column.splits.push_back(list.value_offset(i) - first);
  }
  const auto values = list.values()->Slice(first, column.splits.back());
  if (values->ComputeLogicalNullCount() > 0) {
    for (int64_t i = 0; i < list.length(); ++i) {
      if (list.IsNull(i)) continue;  // what it holds does not count
      for (int64_t k = list.value_offset(i); k < list.value_offset(i + 1);
           ++k) {
        if (is_missing(*list.values(), k)) raise_missing(place, i, true);
      }
    }
  }
  column.values = convert_values(values);
  return column;
}

TableColumn convert_all(const std::shared_ptr<arrow::Array>& column,
                        const ColumnPlace& place) {
  switch (column->type_id()) {
    case Type::LIST:
      return convert_list(static_cast<const arrow::ListArray&>(*column), place);
    case Type::LARGE_LIST:
      return convert_list(static_cast<const arrow::LargeListArray&>(*column),
                          place);
    case Type::FIXED_SIZE_LIST:
      return convert_list(
          static_cast<const arrow::FixedSizeListArray&>(*column), place);
    default:
      return {convert_values(column), {}};
  }
}

}  // namespace

io::detail::TableReader::Column column_of(const arrow::Field& field,
                                          const std::string& path) {
  const arrow::DataType& type = *field.type();
  const bool list = holds_lists(type.id());
  const auto dtype =
      dtype_of(type_of_values(list ? *type.field(0)->type() : type).id());
  if (!dtype) {
    internal::Message("read_table")
        .expected("columns of numbers, texts, or lists of them")
        .got("column \"", field.name(), "\" of ", type.ToString())
        .detail("file", path)
        .hint("choose others with `columns`")
        .raise<DataError>();
  }
  return {field.name(), *dtype, list};
}

TableColumn convert_column(const std::shared_ptr<arrow::Array>& column,
                           const ColumnPlace& place, bool may_lack) {
  std::vector<bool> missing;
  if (column->ComputeLogicalNullCount() > 0) {
    for (int64_t i = 0; i < column->length(); ++i) {
      missing.push_back(is_missing(*column, i));
      if (missing.back() && !may_lack) raise_missing(place, i, false);
    }
  }
  TableColumn converted = convert_all(column, place);
  converted.missing = std::move(missing);
  return converted;
}

}  // namespace systolic::arrow_module
