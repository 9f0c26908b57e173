#include "systolic/records/decode_raw.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "systolic/base/message.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "decode_raw";

// The part of a number that has an order of bytes.
size_t swapped_width(DType dtype) {
  const bool is_pair = dtype == DType::complex64 || dtype == DType::complex128;
  return is_pair ? size_of(dtype) / 2 : size_of(dtype);
}

// Bytes of each string, which is one of `all`.
size_t common_length(std::span<const std::string> all, DType dtype,
                     const DecodeRawOptions& options) {
  const auto width = static_cast<int64_t>(size_of(dtype));
  const auto length = options.fixed_length.value_or(
      all.empty() ? 0 : static_cast<int64_t>(all[0].size()));
  if (length < 0 || length % width != 0) {
    internal::Message(kName)
        .expected("a multiple of ", width, " bytes, the size of ", name(dtype))
        .got(length)
        .raise<ValueError>();
  }
  for (const std::string& text : all) {
    if (options.fixed_length || text.size() == all[0].size()) continue;
    internal::Message(kName)
        .expected("strings of one length")
        .got(all[0].size(), " and ", text.size(), " bytes")
        .hint("fixed_length cuts and fills up")
        .raise<ValueError>();
  }
  return static_cast<size_t>(length);
}

}  // namespace

Array decode_raw(std::string_view input_bytes, DType out_type,
                 const DecodeRawOptions& options) {
  return decode_raw(
      Array::from_strings({std::string(input_bytes)}, Shape::scalar()),
      out_type, options);
}

Array decode_raw(const Array& input_bytes, DType out_type,
                 const DecodeRawOptions& options) {
  if (input_bytes.dtype() != DType::string || out_type == DType::string) {
    internal::Message(kName)
        .expected("strings, and a dtype of numbers to make of them")
        .got(input_bytes.spec(), " and ", name(out_type))
        .raise<TypeError>();
  }
  const auto texts = input_bytes.span<std::string>();
  const size_t length = common_length(texts, out_type, options);
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

}  // namespace systolic::data
