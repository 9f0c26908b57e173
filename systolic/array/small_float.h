// The floating-point types of one and two bytes, as storage with conversion.
//   bfloat16 b = bfloat16(1.5f);  float f = b;
// Conversion from float rounds to the nearest value, ties to even.
#pragma once

#include <bit>
#include <cstdint>

namespace systolic {
namespace internal {

uint16_t bits_from_float_f16(float value);
float float_from_bits_f16(uint16_t bits);
uint8_t bits_from_float_e4m3fn(float value);
float float_from_bits_e4m3fn(uint8_t bits);
uint8_t bits_from_float_e5m2(float value);
float float_from_bits_e5m2(uint8_t bits);

}  // namespace internal

// The upper half of a float32: 8 exponent bits, 7 fraction bits.
struct bfloat16 {
  uint16_t bits = 0;

  bfloat16() = default;
  explicit bfloat16(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((word >> 16) | 0x40u);  // keep NaN a NaN
    } else {
      bits = static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1)) >> 16);
    }
  }
  operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

// IEEE 754 binary16: 5 exponent bits, 10 fraction bits.
struct float16 {
  uint16_t bits = 0;

  float16() = default;
  explicit float16(float value) : bits(internal::bits_from_float_f16(value)) {}
  operator float() const { return internal::float_from_bits_f16(bits); }
};

// 4 exponent bits, 3 fraction bits, no infinity; overflow gives NaN.
struct float8_e4m3fn {
  uint8_t bits = 0;

  float8_e4m3fn() = default;
  explicit float8_e4m3fn(float value)
      : bits(internal::bits_from_float_e4m3fn(value)) {}
  operator float() const { return internal::float_from_bits_e4m3fn(bits); }
};

// 5 exponent bits, 2 fraction bits, with infinities.
struct float8_e5m2 {
  uint8_t bits = 0;

  float8_e5m2() = default;
  explicit float8_e5m2(float value)
      : bits(internal::bits_from_float_e5m2(value)) {}
  operator float() const { return internal::float_from_bits_e5m2(bits); }
};

}  // namespace systolic
