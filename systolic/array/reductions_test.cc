#include "systolic/array/reductions.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "systolic/array/cast.h"
#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using internal::text_of;

// 0 ... 23 as (2, 3, 4).
Array cube() {
  Array out = Array::uninitialized({DType::int32, {2, 3, 4}});
  int next = 0;
  for (int& value : out.mutable_span<int>()) value = next++;
  return out;
}

TEST(ReductionsTest, SumOverAnyAxes) {
  Array x = cube();
  EXPECT_EQ(sum(x).item<int>(), 276);
  EXPECT_EQ(sum(x).shape(), Shape::scalar());
  EXPECT_EQ(sum(x, {.axis = 0}).to_string(),
            "[[12 14 16 18]\n [20 22 24 26]\n [28 30 32 34]]");
  EXPECT_EQ(sum(x, {.axis = 1}).to_string(), "[[12 15 18 21]\n [48 51 54 57]]");
  EXPECT_EQ(sum(x, {.axis = -1}).to_string(), "[[ 6 22 38]\n [54 70 86]]");
  EXPECT_EQ(sum(x, {.axis = {0, 2}}).to_string(), "[ 60  92 124]");
  EXPECT_EQ(sum(x, {.axis = {0, 2}, .keepdims = true}).shape(),
            (Shape{1, 3, 1}));
  EXPECT_EQ(sum(x, {.axis = std::vector<int>{}}).shape(), x.shape());
  EXPECT_EQ(sum(Array::zeros({0, 3}), {.axis = 0}).to_string(), "[0. 0. 0.]");
}

TEST(ReductionsTest, DtypesAreKeras) {
  auto sum_of = [](DType dtype) {
    return sum(Array::ones({3}, dtype)).dtype();
  };
  EXPECT_EQ(sum_of(DType::boolean), DType::int32);
  EXPECT_EQ(sum_of(DType::int8), DType::int32);
  EXPECT_EQ(sum_of(DType::uint8), DType::uint32);
  EXPECT_EQ(sum_of(DType::int64), DType::int64);
  EXPECT_EQ(sum_of(DType::bfloat16), DType::bfloat16);
  EXPECT_EQ(prod(Array::ones({3}, DType::uint16)).dtype(), DType::uint32);
  EXPECT_EQ(mean(cube()).dtype(), DType::float32);
  EXPECT_EQ(mean(Array::ones({2}, DType::float64)).dtype(), DType::float64);
  EXPECT_EQ(mean(Array::ones({2}, DType::float16)).dtype(), DType::float16);
  EXPECT_EQ(max(Array::ones({2}, DType::int8)).dtype(), DType::int8);
}

TEST(ReductionsTest, SumsAreKeptWide) {
  EXPECT_EQ(sum(Array::ones({1000}, DType::boolean)).item<int>(), 1000);
  EXPECT_EQ(sum(Array::full({300}, 127, DType::int8)).item<int>(), 38100);
  // In bfloat16 steps the sum would stop at 256.
  EXPECT_EQ(sum(Array::ones({1000}, DType::bfloat16)).item<float>(), 1000.f);
  EXPECT_EQ(sum(Array::full({1 << 20}, 0.1)).item<float>(), 104857.6f);
}

TEST(ReductionsTest, ProdAndMean) {
  EXPECT_EQ(prod(Array::from({2, -3, 4})).item<int>(), -24);
  EXPECT_EQ(prod(Array::from({2.f, 0.5f, 3.f})).item<float>(), 3.f);
  EXPECT_EQ(mean(cube(), {.axis = {1, 2}}).to_string(), "[ 5.5 17.5]");
  EXPECT_EQ(mean(Array::from({true, false, true, true})).item<float>(), 0.75f);
  EXPECT_EQ(mean(Array::zeros({0})).to_string(), "nan");
}

TEST(ReductionsTest, MaxAndMin) {
  Array x = Array::from({3.f, -1.f, 2.f, 7.f}, {2, 2});
  EXPECT_EQ(max(x).item<float>(), 7.f);
  EXPECT_EQ(min(x, {.axis = 0}).to_string(), "[ 2. -1.]");
  EXPECT_EQ(max(Array::from({1.f, kNan, 2.f})).to_string(), "nan");
  EXPECT_EQ(min(Array::from({1.f, kNan, 2.f})).to_string(), "nan");
  EXPECT_EQ(max(Array::from({false, true})).to_string(), "True");
  EXPECT_EQ(max(Array::zeros({0, 3}), {.axis = 1}).shape(), (Shape{0}));
  EXPECT_EQ(text_of<ValueError>([] {
              max(Array::zeros({0, 3}));
            }),
            "max: expected at least one element to choose from, got none\n"
            "  input: float32[0, 3]");
}

TEST(ReductionsTest, AnyAndAll) {
  Array x = Array::from({0, 0, 1, 2}, {2, 2});
  EXPECT_EQ(any(x, {.axis = 1}).to_string(), "[False  True]");
  EXPECT_EQ(reduce_all(x, {.axis = 1}).to_string(), "[False  True]");
  EXPECT_EQ(all(x, {.axis = 0}).to_string(), "[False False]");
  EXPECT_FALSE(all(x).item<bool>());
  EXPECT_TRUE(any(x).item<bool>());
  EXPECT_TRUE(all(Array::zeros({0})).item<bool>());
  EXPECT_FALSE(any(Array::zeros({0})).item<bool>());
}

TEST(ReductionsTest, ArgmaxAndArgmin) {
  Array x = Array::from({3.f, 9.f, 9.f, 1.f, 1.f, 5.f}, {2, 3});
  EXPECT_EQ(argmax(x).item<int>(), 1);
  EXPECT_EQ(argmax(x, {.axis = 1}).to_string(), "[1 2]");
  EXPECT_EQ(argmax(x, {.axis = 0, .keepdims = true}).to_string(), "[[0 0 0]]");
  EXPECT_EQ(argmin(x, {.axis = -1}).to_string(), "[0 0]");
  EXPECT_EQ(argmax(x).dtype(), DType::int32);
  EXPECT_EQ(argmax(Array::from({1.f, kNan, 5.f, kNan})).item<int>(), 1);
  EXPECT_EQ(argmin(Array::from({1.f, kNan, 0.f})).item<int>(), 1);
  EXPECT_THROW(argmax(Array::zeros({0})), ValueError);
}

TEST(ReductionsTest, Errors) {
  EXPECT_EQ(text_of<OutOfRangeError>([] { sum(cube(), {.axis = 3}); }),
            "sum: expected an axis from -3 to 2 for an input of rank 3, got "
            "axis = 3");
  EXPECT_EQ(text_of<TypeError>([] { sum(Array::from_strings({"a"})); }),
            "sum: expected numbers, got string[1]\n"
            "  hint: convert the text to numbers first");
}

TEST(AllcloseTest, UsesBothTolerances) {
  Array a = Array::from({1.f, 1000.f});
  EXPECT_TRUE(allclose(a, Array::from({1.000001f, 1000.001f})));
  EXPECT_FALSE(allclose(a, Array::from({1.01f, 1000.f})));
  EXPECT_TRUE(allclose(a, Array::from({1.01f, 1000.f}), {.atol = 0.02}));
  EXPECT_FALSE(allclose(a, Array::from({1.f})));
  float infinity = std::numeric_limits<float>::infinity();
  Array b = Array::from({infinity, kNan});
  EXPECT_FALSE(allclose(b, b));
  EXPECT_TRUE(allclose(b, b, {.equal_nan = true}));
  EXPECT_FALSE(allclose(Array::from({infinity}), Array::from({1.f})));
  EXPECT_FALSE(allclose(Array::from({infinity}), Array::from({-infinity})));
}

TEST(ArrayEqualTest, ComparesShapesAndElements) {
  Array a = Array::from({1, 2});
  EXPECT_TRUE(array_equal(a, Array::from({1.f, 2.f})));
  EXPECT_FALSE(array_equal(a, Array::from({1, 3})));
  EXPECT_FALSE(array_equal(a, Array::from({1, 2}, {2, 1})));
  Array words = Array::from_strings({"a", "b"});
  EXPECT_TRUE(array_equal(words, words));
  EXPECT_FALSE(array_equal(words, a));
}

}  // namespace
}  // namespace systolic
