#include "systolic/array/small_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace systolic {
namespace {

// A float32 as bits, and what NumPy and ml_dtypes round it to.
struct Row {
  uint32_t word;
  uint16_t bf16;
  uint16_t f16;
  uint8_t e4m3fn;
  uint8_t e5m2;
};

constexpr Row kRecorded[] = {
    {0x00000000, 0x0000, 0x0000, 0x00, 0x00},
    {0x80000000, 0x8000, 0x8000, 0x80, 0x80},
    {0x3f800000, 0x3f80, 0x3c00, 0x38, 0x3c},
    {0xc0200000, 0xc020, 0xc100, 0xc2, 0xc1},
    {0x3dcccccd, 0x3dcd, 0x2e66, 0x1d, 0x2e},
    {0x3eaaaaab, 0x3eab, 0x3555, 0x2b, 0x35},
    {0x477fe000, 0x4780, 0x7bff, 0x7f, 0x7c},
    {0x477fef00, 0x4780, 0x7bff, 0x7f, 0x7c},
    {0x477ff000, 0x4780, 0x7c00, 0x7f, 0x7c},
    {0x47c35000, 0x47c3, 0x7c00, 0x7f, 0x7c},
    {0xc7c35000, 0xc7c3, 0xfc00, 0xff, 0xfc},
    {0x43e00000, 0x43e0, 0x5f00, 0x7e, 0x5f},
    {0x43e80000, 0x43e8, 0x5f40, 0x7e, 0x5f},
    {0x43e88000, 0x43e8, 0x5f44, 0x7f, 0x5f},
    {0x43f00000, 0x43f0, 0x5f80, 0x7f, 0x60},
    {0x47600000, 0x4760, 0x7b00, 0x7f, 0x7b},
    {0x47700000, 0x4770, 0x7b80, 0x7f, 0x7c},
    {0x476fff00, 0x4770, 0x7b80, 0x7f, 0x7b},
    {0x3a83126f, 0x3a83, 0x1419, 0x01, 0x14},
    {0x3380d959, 0x3381, 0x0001, 0x00, 0x00},
    {0x3300d959, 0x3301, 0x0001, 0x00, 0x00},
    {0x32fffae5, 0x3300, 0x0000, 0x00, 0x00},
    {0x322bcc77, 0x322c, 0x0000, 0x00, 0x00},
    {0x337ffae5, 0x3380, 0x0001, 0x00, 0x00},
    {0x00000001, 0x0000, 0x0000, 0x00, 0x00},
    {0x7f7843b0, 0x7f78, 0x7c00, 0x7f, 0x7c},
    {0x7f7f0906, 0x7f7f, 0x7c00, 0x7f, 0x7c},
    {0x7f7fc99e, 0x7f80, 0x7c00, 0x7f, 0x7c},
    {0x3b000000, 0x3b00, 0x1800, 0x01, 0x18},
    {0x3a800000, 0x3a80, 0x1400, 0x00, 0x14},
    {0x3a7e4799, 0x3a7e, 0x13f2, 0x00, 0x14},
    {0x36ff0381, 0x36ff, 0x0080, 0x00, 0x00},
    {0x45001000, 0x4500, 0x6800, 0x7f, 0x68},
    {0x45003000, 0x4500, 0x6802, 0x7f, 0x68},
    {0x3f808000, 0x3f80, 0x3c04, 0x38, 0x3c},
    {0x3f818000, 0x3f82, 0x3c0c, 0x38, 0x3c},
    {0x7f800000, 0x7f80, 0x7c00, 0x7f, 0x7c},
    {0xff800000, 0xff80, 0xfc00, 0xff, 0xfc},
    {0x3f100000, 0x3f10, 0x3880, 0x31, 0x38},
    {0x41880000, 0x4188, 0x4c40, 0x58, 0x4c},
    {0x41980000, 0x4198, 0x4cc0, 0x5a, 0x4d},
};

TEST(SmallFloatTest, RoundsAsRecorded) {
  for (const Row& row : kRecorded) {
    float value = std::bit_cast<float>(row.word);
    EXPECT_EQ(bfloat16(value).bits, row.bf16) << value;
    EXPECT_EQ(float16(value).bits, row.f16) << value;
    EXPECT_EQ(float8_e4m3fn(value).bits, row.e4m3fn) << value;
    EXPECT_EQ(float8_e5m2(value).bits, row.e5m2) << value;
  }
}

template <class T, class Bits>
void expect_round_trips(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    T from;
    from.bits = static_cast<Bits>(i);
    float value = from;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value)))) << i;
    } else {
      ASSERT_EQ(T(value).bits, from.bits) << value;
    }
  }
}

TEST(SmallFloatTest, EveryValueSurvivesFloat32) {
  expect_round_trips<bfloat16, uint16_t>(1 << 16);
  expect_round_trips<float16, uint16_t>(1 << 16);
  expect_round_trips<float8_e4m3fn, uint8_t>(1 << 8);
  expect_round_trips<float8_e5m2, uint8_t>(1 << 8);
}

TEST(SmallFloatTest, KnownValues) {
  float16 smallest;
  smallest.bits = 1;
  EXPECT_EQ(static_cast<float>(smallest), std::ldexp(1.f, -24));
  float8_e4m3fn largest;
  largest.bits = 0x7e;
  EXPECT_EQ(static_cast<float>(largest), 448.f);
  float8_e5m2 infinite;
  infinite.bits = 0xfc;
  EXPECT_EQ(static_cast<float>(infinite),
            -std::numeric_limits<float>::infinity());
}

TEST(SmallFloatTest, NanStaysNan) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  // A NaN whose payload lies in the bits that are cut off.
  float faint = std::bit_cast<float>(0x7f800001u);
  for (float value : {nan, -nan, faint}) {
    EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(value))));
    EXPECT_TRUE(std::isnan(static_cast<float>(float16(value))));
    EXPECT_TRUE(std::isnan(static_cast<float>(float8_e4m3fn(value))));
    EXPECT_TRUE(std::isnan(static_cast<float>(float8_e5m2(value))));
  }
}

}  // namespace
}  // namespace systolic
