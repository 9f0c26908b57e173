#include "systolic/stablehlo/emitter.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic::internal::stablehlo {

std::string_view element_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "i1";
    case DType::int8:
      return "i8";
    case DType::int16:
      return "i16";
    case DType::int32:
      return "i32";
    case DType::int64:
      return "i64";
    case DType::uint8:
      return "ui8";
    case DType::uint16:
      return "ui16";
    case DType::uint32:
      return "ui32";
    case DType::uint64:
      return "ui64";
    case DType::float8_e4m3fn:
      return "f8E4M3FN";
    case DType::float8_e5m2:
      return "f8E5M2";
    case DType::float16:
      return "f16";
    case DType::bfloat16:
      return "bf16";
    case DType::float32:
      return "f32";
    case DType::float64:
      return "f64";
    case DType::complex64:
      return "complex<f32>";
    case DType::complex128:
      return "complex<f64>";
    default:
      break;
  }
  Message("program")
      .expected("a dtype that a device can hold")
      .got(name(dtype))
      .hint("strings stay on the host; decode or look them up first")
      .raise<TypeError>();
}

std::string tensor_type(const TensorSpec& spec) {
  std::string text = "tensor<";
  for (int64_t dimension : spec.shape) {
    text += std::to_string(dimension);
    text += 'x';
  }
  text += element_type(spec.dtype);
  text += '>';
  return text;
}

std::string i64_array(std::span<const int64_t> values) {
  std::string text = "array<i64";
  const char* separator = ": ";
  for (int64_t value : values) {
    text += separator;
    text += std::to_string(value);
    separator = ", ";
  }
  text += '>';
  return text;
}

namespace {

// The bits of a number, highest first.
std::string bits_of(const Array& number) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "0x";
  for (size_t i = number.nbytes(); i-- > 0;) {
    const auto byte = static_cast<unsigned>(number.data()[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// MLIR refuses integers beyond their type, so they wrap around as in C++.
std::string integer_literal(DType dtype, int64_t value) {
  if (dtype == DType::boolean) return value != 0 ? "true" : "false";
  const int unused = 64 - static_cast<int>(size_of(dtype)) * 8;
  const uint64_t upper = static_cast<uint64_t>(value) << unused;
  return is_signed(dtype)
             ? std::to_string(static_cast<int64_t>(upper) >> unused)
             : std::to_string(upper >> unused);
}

std::string literal(DType dtype, double value) {
  if (dtype == DType::boolean) return value != 0 ? "true" : "false";
  if (is_complex(dtype)) {
    return "(" + literal(real_dtype(dtype), value) + ", 0.0)";
  }
  if (!is_floating(dtype)) {
    return integer_literal(dtype, static_cast<int64_t>(value));
  }
  // MLIR takes what is not finite in its type only as bits.
  const Array rounded = Array::full(Shape::scalar(), value, dtype);
  if (!std::isfinite(rounded.item<double>())) return bits_of(rounded);
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  // MLIR wants digits on both sides of a point.
  if (text.find('.') == std::string::npos) text.insert(text.find('e'), ".0");
  return text;
}

// Every element of a dense constant, as its raw little-endian bytes.
std::string hex(const Array& array) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "\"0x";
  for (size_t i = 0; i < array.nbytes(); ++i) {
    const auto byte = static_cast<unsigned>(array.data()[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + '"';
}

void append_name(std::string& out, const Value& value) {
  if (value.id < 0) {
    Message("emitter")
        .rule("an undefined value was used")
        .raise<InternalError>();
  }
  out += '%';
  out += std::to_string(value.id);
  if (value.index >= 0) {
    out += '#';
    out += std::to_string(value.index);
  }
}

}  // namespace

Emitter::Emitter(std::string_view name, int num_replicas)
    : name_(name), num_replicas_(num_replicas) {
  body_.reserve(1 << 14);
}

Value Emitter::argument(const TensorSpec& spec, int alias_output) {
  if (num_arguments_++ > 0) arguments_ += ", ";
  Value value{next_id_++, -1, spec};
  append_name(arguments_, value);
  arguments_ += ": " + tensor_type(spec);
  if (alias_output >= 0) {
    arguments_ +=
        " {tf.aliasing_output = " + std::to_string(alias_output) + " : i32}";
  }
  return value;
}

void Emitter::finish(std::span<const Value> results) {
  std::string names, types;
  for (const Value& value : results) {
    if (!names.empty()) names += ", ", types += ", ";
    append_name(names, value);
    types += tensor_type(value.spec);
  }
  if (results.empty()) {
    body_ += "return\n";
  } else {
    body_ += "return " + names + " : " + types + "\n";
  }
  results_ = "(" + types + ")";
}

std::string Emitter::module() const {
  return "module @systolic attributes {mhlo.num_partitions = 1 : i32, "
         "mhlo.num_replicas = " +
         std::to_string(num_replicas_) + " : i32} {\nfunc.func public @" +
         name_ + "(" + arguments_ + ") -> " + results_ + " {\n" + body_ +
         "}\n}\n";
}

namespace {

// As MLIR quotes it.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (static_cast<unsigned char>(letter) >= ' ') out += letter;
  }
  return out + '"';
}

}  // namespace

void Emitter::set_place(std::string_view name, std::string_view file,
                        int64_t line) {
  place_.clear();
  if (name.empty()) return;
  place_ = " loc(" + quoted(name);
  place_name_end_ = place_.size() - 1;
  if (!file.empty()) {
    place_ += '(' + quoted(file) + ':' + std::to_string(line) + ":1)";
  }
  place_ += ')';
}

std::vector<Value> Emitter::statement(std::string_view op,
                                      std::span<const Value> operands,
                                      std::span<const TensorSpec> results,
                                      std::string_view attributes,
                                      std::string_view regions) {
  ++statements_;
  const int id = next_id_++;
  std::vector<Value> values;
  if (!results.empty()) {
    body_ += '%';
    body_ += std::to_string(id);
    if (results.size() > 1) {
      body_ += ':';
      body_ += std::to_string(results.size());
    }
    body_ += " = ";
  }
  // A name with a point has its dialect already.
  body_ += op.find('.') == std::string_view::npos ? "\"stablehlo." : "\"";
  body_ += op;
  body_ += "\"(";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) body_ += ", ";
    append_name(body_, operands[i]);
  }
  body_ += ')';
  if (!regions.empty()) {
    body_ += " (";
    body_ += regions;
    body_ += ')';
  }
  if (!attributes.empty()) {
    body_ += " {";
    body_ += attributes;
    body_ += '}';
  }
  body_ += " : (";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) body_ += ", ";
    body_ += tensor_type(operands[i].spec);
  }
  body_ += ") -> (";
  for (size_t i = 0; i < results.size(); ++i) {
    if (i > 0) body_ += ", ";
    body_ += tensor_type(results[i]);
    values.push_back(
        {id, results.size() > 1 ? static_cast<int>(i) : -1, results[i]});
  }
  body_ += ')';
  body_ += place_;
  body_ += '\n';
  return values;
}

Value Emitter::statement(std::string_view op,
                         std::initializer_list<Value> operands,
                         const TensorSpec& result, std::string_view attributes,
                         std::string_view regions) {
  return statement(op, std::span(operands.begin(), operands.size()),
                   std::span(&result, 1), attributes, regions)[0];
}

Value Emitter::splat(const TensorSpec& spec, double value) {
  return statement("constant", {}, spec,
                   "value = dense<" + literal(spec.dtype, value) +
                       "> : " + tensor_type(spec));
}

Value Emitter::splat_integer(const TensorSpec& spec, int64_t value) {
  if (is_inexact(spec.dtype)) {
    return splat(spec, static_cast<double>(value));
  }
  return statement("constant", {}, spec,
                   "value = dense<" + integer_literal(spec.dtype, value) +
                       "> : " + tensor_type(spec));
}

Value Emitter::constant(const Array& array) {
  if (array.dtype() == DType::boolean || array.size() == 0) {
    // Booleans are packed in MLIR's hex form, so they go element by element.
    std::string text = "[";
    for (int64_t i = 0; i < array.size(); ++i) {
      if (i > 0) text += ", ";
      text += array.data()[i] != std::byte{0} ? "true" : "false";
    }
    const TensorSpec flat{array.dtype(), Shape{array.size()}};
    return reshape(
        statement("constant", {}, flat,
                  "value = dense<" + text + "]> : " + tensor_type(flat)),
        array.shape());
  }
  return statement(
      "constant", {}, array.spec(),
      "value = dense<" + hex(array) + "> : " + tensor_type(array.spec()));
}

std::string Emitter::region(std::span<const TensorSpec> arguments,
                            const RegionBuilder& build) {
  std::string outer;
  outer.swap(body_);
  std::vector<Value> values;
  body_ = arguments.empty() ? "{\n" : "{\n^bb0(";
  for (const TensorSpec& spec : arguments) {
    if (!values.empty()) body_ += ", ";
    values.push_back({next_id_++, -1, spec});
    append_name(body_, values.back());
    body_ += ": " + tensor_type(spec);
  }
  body_ += arguments.empty() ? "" : "):\n";
  const std::vector<Value> results = build(values);
  std::string names, types;
  for (const Value& value : results) {
    if (!names.empty()) names += ", ", types += ", ";
    append_name(names, value);
    types += tensor_type(value.spec);
  }
  body_ += "\"stablehlo.return\"(" + names + ") : (" + types + ") -> ()\n}";
  outer.swap(body_);
  return outer;
}

std::string Emitter::combine_region(Combine combine, DType dtype) {
  static constexpr std::string_view kNames[] = {
      "add", "multiply", "maximum", "minimum", "and", "or"};
  const TensorSpec scalar{dtype, Shape::scalar()};
  const TensorSpec pair[] = {scalar, scalar};
  return region(pair, [&](std::span<const Value> v) {
    return std::vector<Value>{
        binary(kNames[static_cast<int>(combine)], v[0], v[1])};
  });
}

Value Emitter::neutral(Combine combine, DType dtype) {
  const TensorSpec scalar{dtype, Shape::scalar()};
  switch (combine) {
    case Combine::add:
    case Combine::logical_or:
      return splat(scalar, 0);
    case Combine::multiply:
    case Combine::logical_and:
      return splat(scalar, 1);
    default:
      break;
  }
  const bool lowest = combine == Combine::maximum;
  if (is_floating(dtype)) return splat(scalar, lowest ? -INFINITY : INFINITY);
  if (dtype == DType::boolean) return splat(scalar, lowest ? 0 : 1);
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  if (!is_signed(dtype)) {
    const int64_t all_ones =
        bits == 64 ? int64_t{-1} : (int64_t{1} << bits) - 1;
    return splat_integer(scalar, lowest ? 0 : all_ones);
  }
  const auto most = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return splat_integer(scalar, lowest ? -most - 1 : most);
}

std::vector<Value> Emitter::while_loop(std::span<const Value> initial,
                                       const RegionBuilder& condition,
                                       const RegionBuilder& body,
                                       int64_t trips) {
  std::vector<TensorSpec> specs;
  for (const Value& value : initial) specs.push_back(value.spec);
  std::string place = place_;
  const std::string first = region(specs, condition);
  const std::string second = region(specs, body);
  if (!place.empty() && trips >= 0) {
    place.insert(place_name_end_, "[trips=" + std::to_string(trips) + "]");
  }
  place_.swap(place);
  std::vector<Value> last =
      statement("while", initial, specs, "", first + ", " + second);
  place_.swap(place);
  return last;
}

std::vector<Value> Emitter::choose(const Value& index,
                                   std::span<const RegionBuilder> branches,
                                   std::span<const TensorSpec> results) {
  std::string regions;
  for (const RegionBuilder& branch : branches) {
    if (!regions.empty()) regions += ", ";
    regions += region({}, branch);
  }
  const bool is_if = index.spec.dtype == DType::boolean;
  return statement(is_if ? "if" : "case", std::span(&index, 1), results, "",
                   regions);
}

std::vector<Value> Emitter::all_reduce(Combine combine,
                                       std::span<const Value> values,
                                       int num_replicas) {
  std::string groups = "replica_groups = dense<[[";
  for (int i = 0; i < num_replicas; ++i) {
    if (i > 0) groups += ", ";
    groups += std::to_string(i);
  }
  groups += "]]> : tensor<1x" + std::to_string(num_replicas) + "xi64>";
  // One collective must hold one dtype: its combining region is scalar.
  std::vector<Value> results(values.size());
  std::vector<bool> done(values.size(), false);
  for (size_t first = 0; first < values.size(); ++first) {
    if (done[first]) continue;
    const DType dtype = values[first].spec.dtype;
    std::vector<Value> operands;
    std::vector<TensorSpec> specs;
    std::vector<size_t> places;
    for (size_t i = first; i < values.size(); ++i) {
      if (done[i] || values[i].spec.dtype != dtype) continue;
      done[i] = true;
      operands.push_back(values[i]);
      specs.push_back(values[i].spec);
      places.push_back(i);
    }
    const auto reduced = statement("all_reduce", operands, specs, groups,
                                   combine_region(combine, dtype));
    for (size_t i = 0; i < places.size(); ++i) results[places[i]] = reduced[i];
  }
  return results;
}

std::vector<Value> Emitter::custom_call(std::string_view target,
                                        std::span<const Value> operands,
                                        std::span<const TensorSpec> results,
                                        std::string_view backend_config) {
  std::string attributes = "call_target_name = \"" + std::string(target) +
                           "\", api_version = 4 : i32";
  if (!backend_config.empty()) {
    attributes += ", backend_config = {" + std::string(backend_config) + "}";
  }
  return statement("custom_call", operands, results, attributes);
}

Value Emitter::replica_id() {
  return statement("replica_id", {}, {DType::uint32, Shape::scalar()});
}

Value Emitter::random_bits(const Value& state, const TensorSpec& spec) {
  const TensorSpec results[] = {state.spec, spec};
  return statement("rng_bit_generator", std::span(&state, 1), results,
                   "rng_algorithm = #stablehlo<rng_algorithm PHILOX>")[1];
}

}  // namespace systolic::internal::stablehlo
