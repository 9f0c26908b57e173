#include "systolic/array/loops.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::internal {
namespace {

TEST(LoopsTest, Strides) {
  Strides strides = row_major_strides({2, 3, 4});
  EXPECT_EQ(strides[0], 12);
  EXPECT_EQ(strides[1], 4);
  EXPECT_EQ(strides[2], 1);
  strides = broadcast_strides({3, 1}, {2, 3, 4});
  EXPECT_EQ(strides[0], 0);
  EXPECT_EQ(strides[1], 1);
  EXPECT_EQ(strides[2], 0);
}

TEST(LoopsTest, AWalkJoinsAdjacentAxes) {
  Shape shape{2, 3, 4};
  Walk<2> walk = make_walk<2>(
      shape, {row_major_strides(shape), broadcast_strides({4}, shape)});
  EXPECT_EQ(walk.rank, 2);
  EXPECT_EQ(walk.sizes[0], 6);
  EXPECT_EQ(walk.sizes[1], 4);
  Walk<1> whole = make_walk<1>(shape, {row_major_strides(shape)});
  EXPECT_EQ(whole.rank, 1);
  EXPECT_EQ(whole.sizes[0], 24);
}

TEST(LoopsTest, RowsComeInOrder) {
  Shape shape{2, 2, 3};
  // The last two axes swapped, so nothing joins.
  Walk<1> walk = make_walk<1>(shape, {Strides{6, 1, 2}});
  std::vector<int64_t> visited;
  int64_t before = 0;
  walk_rows(walk, [&](int64_t done, const std::array<int64_t, 1>& offset,
                      int64_t count, const std::array<int64_t, 1>& step) {
    EXPECT_EQ(done, before);
    before += count;
    for (int64_t i = 0; i < count; ++i) {
      visited.push_back(offset[0] + i * step[0]);
    }
  });
  EXPECT_EQ(visited,
            (std::vector<int64_t>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
}

TEST(LoopsTest, EmptyShapesHaveNoRows) {
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0}}) {
    walk_rows(make_walk<1>(shape, {row_major_strides(shape)}),
              [](int64_t, const auto&, int64_t, const auto&) {
                FAIL() << "a row of nothing";
              });
  }
}

TEST(LoopsTest, ConvertElementIsDefinedForAllValues) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(convert_element<int>(nan), 0);
  EXPECT_EQ(convert_element<int>(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(convert_element<uint64_t>(-1.0), 0u);
  EXPECT_EQ(convert_element<int64_t>(9.3e18),
            std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(convert_element<bool>(nan));
}

TEST(LoopsTest, DispatchKnowsItsTypes) {
  auto size = []<class T>(std::type_identity<T>) { return sizeof(T); };
  EXPECT_EQ(dispatch_number(DType::bfloat16, size), 2u);
  EXPECT_EQ(dispatch_number(DType::uint64, size), 8u);
  EXPECT_THROW(dispatch_wide(DType::string, size), InternalError);
  EXPECT_EQ(wide_dtype(DType::float8_e5m2), DType::float32);
  EXPECT_EQ(wide_dtype(DType::float64), DType::float64);
  EXPECT_EQ(wide_dtype(DType::int8), DType::int8);
}

}  // namespace
}  // namespace systolic::internal
