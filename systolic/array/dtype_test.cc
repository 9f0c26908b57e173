#include "systolic/array/dtype.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "systolic/base/error.h"

namespace systolic {
namespace {

static_assert(dtype_of<bool> == DType::boolean);
static_assert(dtype_of<signed char> == DType::int8);
static_assert(dtype_of<short> == DType::int16);
static_assert(dtype_of<int> == DType::int32);
static_assert(dtype_of<long> == DType::int64);
static_assert(dtype_of<long long> == DType::int64);
static_assert(dtype_of<const uint8_t> == DType::uint8);
static_assert(dtype_of<std::byte> == DType::uint8);
static_assert(dtype_of<uint16_t> == DType::uint16);
static_assert(dtype_of<unsigned> == DType::uint32);
static_assert(dtype_of<size_t> == DType::uint64);
static_assert(dtype_of<float> == DType::float32);
static_assert(dtype_of<double> == DType::float64);
static_assert(dtype_of<bfloat16> == DType::bfloat16);
static_assert(dtype_of<float16> == DType::float16);
static_assert(dtype_of<float8_e4m3fn> == DType::float8_e4m3fn);
static_assert(dtype_of<float8_e5m2> == DType::float8_e5m2);
static_assert(dtype_of<std::complex<float>> == DType::complex64);
static_assert(dtype_of<std::complex<double>> == DType::complex128);
static_assert(dtype_of<std::string> == DType::string);
static_assert(!ArrayElement<const char*>);

TEST(DTypeTest, EveryNameLeadsBack) {
  for (int i = 0; i < kDTypeCount; ++i) {
    DType dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
    EXPECT_GT(size_of(dtype), 0u);
  }
  EXPECT_EQ(name(DType::boolean), "bool");
  EXPECT_EQ(name(DType::float8_e4m3fn), "float8_e4m3fn");
  EXPECT_EQ(size_of(DType::bfloat16), 2u);
  EXPECT_EQ(size_of(DType::int64), 8u);
}

TEST(DTypeTest, Kinds) {
  EXPECT_TRUE(is_floating(DType::float8_e5m2));
  EXPECT_TRUE(is_floating(DType::float64));
  EXPECT_FALSE(is_floating(DType::string));
  EXPECT_FALSE(is_floating(DType::uint64));
  EXPECT_TRUE(is_integer(DType::int8));
  EXPECT_TRUE(is_integer(DType::uint64));
  EXPECT_FALSE(is_integer(DType::boolean));
  EXPECT_TRUE(is_signed(DType::int64));
  EXPECT_TRUE(is_signed(DType::bfloat16));
  EXPECT_FALSE(is_signed(DType::uint8));
  EXPECT_FALSE(is_signed(DType::boolean));
  EXPECT_FALSE(is_numeric(DType::string));
  EXPECT_FALSE(is_floating(DType::complex64));
  EXPECT_TRUE(is_complex(DType::complex64) && is_complex(DType::complex128));
  EXPECT_TRUE(is_inexact(DType::complex64) && is_inexact(DType::bfloat16));
  EXPECT_FALSE(is_inexact(DType::int32) || is_inexact(DType::string));
  EXPECT_TRUE(is_float8(DType::float8_e5m2));
  EXPECT_FALSE(is_float8(DType::float16));
}

TEST(DTypeTest, AnUnknownNameListsTheNames) {
  try {
    dtype_from_name("flaot32");
    FAIL() << "nothing was thrown";
  } catch (const ValueError& e) {
    EXPECT_STREQ(
        e.what(),
        "dtype: expected 'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', "
        "'uint16', 'uint32', 'uint64', 'float8_e4m3fn', 'float8_e5m2', "
        "'float16', 'bfloat16', 'float32', 'float64', 'complex64', "
        "'complex128' or 'string', got "
        "'flaot32'\n  hint: did you mean 'float32'?");
  }
  try {
    dtype_from_name("double");
    FAIL() << "nothing was thrown";
  } catch (const ValueError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'float64'?"),
              std::string::npos);
  }
}

TEST(DTypeTest, Streams) {
  std::ostringstream out;
  out << DType::uint8;
  EXPECT_EQ(out.str(), "uint8");
}

}  // namespace
}  // namespace systolic
