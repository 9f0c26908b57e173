// The frame of a TFRecord: length (8 bytes, low first), its checksum (4), the
// data, their checksum (4).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "systolic/records/crc32c.h"

namespace systolic::data::detail {

inline constexpr size_t kLengthBytes = 8;
inline constexpr size_t kChecksumBytes = 4;
inline constexpr size_t kHeaderBytes = kLengthBytes + kChecksumBytes;
inline constexpr size_t kFrameBytes = kHeaderBytes + kChecksumBytes;

// A number of sizeof(T) bytes, the lowest first.
template <class T>
T load_little(const char* bytes) {
  T value = 0;
  for (size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[i]));
  }
  return value;
}
template <class T>
void store_little(T value, char* bytes) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * i));
  }
}

// Whether `bytes` end with their checksum.
inline bool has_checksum(std::string_view bytes) {
  const std::string_view data = bytes.substr(0, bytes.size() - kChecksumBytes);
  return mask_crc32c(crc32c(data)) ==
         load_little<uint32_t>(bytes.data() + data.size());
}

}  // namespace systolic::data::detail
