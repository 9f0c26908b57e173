#include "systolic/array/scalar.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic {
namespace {

TEST(ScalarTest, KeepsKindAndValue) {
  EXPECT_EQ(Scalar(true).kind(), WeakKind::boolean);
  EXPECT_EQ(Scalar(2u).kind(), WeakKind::integer);
  EXPECT_EQ(Scalar(2.f).kind(), WeakKind::floating);
  EXPECT_EQ(Scalar((int64_t{1} << 60) + 1).integer(), (int64_t{1} << 60) + 1);
  EXPECT_EQ(Scalar(0.5).real(), 0.5);
}

TEST(ScalarTest, BecomesAnElement) {
  EXPECT_EQ(Scalar(3).to_array(DType::int8, "add").item<int>(), 3);
  EXPECT_EQ(Scalar(3).to_array(DType::bfloat16, "add").dtype(),
            DType::bfloat16);
  EXPECT_EQ(Scalar(0.1).to_array(DType::float32, "add").item<float>(), 0.1f);
  uint64_t large = ~uint64_t{0};
  EXPECT_EQ(Scalar(large).to_array(DType::uint64, "add").item<uint64_t>(),
            large);
}

TEST(ScalarTest, MustFitAnIntegerType) {
  try {
    Scalar(300).to_array(DType::uint8, "add");
    FAIL() << "nothing was thrown";
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(),
                 "add: expected a number in the range of uint8, got 300\n"
                 "  hint: cast the array to a wider dtype first");
  }
  EXPECT_THROW(Scalar(-1).to_array(DType::uint64, "add"), ValueError);
  EXPECT_THROW(Scalar(~uint64_t{0}).to_array(DType::int64, "add"), ValueError);
  EXPECT_THROW(Scalar(int64_t{1} << 31).to_array(DType::int32, "add"),
               ValueError);
}

TEST(ArrayOperandTest, PromotesWeakly) {
  Array ints = Array::from({1, 2});
  Array halves = Array::full({2}, 1, DType::bfloat16);
  EXPECT_EQ(promote(ints, halves), DType::bfloat16);
  EXPECT_EQ(promote(ints, 2.5), DType::float32);
  EXPECT_EQ(promote(2.5, halves), DType::bfloat16);
  EXPECT_EQ(promote(ints, true), DType::int32);
  EXPECT_EQ(promote(ArrayOperand(1), ArrayOperand(2.f)), DType::float32);
  EXPECT_EQ(ArrayOperand(2).shape(), Shape::scalar());
  EXPECT_EQ(ArrayOperand(ints).to_array(DType::float32, "add").dtype(),
            DType::float32);
}

}  // namespace
}  // namespace systolic
