#include "systolic/records/example_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/records/example_parser.h"
#include "systolic/records/feature_values.h"

namespace systolic::data {
namespace {

using detail::FeatureValues;
using detail::ValueKind;

constexpr internal::WireMessage kWhat{"example_text",
                                      "a serialized tf.train.Example"};

DType dtype_of_kind(ValueKind kind) {
  if (kind == ValueKind::ints) return DType::int64;
  return kind == ValueKind::floats ? DType::float32 : DType::string;
}

// What bytes begin like; empty where nobody knows.
std::string_view format_of(std::string_view bytes) {
  constexpr std::pair<std::string_view, std::string_view> kBegins[] = {
      {"\xff\xd8\xff", "JPEG"}, {"\x89PNG", "PNG"},
      {"GIF8", "GIF"},          {"BM", "BMP"},
      {"RIFF", "RIFF"},         {"\x1f\x8b", "GZIP"},
  };
  for (const auto& [begin, format] : kBegins) {
    if (bytes.starts_with(begin)) return format;
  }
  return {};
}

std::string bytes_text(const std::string& bytes) {
  constexpr size_t kShort = 60;
  const bool is_text =
      bytes.size() <= kShort &&
      std::all_of(bytes.begin(), bytes.end(),
                  [](unsigned char c) { return c >= ' ' && c < 0x7f; });
  if (is_text) return "\"" + bytes + "\"";
  const std::string_view format = format_of(bytes);
  return format.empty() ? fmt::format("{} bytes", bytes.size())
                        : fmt::format("{} bytes ({})", bytes.size(), format);
}

std::string values_text(const FeatureValues& values, int64_t most) {
  if (values.kind == ValueKind::none) return "nothing";
  detail::ValueColumn column(dtype_of_kind(values.kind));
  const int64_t count = column.append(values, kWhat);
  const Array all = column.take({count});
  const int64_t shown = std::min(count, most);
  std::string text;
  for (int64_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += values.kind == ValueKind::bytes
                ? bytes_text(all.span<std::string>()[static_cast<size_t>(i)])
                : all[i].to_string();
  }
  if (shown < count) text += fmt::format(", ... {} in all", count);
  if (values.kind == ValueKind::bytes) {
    return count == 1 ? text : "[" + text + "]";
  }
  return std::string(name(values.kind)) + " [" + text + "]";
}

int64_t bytes_of(const FeatureValues& values) {
  detail::ValueColumn column(DType::string);
  const int64_t count = column.append(values, kWhat);
  const Array all = column.take({count});
  int64_t bytes = 0;
  for (const std::string& value : all.span<std::string>()) {
    bytes += static_cast<int64_t>(value.size());
  }
  return bytes;
}

std::string range_text(int64_t fewest, int64_t most, const char* what) {
  if (fewest == most) {
    return fmt::format("{} {}{}", most, what, most == 1 ? "" : "s");
  }
  return fmt::format("{} to {} {}s", fewest, most, what);
}

// "int64, 1 to 2 values, 11 bytes on average".
template <class Column>
std::string column_text(const Column& column) {
  std::string text =
      fmt::format("{}, {}", column.mixed ? "of several kinds" : column.kind,
                  range_text(column.fewest, column.most, "value"));
  if (column.bytes > 0) {
    text +=
        fmt::format(", {} bytes on average", column.bytes / column.examples);
  }
  return text;
}

}  // namespace

std::string example_text(std::string_view serialized, int64_t most) {
  std::string text;
  for (const auto& [key, values] : detail::all_features(serialized, kWhat)) {
    text += key + ": " + values_text(values, most) + "\n";
  }
  for (const auto& [key, steps] :
       detail::all_feature_lists(serialized, kWhat)) {
    const auto count = static_cast<int64_t>(steps.size());
    text += fmt::format("feature list {}: {}\n", key,
                        range_text(count, count, "step"));
    for (int64_t i = 0; i < std::min(count, most); ++i) {
      text += "  " + values_text(steps[static_cast<size_t>(i)], most) + "\n";
    }
    if (count > most) text += "  ...\n";
  }
  return text;
}

void ExampleSchema::add_values(const FeatureValues& values, Column* column) {
  const int64_t count = values.count(kWhat);
  const std::string kind(name(values.kind));
  if (column->examples == 0) {
    column->kind = kind;
    column->fewest = count;
  }
  column->mixed = column->mixed || column->kind != kind;
  column->fewest = std::min(column->fewest, count);
  column->most = std::max(column->most, count);
  if (values.kind == ValueKind::bytes) column->bytes += bytes_of(values);
  ++column->examples;
}

void ExampleSchema::add(std::string_view serialized) {
  // All of it is read before any of it counts.
  const auto features = detail::all_features(serialized, kWhat);
  const auto lists = detail::all_feature_lists(serialized, kWhat);
  for (const auto& [key, values] : features) add_values(values, &columns_[key]);
  for (const auto& [key, steps] : lists) {
    const auto count = static_cast<int64_t>(steps.size());
    ListColumn& list = lists_[key];
    list.fewest = list.examples == 0 ? count : std::min(list.fewest, count);
    list.most = std::max(list.most, count);
    for (const FeatureValues& step : steps) add_values(step, &list.steps);
    ++list.examples;
  }
  ++examples_;
}

std::string ExampleSchema::to_string() const {
  const auto missing = [this](int64_t examples) {
    return examples == examples_
               ? "\n"
               : fmt::format(", missing in {}\n", examples_ - examples);
  };
  std::string text;
  for (const auto& [key, column] : columns_) {
    text += key + ": " + column_text(column) + missing(column.examples);
  }
  for (const auto& [key, list] : lists_) {
    text += fmt::format("feature list {}: {}", key,
                        range_text(list.fewest, list.most, "step"));
    if (list.most > 0) text += ", a step: " + column_text(list.steps);
    text += missing(list.examples);
  }
  return text;
}

}  // namespace systolic::data
