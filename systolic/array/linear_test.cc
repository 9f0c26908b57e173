#include "systolic/array/linear.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/array/cast.h"
#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

using internal::text_of;

Array iota(const Shape& shape) {
  Array out = Array::uninitialized({DType::float32, shape});
  float next = 0;
  for (float& value : out.mutable_span<float>()) value = next++;
  return out;
}

TEST(MatmulTest, Matrices) {
  Array a = Array::from({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {2, 3});
  Array b = Array::from({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {3, 2});
  EXPECT_EQ(matmul(a, b).to_string(), "[[22. 28.]\n [49. 64.]]");
  EXPECT_EQ(matmul(cast<int>(a), cast<int>(b)).to_string(),
            "[[22 28]\n [49 64]]");
}

TEST(MatmulTest, VectorsAndBatches) {
  Array v = iota({3});
  EXPECT_EQ(matmul(v, v).to_string(), "5.0");
  EXPECT_EQ(matmul(iota({2, 3}), v).to_string(), "[ 5. 14.]");
  EXPECT_EQ(matmul(v, iota({3, 2})).to_string(), "[10. 13.]");
  Array batch = matmul(iota({2, 1, 2, 3}), iota({4, 3, 2}));
  EXPECT_EQ(batch.shape(), (Shape{2, 4, 2, 2}));
  EXPECT_EQ((batch[{1, 2}].to_string()), "[[298. 319.]\n [424. 454.]]");
  EXPECT_EQ(matmul(iota({2, 0}), iota({0, 2})).to_string(),
            "[[0. 0.]\n [0. 0.]]");
}

TEST(MatmulTest, Dtypes) {
  Array bytes = Array::full({2, 2}, 100, DType::int8);
  EXPECT_EQ(matmul(bytes, bytes).to_string(),
            "[[20000 20000]\n [20000 20000]]");
  EXPECT_EQ(matmul(bytes, bytes).dtype(), DType::int32);
  Array half = Array::ones({2, 2}, DType::bfloat16);
  EXPECT_EQ(matmul(half, half).dtype(), DType::bfloat16);
  EXPECT_EQ(matmul(half, iota({2, 2})).dtype(), DType::float32);
}

TEST(MatmulTest, Errors) {
  EXPECT_EQ(text_of<ShapeError>([] {
              matmul(iota({2, 3}), iota({2, 3}));
            }),
            "matmul: expected the last axis of a to equal the second to last "
            "of b, got 3 and 2\n  a: float32[2, 3]\n  b: float32[2, 3]");
  EXPECT_EQ(text_of<ShapeError>([] {
              matmul(iota({2, 3}), iota({2}));
            }),
            "matmul: expected the last axis of a to be as long as b, got 3 "
            "and 2\n  a: float32[2, 3]\n  b: float32[2]");
  EXPECT_EQ(
      text_of<ShapeError>([] {
        matmul(iota({2, 1, 3}), iota({3, 3, 1}));
      }),
      "matmul: expected axes before the last two that broadcast, got (2,) and "
      "(3,)\n  a: float32[2, 1, 3]\n  b: float32[3, 3, 1]");
  EXPECT_EQ(text_of<ShapeError>([] { matmul(Array::scalar(1), iota({2})); }),
            "matmul: expected operands with at least one axis, got a scalar\n"
            "  a: int32[]\n  b: float32[2]");
}

TEST(OneHotTest, MarksPositions) {
  Array x = Array::from({int64_t{2}, int64_t{0}, int64_t{-1}, int64_t{3}});
  EXPECT_EQ(one_hot(x, 3).to_string(),
            "[[0. 0. 1.]\n [1. 0. 0.]\n [0. 0. 0.]\n [0. 0. 0.]]");
  EXPECT_EQ(one_hot(x, 3, {.axis = 0, .dtype = DType::int32}).to_string(),
            "[[0 1 0 0]\n [0 0 0 0]\n [1 0 0 0]]");
  EXPECT_EQ(one_hot(Array::scalar(uint8_t{1}), 2).to_string(), "[0. 1.]");
  EXPECT_EQ(one_hot(x, 2, {.dtype = DType::bfloat16}).dtype(), DType::bfloat16);
  Array square = Array::from({0, 1, 1, 0}, {2, 2});
  EXPECT_EQ(one_hot(square, 2, {.axis = 1}).to_string(),
            "[[[1. 0.]\n  [0. 1.]]\n\n [[0. 1.]\n  [1. 0.]]]");
}

TEST(OneHotTest, Errors) {
  EXPECT_EQ(text_of<TypeError>([] { one_hot(iota({2}), 3); }),
            "one_hot: expected integers, got float32[2]\n"
            "  hint: cast the labels first, for example cast<int>(labels)");
  EXPECT_EQ(text_of<ValueError>([] { one_hot(Array::from({1}), 0); }),
            "one_hot: expected num_classes of 1 or more, got 0");
}

}  // namespace
}  // namespace systolic
