#include "systolic/array/complex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/array/arrays.h"
#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Array vector() { return Array::from({C64(1, 2), C64(-3, 0.5), C64(0, -1)}); }

TEST(ComplexTest, PartsGoThereAndBack) {
  const Array z =
      complex(Array::from({1.f, -3.f, 0.f}), Array::from({2.f, 0.5f, -1.f}));
  EXPECT_EQ(z.dtype(), DType::complex64);
  EXPECT_TRUE(array_equal(z, vector()));
  EXPECT_EQ(real(z).repr(), "array([ 1., -3.,  0.], dtype=float32)");
  EXPECT_EQ(imag(z).repr(), "array([ 2. ,  0.5, -1. ], dtype=float32)");
  EXPECT_EQ(conj(z).to_string(), "[ 1.-2.j  -3.-0.5j  0.+1.j ]");
  const Array wide =
      complex(Array::from({1.0, 2.0}, {2, 1}), Array::from({3, 4, 5}));
  EXPECT_EQ(wide.spec().to_string(),
            (TensorSpec{DType::complex128, {2, 3}}).to_string());
  EXPECT_EQ((wide[{1, 2}].item<C128>()), C128(2, 5));
  // Of real numbers there is no other part.
  EXPECT_EQ(imag(Array::from({1.f, 2.f})).to_string(), "[0. 0.]");
  EXPECT_EQ(angle(Array::from({1.f, -1.f})).to_string(),
            "[0.        3.1415927]");
}

TEST(ComplexTest, Arithmetic) {
  const Array z = vector();
  EXPECT_EQ((z * z).to_string(), "[-3.  +4.j  8.75-3.j -1.  -0.j]");
  EXPECT_EQ((z + 1).dtype(), DType::complex64);
  EXPECT_EQ((z + 1.5).to_string(), "[ 2.5+2.j  -1.5+0.5j  1.5-1.j ]");
  EXPECT_EQ((z * C128(0, 1)).to_string(), "[-2. +1.j -0.5-3.j  1. +0.j]");
  EXPECT_EQ((z / C64(0, 1)).dtype(), DType::complex64);
  EXPECT_EQ((Array::from({1.0}) * C64(0, 1)).dtype(), DType::complex128);
  EXPECT_EQ((Array::from({1, 2}) - C64(0, 1)).repr(),
            "array([1.-1.j, 2.-1.j], dtype=complex64)");
  EXPECT_EQ((-z).to_string(), "[-1.-2.j   3.-0.5j -0.+1.j ]");
  EXPECT_EQ(equal(z, C64(1, 2)).to_string(), "[ True False False]");
  EXPECT_EQ(not_equal(z, conj(z)).to_string(), "[ True  True  True]");
  EXPECT_EQ(where(Array::from({true, false, true}), z, 0.f).to_string(),
            "[1.+2.j 0.+0.j 0.-1.j]");
  EXPECT_TRUE(allclose(power(z, 2), z * z));
}

TEST(ComplexTest, Functions) {
  const Array z = cast(vector(), DType::complex128);
  EXPECT_EQ(abs(Array::from({C64(3, -4)})).repr(),
            "array([5.], dtype=float32)");
  EXPECT_TRUE(allclose(sign(z) * abs(z), z));
  EXPECT_TRUE(allclose(exp(log(z)), z));
  EXPECT_TRUE(allclose(square(sqrt(z)), z));
  EXPECT_TRUE(allclose(rsqrt(z) * sqrt(z), Array::ones({3})));
  EXPECT_TRUE(allclose(square(sin(z)) + square(cos(z)), Array::ones({3})));
  EXPECT_TRUE(allclose(2 * sigmoid(2 * z) - 1.0, tanh(z)));
  EXPECT_TRUE(allclose(angle(exp(z)), imag(z)));
}

TEST(ComplexTest, SumsAndProducts) {
  const Array z = vector();
  EXPECT_EQ(sum(z).item<C64>(), C64(-2, 1.5));
  EXPECT_EQ(prod(z).item<C64>(), C64(-5.5, 4));
  EXPECT_EQ(mean(z, {.axis = {}, .keepdims = true}).shape(), Shape{1});
  EXPECT_TRUE(allclose(mean(z), sum(z) / 3.f));
  EXPECT_EQ(matmul(z, conj(z)).item<C64>(), C64(15.25, 0));
  EXPECT_TRUE(any(z).item<bool>());
  EXPECT_EQ(transpose(z.reshaped({1, 3})).shape(), (Shape{3, 1}));
  EXPECT_FALSE(allclose(z, z + C64(0, 1e-3f)));
  EXPECT_EQ(cast(z, DType::complex128)[Slice(0, 3, 2)].repr(),
            "array([1.+2.j, 0.-1.j])");
}

TEST(ComplexTest, PrintsAsNumpy) {
  const auto text = [](std::vector<C128> values) {
    return Array::from(values).repr();
  };
  EXPECT_EQ(text({{1, 0}, {0, 2}, {-3.25, 1e-5}}),
            "array([ 1.  +0.e+00j,  0.  +2.e+00j, -3.25+1.e-05j])");
  EXPECT_EQ(text({{1e-5, 1}, {1, 0}}), "array([1.e-05+1.j, 1.e+00+0.j])");
  EXPECT_EQ(text({{kNan, 1}, {1, kInfinity}, {-kInfinity, kNan}}),
            "array([ nan +1.j,   1.+infj, -inf+nanj])");
  EXPECT_EQ(Array::from({C64(0.1f, 0.2f), C64(1.f / 3, 1)}).to_string(),
            "[0.1       +0.2j 0.33333334+1.j ]");
  const auto alone = [](C128 value) {
    return Array::scalar(value).to_string();
  };
  EXPECT_EQ(alone({1, 2}), "(1+2j)");
  EXPECT_EQ(alone({0, 2}), "2j");
  EXPECT_EQ(alone({-0.0, -2}), "(-0-2j)");
  EXPECT_EQ(alone({1e-7, -1e10}), "(1e-07-10000000000j)");
  EXPECT_EQ(alone({kNan, kInfinity}), "(nan+infj)");
  EXPECT_EQ(Array::scalar(C64(1234567, 1e6f)).to_string(),
            "(1.234567e+06+1e+06j)");
  EXPECT_EQ(Array::scalar(C64(0, 2)).repr(), "array(0.+2.j, dtype=complex64)");
}

TEST(ComplexTest, NothingIsLostSilently) {
  EXPECT_EQ(internal::text_of<TypeError>(
                [] { (void)cast(vector(), DType::float32); }),
            "cast: expected a complex dtype or bool for complex numbers, got "
            "complex64 to float32\n"
            "  input: complex64[3]\n"
            "  hint: a cast would lose the imaginary part: take real(x) or "
            "abs(x)");
  EXPECT_THROW((void)sum(vector()).item<float>(), TypeError);
  EXPECT_THROW((void)sum(vector()).item<int>(), TypeError);
  EXPECT_EQ(Array::scalar(2.f).item<C64>(), C64(2, 0));
  EXPECT_EQ(cast(vector(), DType::boolean).to_string(), "[ True  True  True]");
}

TEST(ComplexTest, WhatNeedsAnOrderIsRefused) {
  const Array z = vector();
  EXPECT_EQ(internal::text_of<TypeError>([&] { (void)max(z); }),
            "max: expected real numbers, got complex64[3]\n  hint: complex "
            "numbers have no order; take "
            "abs(x), real(x) or imag(x)");
  EXPECT_THROW((void)(z < 1), TypeError);
  EXPECT_THROW((void)maximum(z, z), TypeError);
  EXPECT_THROW((void)argmax(z), TypeError);
  EXPECT_THROW((void)floor(z), TypeError);
  EXPECT_THROW((void)round(z), TypeError);
  EXPECT_THROW((void)relu(z), TypeError);
  EXPECT_THROW((void)complex(z, z), TypeError);
}

TEST(ComplexTest, Float8IsStorage) {
  const Array x = cast(Array::from({1.f, 2.f}), DType::float8_e4m3fn);
  EXPECT_EQ(internal::text_of<TypeError>([&] { (void)(x + x); }),
            "add: expected a dtype to compute in, since float8 is storage, got "
            "float8_e4m3fn\n  hint: cast it first, for example cast(x, "
            "DType::bfloat16)");
  EXPECT_THROW((void)sum(x), TypeError);
  EXPECT_THROW((void)mean(x), TypeError);
  EXPECT_THROW((void)exp(x), TypeError);
  EXPECT_THROW((void)matmul(x, x), TypeError);
  EXPECT_THROW((void)-x, TypeError);
  EXPECT_TRUE(array_equal(x, x));
}

}  // namespace
}  // namespace systolic
