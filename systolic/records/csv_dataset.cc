#include "systolic/records/csv_dataset.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/records/byte_reader.h"
#include "systolic/records/csv_parser.h"
#include "systolic/records/files_dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "CsvDataset";

// The text without blanks around it, and without the plus that from_chars does
// not take.
std::string_view number_text(std::string_view text) {
  const auto blank = [](char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  return text;
}

// Whether the decimal `text`, which no T is near enough to, is too large, not
// too small: by the place of its first digit and its exponent.
bool is_too_large(std::string_view text) {
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const size_t first = digits.find_first_of("123456789");
  const size_t point = std::min(digits.find('.'), digits.size());
  const int64_t place =
      static_cast<int64_t>(point) - static_cast<int64_t>(first);
  std::string_view power = text.substr(std::min(e + 1, text.size()));
  const bool is_negative = power.starts_with('-');
  if (is_negative || power.starts_with('+')) power.remove_prefix(1);
  int64_t exponent = 0;
  constexpr int64_t kMost = int64_t{1} << 40;  // no text is as long
  for (const char digit : power) {
    exponent = std::min(kMost, exponent * 10 + (digit - '0'));
  }
  return place + (is_negative ? -exponent : exponent) > 0;
}

// A float as TensorFlow reads it: hexadecimal numbers too, and infinity or
// zero for what is out of range.
template <class T>
Array float_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  // Neither a second sign nor, after 0x, "inf".
  constexpr std::string_view kHexStart = ".0123456789abcdefABCDEF";
  if (text.empty() || text[0] == '-' ||
      (is_hex && kHexStart.find(text[0]) == kHexStart.npos)) {
    return Array();
  }
  T value{};
  const auto [end, error] = std::from_chars(
      text.data(), text.data() + text.size(), value,
      is_hex ? std::chars_format::hex : std::chars_format::general);
  if (end != text.data() + text.size()) return Array();
  if (error == std::errc::result_out_of_range) {
    value = is_hex || is_too_large(text) ? std::numeric_limits<T>::infinity()
                                         : T(0);
  } else if (error != std::errc()) {
    return Array();
  }
  return Array::scalar(is_negative ? -value : value);
}

// The number that a field's text is; an unset Array where it is none of T's.
template <class T>
Array number(std::string_view field) {
  const std::string_view text = number_text(field);
  if constexpr (std::is_floating_point_v<T>) return float_number<T>(text);
  T value{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return Array();
  return Array::scalar(value);
}

Array value_of(DType dtype, const std::string& field) {
  switch (dtype) {
    case DType::int32:
      return number<int32_t>(field);
    case DType::int64:
      return number<int64_t>(field);
    case DType::float32:
      return number<float>(field);
    case DType::float64:
      return number<double>(field);
    default:
      return Array::scalar(field);
  }
}

// What rows are made of; shared by the cursors.
struct CsvPlan {
  std::vector<CsvColumn> columns;
  // The field of each column; empty: all fields, in order.
  std::vector<int64_t> fields;
  // Fields that are not read; only where `fields` is empty.
  std::vector<int64_t> excluded;
  detail::CsvSyntax syntax;
  bool header = false;
  std::string na_value;
  detail::ReadFileOptions file;
};

class CsvCursor final : public detail::FileCursor {
 public:
  CsvCursor(std::unique_ptr<io::RandomAccessFile> file, const CsvPlan& plan)
      : plan_(plan),
        reader_(kName, std::move(file), plan.file),
        parser_(reader_, plan.syntax) {
    if (plan.header) parser_.read(&row_);
  }

  bool next(Element* out) override {
    start_ = reader_.offset();
    if (!parser_.read(&row_)) return false;
    if (!row_.problem.empty())
      fail("rows of fields as in RFC 4180", row_.problem);
    std::vector<Element> values;
    values.reserve(plan_.columns.size());
    if (plan_.fields.empty()) {
      read_all(&values);
    } else {
      read_selected(&values);
    }
    *out = Element::tuple(std::move(values));
    return true;
  }
  void save(StateWriter& state) const override {
    state.write_int(reader_.offset());
    state.write_int(parser_.line());
  }
  void restore(StateReader& state) override {
    reader_.seek(state.read_int());
    parser_.set_line(state.read_int());
  }

 private:
  void read_all(std::vector<Element>* values) {
    const size_t kept = row_.count - count_excluded();
    if (kept != plan_.columns.size()) {
      fail(internal::concatenate_text(plan_.columns.size(), " fields"),
           internal::concatenate_text(kept));
    }
    for (size_t field = 0; field < row_.count; ++field) {
      if (!is_excluded(field)) read_field(field, values);
    }
  }
  void read_selected(std::vector<Element>* values) {
    for (const int64_t field : plan_.fields) {
      if (static_cast<size_t>(field) >= row_.count) {
        fail(internal::concatenate_text("a field ", field, " (counted from 0)"),
             internal::concatenate_text(row_.count, " fields"));
      }
      read_field(static_cast<size_t>(field), values);
    }
  }
  bool is_excluded(size_t field) const {
    return std::find(plan_.excluded.begin(), plan_.excluded.end(),
                     static_cast<int64_t>(field)) != plan_.excluded.end();
  }
  size_t count_excluded() const {
    return static_cast<size_t>(std::count_if(
        plan_.excluded.begin(), plan_.excluded.end(), [this](int64_t field) {
          return static_cast<size_t>(field) < row_.count;
        }));
  }

  // Adds the value of the next column.
  void read_field(size_t field, std::vector<Element>* values) {
    const CsvColumn& column = plan_.columns[values->size()];
    const std::string& text = row_.fields[field];
    if (text.empty() || text == plan_.na_value) {
      if (!column.default_value().is_set()) {
        fail(internal::concatenate_text("a value in field ", field),
             "none, and its column has no default");
      }
      values->emplace_back(column.default_value());
      return;
    }
    Array value = value_of(column.dtype(), text);
    if (!value.is_set()) {
      fail(internal::concatenate_text("field ", field, " to be of ",
                                      column.dtype()),
           internal::concatenate_text("\"", text, "\""));
    }
    values->emplace_back(std::move(value));
  }

  [[noreturn]] void fail(const std::string& expected,
                         const std::string& got) const {
    internal::Message(kName)
        .expected(expected)
        .got(got)
        .detail("file", reader_.path())
        .detail("line", row_.line, " (counted from 1), at byte ", start_)
        .raise<CsvError>();
  }

  const CsvPlan& plan_;
  detail::ByteReader reader_;
  detail::CsvParser parser_;
  detail::CsvRow row_;
  int64_t start_ = 0;
};

class CsvFormat final : public detail::FileFormat {
 public:
  explicit CsvFormat(CsvPlan plan) : plan_(std::move(plan)) {}

  std::string name() const override { return kName; }
  std::string parameters() const override { return element_spec().to_string(); }
  ElementSpec element_spec() const override {
    std::vector<ElementSpec> items;
    for (const CsvColumn& column : plan_.columns) {
      items.emplace_back(TensorSpec{column.dtype(), Shape::scalar()});
    }
    return ElementSpec::tuple(std::move(items));
  }
  std::unique_ptr<detail::FileCursor> open(
      std::unique_ptr<io::RandomAccessFile> file) const override {
    return std::make_unique<CsvCursor>(std::move(file), plan_);
  }

 private:
  const CsvPlan plan_;
};

void check_columns(const std::vector<CsvColumn>& columns) {
  if (columns.empty()) {
    internal::Message(kName)
        .expected("a dtype or default for each column")
        .got("none")
        .raise<ValueError>();
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    const DType dtype = columns[i].dtype();
    const bool known = dtype == DType::int32 || dtype == DType::int64 ||
                       dtype == DType::float32 || dtype == DType::float64 ||
                       dtype == DType::string;
    if (!known) {
      internal::Message(kName)
          .expected("columns of int32, int64, float32, float64 or string")
          .got(dtype, " for column ", i)
          .raise<TypeError>();
    }
    const Array& value = columns[i].default_value();
    if (value.is_set() && value.rank() != 0) {
      internal::Message(kName)
          .expected("a scalar as the default of column ", i)
          .got(value.spec())
          .raise<ShapeError>();
    }
  }
}

void check_rising(const std::vector<int64_t>& columns, const char* option) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0 || (i > 0 && columns[i] <= columns[i - 1])) {
      internal::Message(kName)
          .expected(option, " of 0 or more that rise")
          .got(columns[i],
               i > 0 ? internal::concatenate_text(" behind ", columns[i - 1])
                     : "")
          .raise<ValueError>();
    }
  }
}

std::shared_ptr<const detail::FileFormat> make_format(
    const std::vector<CsvColumn>& columns, const CsvDatasetOptions& options) {
  check_columns(columns);
  CsvPlan plan{
      .columns = columns,
      .fields = options.select_cols.value_or(std::vector<int64_t>()),
      .excluded = options.exclude_cols.value_or(std::vector<int64_t>()),
      .syntax = {options.field_delim, options.use_quote_delim},
      .header = options.header,
      .na_value = options.na_value,
      .file = detail::check_file_options(kName, options.compression_type,
                                         options.buffer_size)};
  if (options.select_cols && options.exclude_cols) {
    internal::Message(kName)
        .expected("select_cols or exclude_cols")
        .got("both")
        .raise<ValueError>();
  }
  check_rising(plan.fields, "select_cols");
  check_rising(plan.excluded, "exclude_cols");
  if (options.select_cols && plan.fields.size() != columns.size()) {
    internal::Message(kName)
        .expected("as many select_cols as record_defaults")
        .got(plan.fields.size(), " and ", columns.size())
        .raise<ValueError>();
  }
  return std::make_shared<CsvFormat>(std::move(plan));
}

}  // namespace

CsvDataset::CsvDataset(const FileNames& filenames,
                       const std::vector<CsvColumn>& record_defaults,
                       const CsvDatasetOptions& options)
    : Dataset(detail::read_files(filenames,
                                 make_format(record_defaults, options),
                                 std::nullopt, options.name)) {}

}  // namespace systolic::data
