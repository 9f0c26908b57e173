#include "systolic/array/small_float.h"

#include <cmath>

namespace systolic::internal {
namespace {

// How a format packs sign, exponent and fraction below float32.
struct Format {
  int exponent_bits;
  int fraction_bits;
  bool has_infinity;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int width() const { return 1 + exponent_bits + fraction_bits; }
  constexpr uint32_t sign() const { return 1u << (width() - 1); }
  // All exponent bits set: infinity where the format has one.
  constexpr uint32_t top() const {
    return ((1u << exponent_bits) - 1) << fraction_bits;
  }
  constexpr uint32_t quiet_nan() const {
    return has_infinity ? top() | (1u << (fraction_bits - 1))
                        : top() | ((1u << fraction_bits) - 1);
  }
  // What a value too large to represent becomes.
  constexpr uint32_t overflow() const {
    return has_infinity ? top() : quiet_nan();
  }
};

constexpr Format kFloat16{5, 10, true};
constexpr Format kFloat8E4m3fn{4, 3, false};
constexpr Format kFloat8E5m2{5, 2, true};

// value >> shift, rounded to nearest, ties to even.
uint32_t shift_rounded(uint32_t value, int shift) {
  uint32_t half = 1u << (shift - 1);
  uint32_t rest = value & ((1u << shift) - 1);
  uint32_t result = value >> shift;
  if (rest > half || (rest == half && (result & 1) != 0)) ++result;
  return result;
}

uint32_t pack(float value, const Format& format) {
  uint32_t word = std::bit_cast<uint32_t>(value);
  uint32_t sign = (word >> 31) != 0 ? format.sign() : 0;
  uint32_t magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | format.quiet_nan();
  if (magnitude == 0x7f800000u) return sign | format.overflow();
  int exponent = static_cast<int>(magnitude >> 23) - 127 + format.bias();
  uint32_t fraction = magnitude & 0x7fffffu;
  int shift = 23 - format.fraction_bits;
  uint32_t bits;
  if (exponent >= 1) {
    // A fraction that rounds up past its width carries into the exponent.
    bits = (static_cast<uint32_t>(exponent) << format.fraction_bits) +
           shift_rounded(fraction, shift);
  } else {
    int down = shift + 1 - exponent;
    bits = down > 25 ? 0 : shift_rounded(fraction | 0x800000u, down);
  }
  uint32_t limit = format.has_infinity ? format.top() : format.quiet_nan();
  return sign | (bits >= limit ? format.overflow() : bits);
}

float unpack(uint32_t bits, const Format& format) {
  uint32_t sign = (bits & format.sign()) != 0 ? 0x80000000u : 0;
  uint32_t magnitude = bits & (format.sign() - 1);
  uint32_t fraction = magnitude & ((1u << format.fraction_bits) - 1);
  int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  uint32_t word;
  if (format.has_infinity ? magnitude > format.top()
                          : magnitude == format.quiet_nan()) {
    word = 0x7fc00000u;
  } else if (format.has_infinity && magnitude == format.top()) {
    word = 0x7f800000u;
  } else if (exponent == 0) {
    word = std::bit_cast<uint32_t>(
        std::ldexp(static_cast<float>(fraction),
                   1 - format.bias() - format.fraction_bits));
  } else {
    word = (static_cast<uint32_t>(exponent - format.bias() + 127) << 23) |
           (fraction << (23 - format.fraction_bits));
  }
  return std::bit_cast<float>(sign | word);
}

}  // namespace

uint16_t bits_from_float_f16(float value) {
  return static_cast<uint16_t>(pack(value, kFloat16));
}

float float_from_bits_f16(uint16_t bits) { return unpack(bits, kFloat16); }

uint8_t bits_from_float_e4m3fn(float value) {
  return static_cast<uint8_t>(pack(value, kFloat8E4m3fn));
}

float float_from_bits_e4m3fn(uint8_t bits) {
  return unpack(bits, kFloat8E4m3fn);
}

uint8_t bits_from_float_e5m2(float value) {
  return static_cast<uint8_t>(pack(value, kFloat8E5m2));
}

float float_from_bits_e5m2(uint8_t bits) { return unpack(bits, kFloat8E5m2); }

}  // namespace systolic::internal
