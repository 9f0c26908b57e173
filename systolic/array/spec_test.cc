#include "systolic/array/spec.h"

#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/error.h"

namespace systolic {
namespace {

TEST(TensorSpecTest, PrintsTypeAndSizes) {
  EXPECT_EQ((TensorSpec{DType::float32, {2, 3}}).to_string(), "float32[2, 3]");
  EXPECT_EQ((TensorSpec{DType::int64, Shape::scalar()}).to_string(), "int64[]");
  EXPECT_EQ((TensorSpec{DType::boolean, {-1, 4}}).to_string(), "bool[None, 4]");
  std::ostringstream out;
  out << TensorSpec();
  EXPECT_EQ(out.str(), "float32<unset>");
}

TEST(TensorSpecTest, ComparesAndCountsBytes) {
  TensorSpec a{DType::float32, {2, 3}};
  EXPECT_EQ(a, (TensorSpec{DType::float32, {2, 3}}));
  EXPECT_NE(a, (TensorSpec{DType::int32, {2, 3}}));
  EXPECT_NE(a, (TensorSpec{DType::float32, {3, 2}}));
  EXPECT_EQ(a.hash(), (TensorSpec{DType::float32, {2, 3}}).hash());
  EXPECT_NE(a.hash(), (TensorSpec{DType::int32, {2, 3}}).hash());
  EXPECT_EQ(a.nbytes(), 24u);
  EXPECT_THROW((TensorSpec{DType::float32, {-1}}).nbytes(), ShapeError);
}

}  // namespace
}  // namespace systolic
