#include "systolic/records/decode_raw.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "systolic/base/bytes_place.h"
#include "systolic/base/message.h"
#include "systolic/data/element_origin.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "decode_raw";

// The part of a number that has an order of bytes.
size_t swapped_width(DType dtype) {
  const bool is_pair = dtype == DType::complex64 || dtype == DType::complex128;
  return is_pair ? size_of(dtype) / 2 : size_of(dtype);
}

// The strings, and the bytes that they are a copy of, if they are one.
struct Input {
  const Array& strings;
  std::string_view original = {};
};

// Says which record the error is about, where that is known.
void add_place(const Input& input, size_t row, internal::Message* message) {
  const Array& all = input.strings;
  std::string_view bytes = input.original;
  if (bytes.data() == nullptr) bytes = all.span<std::string>()[row];
  std::string place = detail::origin_text(all, static_cast<int64_t>(row));
  if (place.empty()) place = detail::origin_text(all);
  if (place.empty()) place = internal::place_of_bytes(bytes);
  if (!place.empty()) message->detail("from", place);
}

// Bytes of each of the strings.
size_t common_length(const Input& input, DType dtype,
                     const DecodeRawOptions& options) {
  const std::span<const std::string> all = input.strings.span<std::string>();
  const auto width = static_cast<int64_t>(size_of(dtype));
  const auto length = options.fixed_length.value_or(
      all.empty() ? 0 : static_cast<int64_t>(all[0].size()));
  if (length < 0 || length % width != 0) {
    internal::Message message(kName);
    message
        .expected("a multiple of ", width, " bytes, the size of ", name(dtype))
        .got(length);
    if (!options.fixed_length) add_place(input, 0, &message);
    message.raise<ValueError>();
  }
  for (size_t row = 0; row < all.size(); ++row) {
    if (options.fixed_length || all[row].size() == all[0].size()) continue;
    internal::Message message(kName);
    message.expected("strings of one length")
        .got(all[0].size(), " and ", all[row].size(), " bytes");
    add_place(input, row, &message);
    message.hint("fixed_length cuts and fills up").raise<ValueError>();
  }
  return static_cast<size_t>(length);
}

Array decode(const Input& input, DType out_type,
             const DecodeRawOptions& options) {
  const Array& input_bytes = input.strings;
  if (input_bytes.dtype() != DType::string || out_type == DType::string) {
    internal::Message(kName)
        .expected("strings, and a dtype of numbers to make of them")
        .got(input_bytes.spec(), " and ", name(out_type))
        .raise<TypeError>();
  }
  const auto texts = input_bytes.span<std::string>();
  const size_t length = common_length(input, out_type, options);
  TensorSpec spec{out_type, input_bytes.shape()};
  spec.shape.push_back(static_cast<int64_t>(length / size_of(out_type)));
  Array numbers = Array::uninitialized(spec);
  if (length == 0) return numbers;
  std::byte* const begin = numbers.mutable_data();
  std::byte* out = begin;
  for (const std::string& text : texts) {
    const size_t have = std::min(length, text.size());
    std::memcpy(out, text.data(), have);
    std::memset(out + have, 0, length - have);
    out += length;
  }
  const size_t width = swapped_width(out_type);
  const bool is_native =
      options.little_endian == (std::endian::native == std::endian::little);
  if (!is_native && width > 1) {
    for (std::byte* number = begin; number != out; number += width) {
      std::reverse(number, number + width);
    }
  }
  return numbers;
}

}  // namespace

Array decode_raw(std::string_view input_bytes, DType out_type,
                 const DecodeRawOptions& options) {
  const Array copy =
      Array::from_strings({std::string(input_bytes)}, Shape::scalar());
  return decode({copy, input_bytes}, out_type, options);
}

Array decode_raw(const Array& input_bytes, DType out_type,
                 const DecodeRawOptions& options) {
  return decode({input_bytes}, out_type, options);
}

}  // namespace systolic::data
