#include "systolic/records/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace systolic::data::detail {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // its bits from low to high
constexpr size_t kSlices = 8;

using Table = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b]: what byte b adds to the checksum from k bytes further on.
constexpr Table make_table() {
  Table table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    }
    table[0][byte] = value;
  }
  for (size_t k = 1; k < kSlices; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t value = table[k - 1][byte];
      table[k][byte] = (value >> 8) ^ table[0][value & 0xff];
    }
  }
  return table;
}

constexpr Table kTable = make_table();

uint64_t word_at(const char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_of_instruction(
    std::string_view bytes, uint32_t before) {
  uint64_t value = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t)) {
    value = _mm_crc32_u64(value, word_at(at));
    at += sizeof(uint64_t);
  }
  auto narrow = static_cast<uint32_t>(value);
  for (; left > 0; --left) {
    narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at++));
  }
  return ~narrow;
}
#endif

}  // namespace

uint32_t crc32c_of_table(std::string_view bytes, uint32_t before) {
  uint32_t value = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  if constexpr (std::endian::native == std::endian::little) {
    for (; left >= kSlices; left -= kSlices) {
      const uint64_t word = word_at(at) ^ value;
      value = 0;
      for (size_t k = 0; k < kSlices; ++k) {
        value ^= kTable[kSlices - 1 - k][(word >> (8 * k)) & 0xff];
      }
      at += kSlices;
    }
  }
  for (; left > 0; --left) {
    value = (value >> 8) ^
            kTable[0][(value ^ static_cast<unsigned char>(*at++)) & 0xff];
  }
  return ~value;
}

uint32_t crc32c(std::string_view bytes, uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return crc32c_of_instruction(bytes, before);
#endif
  return crc32c_of_table(bytes, before);
}

}  // namespace systolic::data::detail
