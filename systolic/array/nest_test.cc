#include "systolic/array/nest.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

using internal::text_of;

TEST(NestTest, ShapeFollowsTheBraces) {
  Array m = to_array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  EXPECT_EQ(m.spec(), (TensorSpec{DType::float32, {2, 3}}));
  EXPECT_EQ(m.to_string(), "[[1. 2. 3.]\n [4. 5. 6.]]");
  EXPECT_EQ(to_array({1, 2, 3}).spec(), (TensorSpec{DType::int32, {3}}));
  EXPECT_EQ(to_array({{{1}}, {{2}}}).shape(), (Shape{2, 1, 1}));
  EXPECT_EQ(to_array(2.5).spec(),
            (TensorSpec{DType::float32, Shape::scalar()}));
  EXPECT_EQ(to_array({{}, {}}).spec(), (TensorSpec{DType::float32, {2, 0}}));
}

TEST(NestTest, DtypeFollowsTheValues) {
  EXPECT_EQ(to_array({1, 2.5}).dtype(), DType::float32);
  EXPECT_EQ(to_array({true, false}).dtype(), DType::boolean);
  EXPECT_EQ(to_array({true, 2}).dtype(), DType::int32);
  EXPECT_EQ(to_array({int64_t{1} << 40, 1}).dtype(), DType::int64);
  EXPECT_EQ(to_array({"a", "b"}).to_string(), "[b'a' b'b']");
  Array big = to_array({(int64_t{1} << 60) + 1});
  EXPECT_EQ(big.item<int64_t>(), (int64_t{1} << 60) + 1);
  EXPECT_EQ(to_array({1, 2}, DType::bfloat16).dtype(), DType::bfloat16);
  EXPECT_EQ(to_array({0.1}, DType::float64).item<double>(), 0.1);
}

TEST(NestTest, Errors) {
  EXPECT_EQ(text_of<ShapeError>([] {
              to_array({{1, 2}, {3}});
            }),
            "constant: expected lists of one length in axis 1, got 2 and 1\n"
            "  hint: pad the shorter list");
  EXPECT_EQ(text_of<ShapeError>([] {
              to_array({{1, 2}, 3});
            }),
            "constant: expected lists of one depth, got a value beside a "
            "list\n  axis: 1");
  EXPECT_EQ(text_of<TypeError>([] {
              to_array({1, "a"});
            }),
            "constant: expected numbers, or text, got both");
}

TEST(NestTest, NumbersMustFitTheDtype) {
  EXPECT_EQ(to_array({-128, 127}, DType::int8).to_string(), "[-128  127]");
  EXPECT_EQ(to_array({0, 255}, DType::uint8).to_string(), "[  0 255]");
  EXPECT_EQ(to_array({2.0}, DType::int32).to_string(), "[2]");
  EXPECT_EQ(to_array({INT64_MIN, INT64_MAX}, DType::int64).rank(), 1);
  const auto problem = [](const Nest& nest, DType dtype) {
    return text_of<Error>([&] { to_array(nest, dtype); });
  };
  EXPECT_EQ(problem({128}, DType::int8),
            "constant: expected numbers in the range of int8, got 128");
  EXPECT_EQ(problem({-1}, DType::uint64),
            "constant: expected numbers in the range of uint64, got -1");
  EXPECT_EQ(problem({1e10}, DType::int32),
            "constant: expected numbers in the range of int32, got 1e+10");
  EXPECT_EQ(problem({1, 2.5}, DType::int32),
            "constant: expected whole numbers for int32, got 2.5\n"
            "  hint: leave the dtype out, or round the number first");
}

}  // namespace
}  // namespace systolic
