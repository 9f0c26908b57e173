#include "systolic/array/promotion.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "systolic/base/error.h"

namespace systolic {
namespace {

// keras.backend.result_type of Keras 3.15.1 on TensorFlow, in the order of the
// rows; but for uint64, which Keras narrows to uint32 and hosts keep.
struct Row {
  const char* dtype;
  const char* with_each;
  const char* with_int;
  const char* with_float;
};

constexpr Row kRecorded[] = {
    {"bool",
     "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
     "float32 float64",
     "int32", "float32"},
    {"int8",
     "int8 int8 int16 int32 int64 int16 int32 int64 float32 float16 bfloat16 "
     "float32 float64",
     "int8", "float32"},
    {"int16",
     "int16 int16 int16 int32 int64 int16 int32 int64 float32 float16 bfloat16 "
     "float32 float64",
     "int16", "float32"},
    {"int32",
     "int32 int32 int32 int32 int64 int32 int32 int64 float32 float16 bfloat16 "
     "float32 float64",
     "int32", "float32"},
    {"int64",
     "int64 int64 int64 int64 int64 int64 int64 int64 float32 float16 bfloat16 "
     "float32 float64",
     "int64", "float32"},
    {"uint8",
     "uint8 int16 int16 int32 int64 uint8 uint16 uint32 uint64 float16 "
     "bfloat16 float32 float64",
     "uint8", "float32"},
    {"uint16",
     "uint16 int32 int32 int32 int64 uint16 uint16 uint32 uint64 float16 "
     "bfloat16 float32 float64",
     "uint16", "float32"},
    {"uint32",
     "uint32 int64 int64 int64 int64 uint32 uint32 uint32 uint64 float16 "
     "bfloat16 float32 float64",
     "uint32", "float32"},
    {"uint64",
     "uint64 float32 float32 float32 float32 uint64 uint64 uint64 uint64 "
     "float16 bfloat16 float32 float64",
     "uint64", "float32"},
    {"float16",
     "float16 float16 float16 float16 float16 float16 float16 float16 float16 "
     "float16 float32 float32 float64",
     "float16", "float16"},
    {"bfloat16",
     "bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 "
     "bfloat16 float32 bfloat16 float32 float64",
     "bfloat16", "bfloat16"},
    {"float32",
     "float32 float32 float32 float32 float32 float32 float32 float32 float32 "
     "float32 float32 float32 float64",
     "float32", "float32"},
    {"float64",
     "float64 float64 float64 float64 float64 float64 float64 float64 float64 "
     "float64 float64 float64 float64",
     "float64", "float64"},
};

TEST(PromotionTest, PairsMeetAsInKeras) {
  for (const Row& row : kRecorded) {
    std::istringstream expected(row.with_each);
    for (const Row& other : kRecorded) {
      std::string meets;
      expected >> meets;
      EXPECT_EQ(name(promote(dtype_from_name(row.dtype),
                             dtype_from_name(other.dtype))),
                meets)
          << row.dtype << " with " << other.dtype;
    }
  }
}

TEST(PromotionTest, ScalarsAreWeakAsInKeras) {
  for (const Row& row : kRecorded) {
    DType dtype = dtype_from_name(row.dtype);
    EXPECT_EQ(name(promote_weak(dtype, WeakKind::integer)), row.with_int);
    EXPECT_EQ(name(promote_weak(dtype, WeakKind::floating)), row.with_float);
    EXPECT_EQ(promote_weak(dtype, WeakKind::boolean), dtype);
  }
}

TEST(PromotionTest, DefaultsOfScalarsAndResults) {
  EXPECT_EQ(default_dtype(WeakKind::boolean), DType::boolean);
  EXPECT_EQ(default_dtype(WeakKind::integer), DType::int32);
  EXPECT_EQ(default_dtype(WeakKind::floating), DType::float32);
  EXPECT_EQ(floating_dtype(DType::int64), DType::float32);
  EXPECT_EQ(floating_dtype(DType::bfloat16), DType::bfloat16);
  EXPECT_EQ(sum_dtype(DType::boolean), DType::int32);
  EXPECT_EQ(sum_dtype(DType::int16), DType::int32);
  EXPECT_EQ(sum_dtype(DType::uint8), DType::uint32);
  EXPECT_EQ(sum_dtype(DType::int64), DType::int64);
  EXPECT_EQ(sum_dtype(DType::float16), DType::float16);
}

TEST(PromotionTest, Float8NeverConvertsByItself) {
  EXPECT_EQ(promote(DType::float8_e5m2, DType::float8_e5m2),
            DType::float8_e5m2);
  try {
    promote(DType::float32, DType::float8_e4m3fn);
    FAIL() << "nothing was thrown";
  } catch (const TypeError& e) {
    EXPECT_STREQ(e.what(),
                 "promote: expected operands of one dtype, since float8 never "
                 "converts by itself, got float8_e4m3fn and float32\n"
                 "  hint: cast the float8 operand first, for example cast(x, "
                 "DType::float32)");
  }
  EXPECT_THROW(promote_weak(DType::float8_e5m2, WeakKind::integer), TypeError);
}

TEST(PromotionTest, ComplexNumbersHoldTheirParts) {
  EXPECT_EQ(promote(DType::complex64, DType::float32), DType::complex64);
  EXPECT_EQ(promote(DType::complex64, DType::float64), DType::complex128);
  EXPECT_EQ(promote(DType::int64, DType::complex64), DType::complex64);
  EXPECT_EQ(promote_weak(DType::bfloat16, WeakKind::complex), DType::complex64);
  EXPECT_EQ(promote_weak(DType::float64, WeakKind::complex), DType::complex128);
  EXPECT_EQ(promote_weak(DType::complex64, WeakKind::floating),
            DType::complex64);
  EXPECT_EQ(default_dtype(WeakKind::complex), DType::complex64);
  EXPECT_EQ(floating_dtype(DType::complex128), DType::complex128);
  EXPECT_EQ(real_dtype(DType::complex128), DType::float64);
  EXPECT_EQ(real_dtype(DType::float16), DType::float16);
  EXPECT_EQ(complex_dtype(DType::float64), DType::complex128);
  EXPECT_EQ(complex_dtype(DType::int32), DType::complex64);
}

TEST(PromotionTest, StringsDoNotPromote) {
  EXPECT_THROW(promote(DType::string, DType::string), TypeError);
  EXPECT_THROW(promote_weak(DType::string, WeakKind::integer), TypeError);
  EXPECT_THROW(sum_dtype(DType::string), TypeError);
}

}  // namespace
}  // namespace systolic
