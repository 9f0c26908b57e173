#include "systolic/array/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "systolic/array/manipulation.h"
#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;

static_assert(std::endian::native == std::endian::little,
              "the element codes below are those of little-endian hosts");

constexpr std::string_view kMagic("\x93NUMPY", 6);
// np.save pads the header so that the elements start at a multiple of this.
constexpr size_t kAlignment = 64;

// NumPy's code of each type that has one, without the byte order.
struct Code {
  DType dtype;
  std::string_view text;
};
constexpr std::array<Code, 17> kCodes{{{DType::boolean, "b1"},
                                       {DType::int8, "i1"},
                                       {DType::int16, "i2"},
                                       {DType::int32, "i4"},
                                       {DType::int64, "i8"},
                                       {DType::uint8, "u1"},
                                       {DType::uint16, "u2"},
                                       {DType::uint32, "u4"},
                                       {DType::uint64, "u8"},
                                       {DType::float16, "f2"},
                                       {DType::float32, "f4"},
                                       {DType::float64, "f8"},
                                       {DType::complex64, "c8"},
                                       {DType::complex128, "c16"},
                                       {DType::bfloat16, "V2"},
                                       // As ml_dtypes names them.
                                       {DType::float8_e4m3fn, "V1"},
                                       {DType::float8_e5m2, "f1"}}};

size_t longest(std::span<const std::string> strings) {
  size_t most = 1;  // NumPy has no strings of no bytes
  for (const std::string& text : strings) most = std::max(most, text.size());
  return most;
}

std::string description_of(const Array& array) {
  if (array.dtype() == DType::string) {
    return "|S" + std::to_string(longest(array.span<std::string>()));
  }
  for (const Code& code : kCodes) {
    if (code.dtype != array.dtype()) continue;
    const bool has_order = size_of(code.dtype) > 1 || is_float8(code.dtype);
    return (has_order ? "<" : "|") + std::string(code.text);
  }
  throw InternalError(
      internal::concatenate_text("npy: no code for ", array.dtype()));
}

void append(std::vector<std::byte>& out, const void* data, size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  out.insert(out.end(), first, first + bytes);
}

// The header's dictionary, as far as the format allows it to vary.
struct Header {
  std::string description;
  bool fortran_order = false;
  Shape shape;
};

[[noreturn]] void throw_damaged(std::string_view source,
                                std::string_view expected,
                                std::string_view got) {
  Message(std::string(source)).expected(expected).got(got).raise<DataError>();
}

// The text after 'key': in the dictionary, without leading blanks.
std::string_view value_of(std::string_view header, std::string_view key,
                          std::string_view source) {
  std::string quoted = "'" + std::string(key) + "':";
  size_t at = header.find(quoted);
  if (at == std::string_view::npos) {
    throw_damaged(source, "an npy header with " + quoted, header);
  }
  header.remove_prefix(at + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

Shape parse_shape(std::string_view text, std::string_view source) {
  size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) {
    throw_damaged(source, "a shape in the npy header", text);
  }
  Shape shape = Shape::scalar();
  // Damaged sizes must not overflow their product, in bytes.
  int64_t most = std::numeric_limits<int64_t>::max() / 1024;
  const char* at = text.data() + 1;
  const char* last = text.data() + end;
  while (true) {
    while (at != last && (*at == ' ' || *at == ',')) ++at;
    if (at == last) return shape;
    int64_t size = 0;
    auto [next, error] = std::from_chars(at, last, size);
    if (error != std::errc() || size < 0 || size > most ||
        shape.rank() == kMaxRank) {
      throw_damaged(source, "a shape in the npy header", text.substr(0, end));
    }
    shape.push_back(size);
    most /= std::max<int64_t>(size, 1);
    at = next;
  }
}

Header parse_header(std::string_view text, std::string_view source) {
  Header header;
  std::string_view description = value_of(text, "descr", source);
  size_t end = description.find('\'', 1);
  if (description.empty() || description[0] != '\'' ||
      end == std::string_view::npos) {
    Message(std::string(source))
        .expected("elements of one simple type")
        .got(description)
        .raise<TypeError>();
  }
  header.description = std::string(description.substr(1, end - 1));
  header.fortran_order =
      value_of(text, "fortran_order", source).starts_with("True");
  header.shape = parse_shape(value_of(text, "shape", source), source);
  return header;
}

// Takes magic, version and header off the front of `bytes`.
Header take_header(std::span<const std::byte>& bytes, std::string_view source) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < 12 || std::string_view(text, 6) != kMagic) {
    throw_damaged(source, "bytes that start with \\x93NUMPY",
                  std::to_string(bytes.size()) + " bytes that do not");
  }
  bool is_first_version = bytes[6] == std::byte{1};
  size_t length_bytes = is_first_version ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(bytes[8 + i]) << (8 * i);
  }
  size_t start = 8 + length_bytes;
  if (bytes.size() < start + length) {
    throw_damaged(source,
                  "an npy header of " + std::to_string(length) + " bytes",
                  std::to_string(bytes.size() - start));
  }
  bytes = bytes.subspan(start + length);
  return parse_header(std::string_view(text + start, length), source);
}

size_t number_after(std::string_view text, size_t at) {
  size_t number = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

void require_bytes(size_t expected, size_t got, std::string_view source) {
  if (got >= expected) return;
  throw_damaged(source, std::to_string(expected) + " bytes of elements",
                std::to_string(got));
}

Array read_strings(std::span<const std::byte> bytes, const Header& header,
                   std::string_view source) {
  size_t width = number_after(header.description, 2);
  size_t count = static_cast<size_t>(header.shape.elements());
  require_bytes(count * width, bytes.size(), source);
  std::vector<std::string> strings;
  strings.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    std::string text(reinterpret_cast<const char*>(bytes.data()) + i * width,
                     width);
    // Shorter strings are padded with zero bytes.
    text.resize(text.find_last_not_of('\0') + 1);
    strings.push_back(std::move(text));
  }
  return Array::from_strings(std::move(strings), header.shape);
}

std::optional<DType> dtype_of_code(std::string_view description) {
  std::string_view text = description.substr(1);
  for (const Code& code : kCodes) {
    if (code.text == text) return code.dtype;
  }
  return std::nullopt;
}

Array read_numbers(std::span<const std::byte> bytes, const Header& header,
                   std::string_view source) {
  std::optional<DType> dtype;
  if (header.description.size() >= 3) dtype = dtype_of_code(header.description);
  if (!dtype) {
    Message(std::string(source))
        .expected(
            "elements of bool, an integer, float or complex type, or bytes")
        .got("NumPy's '", header.description, "'")
        .hint("save the array as another type, for example x.astype('float32')")
        .raise<TypeError>();
  }
  TensorSpec spec{*dtype, header.shape};
  require_bytes(spec.nbytes(), bytes.size(), source);
  Array out = Array::from_bytes(spec, bytes.first(spec.nbytes()));
  if (header.description[0] == '>') {
    // Both parts of a complex number are turned by themselves.
    size_t width = size_of(real_dtype(*dtype));
    std::byte* first = out.mutable_data();
    for (size_t i = 0; i < out.nbytes(); i += width) {
      std::reverse(first + i, first + i + width);
    }
  }
  return out;
}

}  // namespace

std::vector<std::byte> to_npy(const Array& array) {
  if (!array.is_set()) {
    Message("to_npy")
        .expected("an array")
        .got("an Array that nothing was assigned to")
        .raise<ValueError>();
  }
  std::string description = description_of(array);
  std::string header =
      "{'descr': '" + description +
      "', 'fortran_order': False, 'shape': " + array.shape().to_string() +
      ", }";
  size_t start = kMagic.size() + 4;
  size_t unpadded = start + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::vector<std::byte> out;
  out.reserve(start + header.size() + array.nbytes());
  append(out, kMagic.data(), kMagic.size());
  const std::array<uint8_t, 4> version_and_length{
      1, 0, static_cast<uint8_t>(header.size() & 0xff),
      static_cast<uint8_t>(header.size() >> 8)};
  append(out, version_and_length.data(), version_and_length.size());
  append(out, header.data(), header.size());
  if (array.dtype() != DType::string) {
    append(out, array.data(), array.nbytes());
    return out;
  }
  size_t width = number_after(description, 2);
  for (const std::string& text : array.span<std::string>()) {
    append(out, text.data(), text.size());
    out.resize(out.size() + width - text.size());
  }
  return out;
}

Array from_npy(std::span<const std::byte> bytes, std::string_view source) {
  Header header = take_header(bytes, source);
  bool reversed = header.fortran_order && header.shape.rank() > 1;
  // Fortran order is row-major order of the reversed axes.
  if (reversed) {
    Shape shape = Shape::scalar();
    for (int i = header.shape.rank() - 1; i >= 0; --i) {
      shape.push_back(header.shape[i]);
    }
    header.shape = shape;
  }
  Array out = header.description.starts_with("|S")
                  ? read_strings(bytes, header, source)
                  : read_numbers(bytes, header, source);
  return reversed ? transpose(out) : out;
}

}  // namespace systolic
