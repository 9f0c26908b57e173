// CRC-32C (Castagnoli's polynomial), the checksum of TFRecords.
//   crc32c("123456789") == 0xe3069283
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::data::detail {

// The checksum of `bytes`; with `before`, that of the bytes of which `before`
// is the checksum and `bytes` behind them. Uses the processor's instruction
// where it has one.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

// The same from a table: what processors without the instruction run.
uint32_t crc32c_of_table(std::string_view bytes, uint32_t before = 0);

// As a TFRecord stores a checksum, so that one of bytes that hold checksums
// stays useful.
constexpr uint32_t mask_crc32c(uint32_t checksum) {
  return ((checksum >> 15) | (checksum << 17)) + 0xa282ead8U;
}
constexpr uint32_t unmask_crc32c(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8U;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace systolic::data::detail
