#include "systolic/testing/golden.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "systolic/array/cast.h"
#include "systolic/array/complex.h"
#include "systolic/base/message.h"

namespace systolic::golden {
namespace {

using internal::Message;
using Json = nlohmann::ordered_json;

// The names of a map's or of arrays' entries, for a message.
template <class Entries>
std::string names_of(const Entries& entries) {
  std::string out;
  for (const auto& [name, value] : entries) {
    out += (out.empty() ? "" : ", ") + name;
  }
  return out.empty() ? "nothing" : out;
}

Value to_value(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return {};
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return json.get<int64_t>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::array: {
      Value::List list;
      for (const Json& item : json) list.push_back(to_value(item));
      return list;
    }
    case Json::value_t::object: {
      Value::Map map;
      for (const auto& [key, item] : json.items()) {
        map.emplace_back(key, to_value(item));
      }
      return map;
    }
    default:
      return json.get<std::string>();
  }
}

double to_double(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw DataError("golden: expected a number, got \"" + text + "\"");
}

template <class T>
Array numbers(const Json& data, const Shape& shape) {
  std::vector<T> values;
  values.reserve(data.size());
  for (const Json& item : data) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> ||
                  std::is_integral_v<T>) {
      values.push_back(item.get<T>());
    } else if constexpr (std::is_same_v<T, double>) {
      values.push_back(to_double(item));
    } else {
      values.push_back(T(static_cast<float>(to_double(item))));
    }
  }
  return Array::from(values, shape);
}

// The parts stand in lists of their own.
Array complex_numbers(const Json& data, const Shape& shape) {
  return complex(numbers<double>(data.at("real"), shape),
                 numbers<double>(data.at("imag"), shape));
}

Array to_array(const Json& json) {
  Shape shape(
      std::span<const int64_t>(json.at("shape").get<std::vector<int64_t>>()));
  if (json.at("shape").empty()) shape = Shape::scalar();
  const Json& data = json.at("data");
  switch (dtype_from_name(json.at("dtype").get<std::string>())) {
    case DType::boolean:
      return numbers<bool>(data, shape);
    case DType::int8:
      return numbers<int8_t>(data, shape);
    case DType::int16:
      return numbers<int16_t>(data, shape);
    case DType::int32:
      return numbers<int32_t>(data, shape);
    case DType::int64:
      return numbers<int64_t>(data, shape);
    case DType::uint8:
      return numbers<uint8_t>(data, shape);
    case DType::uint16:
      return numbers<uint16_t>(data, shape);
    case DType::uint32:
      return numbers<uint32_t>(data, shape);
    case DType::uint64:
      return numbers<uint64_t>(data, shape);
    case DType::float8_e4m3fn:
      return numbers<float8_e4m3fn>(data, shape);
    case DType::float8_e5m2:
      return numbers<float8_e5m2>(data, shape);
    case DType::float16:
      return numbers<float16>(data, shape);
    case DType::bfloat16:
      return numbers<bfloat16>(data, shape);
    case DType::float32:
      return numbers<float>(data, shape);
    case DType::float64:
      return numbers<double>(data, shape);
    case DType::complex64:
      return cast(complex_numbers(data, shape), DType::complex64);
    case DType::complex128:
      return complex_numbers(data, shape);
    case DType::string:
      return numbers<std::string>(data, shape);
  }
  throw InternalError("golden: a dtype without a reader");
}

Value part(const Json& json, const char* key) {
  return json.contains(key) ? to_value(json.at(key)) : Value(Value::Map());
}

Case to_case(const Json& json) {
  Arrays arrays;
  if (json.contains("arrays")) {
    for (const auto& [name, array] : json.at("arrays").items()) {
      arrays.emplace_back(name, to_array(array));
    }
  }
  return Case(json.at("name").get<std::string>(), part(json, "options"),
              part(json, "expected"), part(json, "texts"), std::move(arrays));
}

// The element as a double, whatever its type.
template <class T>
double element(const Array& array, int64_t i) {
  return static_cast<double>(array.span<T>()[static_cast<size_t>(i)]);
}

using Reader = double (*)(const Array&, int64_t);

Reader reader_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return element<bool>;
    case DType::int8:
      return element<int8_t>;
    case DType::int16:
      return element<int16_t>;
    case DType::int32:
      return element<int32_t>;
    case DType::int64:
      return element<int64_t>;
    case DType::uint8:
      return element<uint8_t>;
    case DType::uint16:
      return element<uint16_t>;
    case DType::uint32:
      return element<uint32_t>;
    case DType::uint64:
      return element<uint64_t>;
    case DType::float8_e4m3fn:
      return element<float8_e4m3fn>;
    case DType::float8_e5m2:
      return element<float8_e5m2>;
    case DType::float16:
      return element<float16>;
    case DType::bfloat16:
      return element<bfloat16>;
    case DType::float32:
      return element<float>;
    case DType::float64:
      return element<double>;
    case DType::complex64:
    case DType::complex128:
    case DType::string:
      break;
  }
  throw TypeError("golden: expected numbers to compare, got string");
}

Tolerance resolve(Tolerance tolerance, DType dtype) {
  Tolerance own{0, 0};
  if (dtype == DType::float64) own = {1e-12, 1e-12};
  if (dtype == DType::float32) own = {1e-5, 1e-6};
  if (dtype == DType::float16) own = {2e-3, 2e-3};
  if (dtype == DType::bfloat16) own = {1e-2, 1e-2};
  if (tolerance.relative < 0) tolerance.relative = own.relative;
  if (tolerance.absolute < 0) tolerance.absolute = own.absolute;
  return tolerance;
}

// The position of a row-major offset: "[1, 0]".
std::string position(int64_t offset, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[static_cast<size_t>(axis)] = offset % shape[axis];
    offset /= shape[axis];
  }
  std::string out = "[";
  for (int64_t i : index) {
    out += (out.size() > 1 ? ", " : "") + std::to_string(i);
  }
  return out + "]";
}

std::string exact(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

}  // namespace

bool Value::is_null() const {
  return std::holds_alternative<std::monostate>(data_);
}
bool Value::is_text() const {
  return std::holds_alternative<std::string>(data_);
}
bool Value::is_list() const { return std::holds_alternative<List>(data_); }

void Value::throw_kind(std::string_view wanted) const {
  Message("golden::Value").expected(wanted).got(to_string()).raise<TypeError>();
}

bool Value::boolean() const {
  if (const auto* value = std::get_if<bool>(&data_)) return *value;
  throw_kind("a bool");
}

int64_t Value::integer() const {
  if (const auto* value = std::get_if<int64_t>(&data_)) return *value;
  throw_kind("an integer");
}

double Value::number() const {
  if (const auto* value = std::get_if<double>(&data_)) return *value;
  if (const auto* value = std::get_if<int64_t>(&data_)) {
    return static_cast<double>(*value);
  }
  throw_kind("a number");
}

const std::string& Value::text() const {
  if (const auto* value = std::get_if<std::string>(&data_)) return *value;
  throw_kind("a text");
}

const Value::List& Value::list() const {
  if (const auto* value = std::get_if<List>(&data_)) return *value;
  throw_kind("a list");
}

const Value::Map& Value::map() const {
  if (const auto* value = std::get_if<Map>(&data_)) return *value;
  throw_kind("a map");
}

std::vector<int64_t> Value::integers() const {
  if (std::holds_alternative<int64_t>(data_)) return {integer()};
  std::vector<int64_t> out;
  // Keras writes None for an unknown size; here it is -1, as in a Shape.
  for (const Value& item : list()) {
    out.push_back(item.is_null() ? -1 : item.integer());
  }
  return out;
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> out;
  for (const Value& item : list()) out.push_back(item.text());
  return out;
}

const Value* Value::find(std::string_view key) const {
  const auto* map = std::get_if<Map>(&data_);
  if (map == nullptr) return nullptr;
  for (const auto& [name, value] : *map) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool Value::has(std::string_view key) const { return find(key) != nullptr; }

const Value& Value::at(std::string_view key) const {
  if (const Value* value = find(key)) return *value;
  Message("golden::Value")
      .expected("one of ", names_of(map()))
      .got('"', key, '"')
      .raise<NotFoundError>();
}

bool Value::get(std::string_view key, bool absent) const {
  const Value* value = find(key);
  return value == nullptr ? absent : value->boolean();
}
double Value::get(std::string_view key, double absent) const {
  const Value* value = find(key);
  return value == nullptr ? absent : value->number();
}
int64_t Value::get(std::string_view key, int64_t absent) const {
  const Value* value = find(key);
  return value == nullptr ? absent : value->integer();
}
int64_t Value::get(std::string_view key, int absent) const {
  return get(key, static_cast<int64_t>(absent));
}
std::string Value::get(std::string_view key, std::string absent) const {
  const Value* value = find(key);
  return value == nullptr ? absent : value->text();
}
std::string Value::get(std::string_view key, const char* absent) const {
  return get(key, std::string(absent));
}
std::vector<int64_t> Value::get(std::string_view key,
                                std::vector<int64_t> absent) const {
  const Value* value = find(key);
  return value == nullptr ? absent : value->integers();
}

std::string Value::to_string() const {
  if (is_null()) return "null";
  if (is_text()) return Json(text()).dump();
  if (const auto* value = std::get_if<bool>(&data_)) {
    return *value ? "true" : "false";
  }
  if (const auto* value = std::get_if<int64_t>(&data_)) {
    return std::to_string(*value);
  }
  if (const auto* value = std::get_if<double>(&data_)) {
    return Json(*value).dump();
  }
  std::string out;
  if (is_list()) {
    for (const Value& item : list()) {
      out += (out.empty() ? "" : ", ") + item.to_string();
    }
    return "[" + out + "]";
  }
  for (const auto& [key, item] : map()) {
    out += (out.empty() ? "" : ", ") + Json(key).dump() + ": ";
    out += item.to_string();
  }
  return "{" + out + "}";
}

Case::Case(std::string name, Value options, Value expected, Value texts,
           Arrays arrays)
    : name_(std::move(name)),
      options_(std::move(options)),
      expected_(std::move(expected)),
      texts_(std::move(texts)),
      arrays_(std::move(arrays)) {}

const std::string& Case::text(std::string_view name) const {
  return texts_.at(name).text();
}

bool Case::has_array(std::string_view name) const {
  for (const auto& [key, array] : arrays_) {
    if (key == name) return true;
  }
  return false;
}

const Array& Case::array(std::string_view name) const {
  for (const auto& [key, array] : arrays_) {
    if (key == name) return array;
  }
  Message("golden case \"" + name_ + '"')
      .expected("one of the arrays ", names_of(arrays_))
      .got('"', name, '"')
      .raise<NotFoundError>();
}

Arrays Case::group(std::string_view group) const {
  Arrays out;
  const std::string prefix = std::string(group) + "/";
  for (const auto& [name, array] : arrays_) {
    if (name.starts_with(prefix)) {
      out.emplace_back(name.substr(prefix.size()), array);
    }
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name();
}

std::filesystem::path folder() {
  if (const char* given = std::getenv("SYSTOLIC_GOLDENS")) return given;
  return std::filesystem::path(SYSTOLIC_SOURCE_DIR) / "tests" / "parity" /
         "goldens";
}

std::vector<Case> load(std::string_view family) {
  return load_file(folder() / (std::string(family) + ".json"));
}

std::vector<Case> load_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    Message("golden::load")
        .expected("a recorded file")
        .got("none at ", file.string())
        .hint(
            "record it with tests/parity/record.py, or set "
            "SYSTOLIC_GOLDENS to the folder that has it")
        .raise<NotFoundError>();
  }
  std::vector<Case> cases;
  try {
    const Json json = Json::parse(stream);
    for (const Json& item : json.at("cases")) {
      cases.push_back(to_case(item));
    }
  } catch (const Json::exception& e) {
    Message("golden::load")
        .expected("cases as tests/parity/record.py writes them")
        .got(e.what())
        .detail("file", file.string())
        .raise<DataError>();
  }
  return cases;
}

std::string difference(const Array& got, const Array& wanted,
                       const Tolerance& given) {
  if (got.spec().dtype != wanted.spec().dtype ||
      got.shape() != wanted.shape()) {
    return "expected " + wanted.spec().to_string() + ", got " +
           got.spec().to_string();
  }
  if (is_complex(wanted.dtype())) {
    const std::string text = difference(real(got), real(wanted), given);
    return text.empty() ? difference(imag(got), imag(wanted), given) : text;
  }
  const Tolerance tolerance = resolve(given, wanted.dtype());
  const Reader read = reader_of(wanted.dtype());
  int64_t worst = -1;
  int64_t wrong = 0;
  double worst_excess = 0;
  for (int64_t i = 0; i < wanted.size(); ++i) {
    const double a = read(got, i);
    const double b = read(wanted, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double allowed =
        tolerance.absolute + tolerance.relative * std::abs(b);
    double excess = std::abs(a - b) - allowed;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      excess = std::numeric_limits<double>::infinity();
    }
    if (excess <= 0) continue;
    ++wrong;
    if (worst < 0 || excess > worst_excess) {
      worst = i;
      worst_excess = excess;
    }
  }
  if (worst < 0) return "";
  return "expected " + exact(read(wanted, worst)) + " at " +
         position(worst, wanted.shape()) + ", got " + exact(read(got, worst)) +
         "; " + std::to_string(wrong) + " of " + std::to_string(wanted.size()) +
         " differ by more than " + exact(tolerance.absolute) + " + " +
         exact(tolerance.relative) + " * |expected|";
}

}  // namespace systolic::golden
