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
// The instruction takes three cycles, and one can begin in each: three lanes of
// bytes are summed at once, and their checksums put together.
constexpr size_t kLane = 1024;

using LaneTable = std::array<std::array<uint32_t, 256>, sizeof(uint32_t)>;

// tables[k][b]: what byte k of a checksum, where it is b, becomes behind a lane
// of zeros. That is linear: of each bit alone, then of their sums.
constexpr LaneTable make_lane_table() {
  LaneTable table{};
  for (size_t k = 0; k < table.size(); ++k) {
    for (size_t bit = 0; bit < 8; ++bit) {
      uint32_t value = uint32_t{1} << (8 * k + bit);
      for (size_t i = 0; i < kLane; ++i) {
        value = (value >> 8) ^ kTable[0][value & 0xff];
      }
      table[k][size_t{1} << bit] = value;
    }
    for (size_t byte = 1; byte < 256; ++byte) {
      const size_t low = byte & (~byte + 1);  // its lowest bit
      table[k][byte] = table[k][low] ^ table[k][byte ^ low];
    }
  }
  return table;
}

constexpr LaneTable kLaneTable = make_lane_table();

uint64_t behind_a_lane(uint64_t value) {
  uint32_t sum = 0;
  for (size_t k = 0; k < kLaneTable.size(); ++k) {
    sum ^= kLaneTable[k][(value >> (8 * k)) & 0xff];
  }
  return sum;
}

__attribute__((target("sse4.2"))) uint32_t crc32c_of_instruction(
    std::string_view bytes, uint32_t before) {
  constexpr size_t kWord = sizeof(uint64_t);
  uint64_t value = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 3 * kLane; left -= 3 * kLane) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (const char* const end = at + kLane; at != end; at += kWord) {
      value = _mm_crc32_u64(value, word_at(at));
      second = _mm_crc32_u64(second, word_at(at + kLane));
      third = _mm_crc32_u64(third, word_at(at + 2 * kLane));
    }
    value = behind_a_lane(behind_a_lane(value) ^ second) ^ third;
    at += 2 * kLane;
  }
  for (; left >= kWord; left -= kWord) {
    value = _mm_crc32_u64(value, word_at(at));
    at += kWord;
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
