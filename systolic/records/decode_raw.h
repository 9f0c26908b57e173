// Numbers out of the bytes of records, as tf.io.decode_raw.
//   Array pixels = data::decode_raw(record, DType::uint8).reshaped({28, 28});
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/array/array.h"

namespace systolic::data {

struct DecodeRawOptions {
  // Whether the first byte of a number is its least one.
  bool little_endian = true;
  // Bytes of each string: what is longer is cut off, what is shorter filled
  // up with zeros. A multiple of the dtype's size.
  std::optional<int64_t> fixed_length = {};
};

// The numbers of `out_type` in `input_bytes`: (n). Throws ValueError for bytes
// that are no whole number of them, TypeError for DType::string. Errors say the
// file and the record of the bytes, where that is known.
Array decode_raw(std::string_view input_bytes, DType out_type,
                 const DecodeRawOptions& options = {});

// The same of strings of one length each: (..., n).
// Throws TypeError for anything but strings, ValueError where lengths differ.
Array decode_raw(const Array& input_bytes, DType out_type,
                 const DecodeRawOptions& options = {});

}  // namespace systolic::data
