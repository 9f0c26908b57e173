#include "systolic/array/elementwise.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "systolic/array/cast.h"
#include "systolic/array/manipulation.h"
#include "systolic/array/reductions.h"
#include "systolic/array/unary.h"
#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using internal::text_of;

TEST(ElementwiseTest, Arithmetic) {
  Array a = Array::from({1.f, 2.f, 3.f});
  Array b = Array::from({4.f, 5.f, 8.f});
  EXPECT_EQ((a + b).to_string(), "[ 5.  7. 11.]");
  EXPECT_EQ((a - b).to_string(), "[-3. -3. -5.]");
  EXPECT_EQ((a * b).to_string(), "[ 4. 10. 24.]");
  EXPECT_EQ((a / b).to_string(), "[0.25  0.4   0.375]");
  EXPECT_EQ(power(a, 2).to_string(), "[1. 4. 9.]");
  EXPECT_EQ(maximum(a, 2.f).to_string(), "[2. 2. 3.]");
  EXPECT_EQ(minimum(2.f, a).to_string(), "[1. 2. 2.]");
}

TEST(ElementwiseTest, ScalarsOnEitherSideAreWeak) {
  Array image = Array::from({uint8_t{0}, uint8_t{51}, uint8_t{255}});
  Array scaled = cast<float>(image) / 255.f;
  EXPECT_EQ(scaled.to_string(), "[0.  0.2 1. ]");
  EXPECT_EQ(scaled.dtype(), DType::float32);
  EXPECT_EQ((image + 1)[1].item<int>(), 52);
  EXPECT_EQ((image + 1).dtype(), DType::uint8);
  EXPECT_EQ((2 * cast<bfloat16>(image)).dtype(), DType::bfloat16);
  EXPECT_EQ((cast<bfloat16>(image) * 0.5).dtype(), DType::bfloat16);
  EXPECT_EQ((image * 0.5).dtype(), DType::float32);
  EXPECT_EQ((1 - image).to_string(), "[  1 206   2]");
  EXPECT_EQ((10.0 / Array::from({4, 5})).to_string(), "[2.5 2. ]");
}

TEST(ElementwiseTest, DtypesPromote) {
  Array ints = Array::from({1, 2});
  EXPECT_EQ((ints + Array::from({1.f, 2.f})).dtype(), DType::float32);
  EXPECT_EQ((ints / ints).dtype(), DType::float32);
  EXPECT_EQ((Array::from({uint8_t{200}}) + Array::from({int8_t{-1}})).dtype(),
            DType::int16);
  EXPECT_EQ((Array::from({true}) + ints).to_string(), "[2 3]");
  Array half = Array::from({float16(1.f)});
  EXPECT_EQ((half + Array::from({bfloat16(1.f)})).dtype(), DType::float32);
  EXPECT_EQ((half + half).dtype(), DType::float16);
}

// Vectors of any width give the bits of one number at a time.
TEST(ElementwiseTest, LongRowsHaveTheBitsOfSingleNumbers) {
  constexpr int64_t kCount = 1003;
  Array bytes = Array::uninitialized({DType::uint8, {kCount}});
  for (int64_t i = 0; i < kCount; ++i) {
    bytes.mutable_span<uint8_t>()[static_cast<size_t>(i)] =
        static_cast<uint8_t>(i * 37);
  }
  const Array scaled = cast<float>(bytes) / 255.f;
  const Array shifted = scaled * 3.f + scaled;
  for (int64_t i = 0; i < kCount; ++i) {
    const float one = static_cast<float>(bytes[i].item<int>()) / 255.f;
    ASSERT_EQ(scaled[i].item<float>(), one) << i;
    volatile float product = one * 3.f;
    ASSERT_EQ(shifted[i].item<float>(), product + one) << i;
  }
}

TEST(ElementwiseTest, BroadcastsAsNumpy) {
  Array rows = reshape(Array::from({0, 10, 20}), {3, 1});
  Array columns = Array::from({1, 2});
  EXPECT_EQ((rows + columns).to_string(), "[[ 1  2]\n [11 12]\n [21 22]]");
  Array cube = Array::from({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  Array middle = Array::from({10, 20}, {2, 1});
  EXPECT_EQ((cube * middle).to_string(),
            "[[[ 10  20]\n  [ 60  80]]\n\n [[ 50  60]\n  [140 160]]]");
  Array outer = Array::from({1, 2}, {2, 1, 1});
  EXPECT_EQ(((cube - outer)[{1, 1}].to_string()), "[5 6]");
  EXPECT_EQ((Array::zeros({0, 2}) + columns).shape(), (Shape{0, 2}));
  EXPECT_EQ((Array::scalar(1) + Array::scalar(2)).item<int>(), 3);
}

TEST(ElementwiseTest, IntegersWrap) {
  Array most = Array::from({std::numeric_limits<int>::max()});
  EXPECT_EQ((most + 1).item<int>(), std::numeric_limits<int>::min());
  EXPECT_EQ((most * 2).item<int>(), -2);
  EXPECT_EQ((Array::from({uint16_t{65535}}) * Array::from({uint16_t{65535}}))
                .item<int>(),
            1);
}

TEST(ElementwiseTest, IntegerPower) {
  Array base = Array::from({2, -1, 1, 3, -2});
  EXPECT_EQ(power(base, 3).to_string(), "[ 8 -1  1 27 -8]");
  EXPECT_EQ(power(base, -3).to_string(), "[ 0 -1  1  0  0]");
  EXPECT_EQ(power(base, 0).to_string(), "[1 1 1 1 1]");
  EXPECT_EQ(power(2, Array::from({0.5f})).dtype(), DType::float32);
}

TEST(ElementwiseTest, Bools) {
  Array a = Array::from({true, true, false});
  Array b = Array::from({true, false, false});
  EXPECT_EQ((a + b).to_string(), "[ True  True False]");
  EXPECT_EQ((a * b).to_string(), "[ True False False]");
  EXPECT_EQ(maximum(a, b).to_string(), "[ True  True False]");
  EXPECT_EQ(minimum(a, b).to_string(), "[ True False False]");
  EXPECT_EQ(logical_and(a, b).to_string(), "[ True False False]");
  EXPECT_EQ(logical_or(a, b).to_string(), "[ True  True False]");
  EXPECT_EQ(logical_xor(a, b).to_string(), "[False  True False]");
  EXPECT_EQ(logical_and(Array::from({2.f, 0.f}), 3).to_string(),
            "[ True False]");
  EXPECT_EQ(text_of<TypeError>([&] { a - b; }),
            "subtract: expected numbers, got bool and bool\n"
            "  hint: use logical_xor to compare bools, or cast them first");
}

TEST(ElementwiseTest, Comparisons) {
  Array a = Array::from({1.f, 2.f, kNan});
  EXPECT_EQ((a < 2).to_string(), "[ True False False]");
  EXPECT_EQ((a <= 2).to_string(), "[ True  True False]");
  EXPECT_EQ((a > 1).to_string(), "[False  True False]");
  EXPECT_EQ((1 >= a).to_string(), "[ True False False]");
  EXPECT_EQ(equal(a, 2).to_string(), "[False  True False]");
  EXPECT_EQ(not_equal(a, a).to_string(), "[False False  True]");
  EXPECT_EQ(equal(a, a).dtype(), DType::boolean);
  Array words = Array::from_strings({"a", "b"});
  EXPECT_EQ(equal(words, Array::scalar("b")).to_string(), "[False  True]");
  EXPECT_EQ(less(words, Array::scalar("b")).to_string(), "[ True False]");
}

TEST(ElementwiseTest, NanWinsInMaximumAndMinimum) {
  Array a = Array::from({kNan, 1.f});
  Array b = Array::from({1.f, kNan});
  EXPECT_EQ(maximum(a, b).to_string(), "[nan nan]");
  EXPECT_EQ(minimum(a, b).to_string(), "[nan nan]");
}

TEST(ElementwiseTest, Where) {
  Array condition = Array::from({true, false, true});
  Array a = Array::from({1, 2, 3});
  EXPECT_EQ(where(condition, a, 0).to_string(), "[1 0 3]");
  EXPECT_EQ(where(condition, 1, 0).dtype(), DType::int32);
  EXPECT_EQ(where(condition, 1.f, a).to_string(), "[1. 2. 1.]");
  EXPECT_EQ(where(reshape(condition, {3, 1}), a, -a).shape(), (Shape{3, 3}));
  EXPECT_EQ(
      where(a > 2, Array::scalar("big"), Array::scalar("small")).to_string(),
      "[b'small' b'small' b'big']");
  EXPECT_THROW(where(condition, Array::from({1, 2}), a), ShapeError);
  EXPECT_THROW(where(condition, Array::scalar("x"), a), TypeError);
}

TEST(ElementwiseTest, Errors) {
  Array a = Array::zeros({2, 3});
  EXPECT_EQ(text_of<ShapeError>([&] { a* Array::zeros({4}); }),
            "multiply: expected shapes that broadcast, got (2, 3) and (4,)\n"
            "  hint: axis -1 has sizes 3 and 4; they must be equal, or one of "
            "them 1");
  EXPECT_EQ(text_of<TypeError>([&] { a + Array::scalar("x"); }),
            "add: expected numbers, got float32[2, 3] and string[]");
  EXPECT_EQ(text_of<ValueError>([] { Array::from({uint8_t{1}}) < 300; }),
            "less: expected a number in the range of uint8, got 300\n"
            "  hint: cast the array to a wider dtype first");
  EXPECT_EQ(text_of<ValueError>([&] { a + Array(); }),
            "add: expected an array, got an Array that nothing was assigned "
            "to");
}

}  // namespace
}  // namespace systolic
