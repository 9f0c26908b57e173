#include "systolic/data/sparse_array.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

SparseArray corners() {
  return SparseArray(Array::from<int64_t>({0, 2, 1, 0}, {2, 2}),
                     Array::from({5.f, 7.f}), Array::from<int64_t>({2, 3}));
}

TEST(SparseArrayTest, BecomesDenseAndBack) {
  EXPECT_EQ(corners().to_dense().to_string(), "[[0. 0. 5.]\n [7. 0. 0.]]");
  EXPECT_EQ(corners().to_dense(Array::scalar(-1.f)).to_string(),
            "[[-1. -1.  5.]\n [ 7. -1. -1.]]");
  const SparseArray back = SparseArray::from_dense(corners().to_dense());
  EXPECT_EQ(back.to_string(), corners().to_string());
  EXPECT_EQ(back.to_string(),
            "SparseArray(indices=[[0 2] [1 0]], values=[5. 7.], "
            "dense_shape=[2 3])");
}

TEST(SparseArrayTest, ZerosOfAnySignAndEmptyStringsAreLeftOut) {
  EXPECT_EQ(SparseArray::from_dense(Array::from({-0.f, 2.f})).values().size(),
            1);
  const SparseArray texts =
      SparseArray::from_dense(Array::from_strings({"", "a", ""}));
  EXPECT_EQ(texts.indices().to_string(), "[[1]]");
  EXPECT_TRUE(element_equal(Element(texts.to_dense()),
                            Element(Array::from_strings({"", "a", ""}))));
}

TEST(SparseArrayTest, IsAnElementAndBack) {
  const Element element(corners());
  EXPECT_EQ(element.spec().to_string(),
            "{\"dense_shape\": int64[2], \"indices\": int64[2, 2], "
            "\"values\": float32[2]}");
  EXPECT_EQ(element.to<SparseArray>().to_string(), corners().to_string());
  EXPECT_EQ(SparseArray().to_dense().shape(), (Shape{0}));
}

TEST(SparseArrayMistakesTest, AreNamed) {
  EXPECT_EQ(text_of<ShapeError>([] {
              SparseArray(Array::zeros({2, 2}, DType::int64),
                          Array::from({1.f}), Array::from<int64_t>({2, 3}));
            }),
            "data::SparseArray: expected indices (n, rank), values (n) and "
            "dense_shape (rank), got (2, 2), (1,) and (2,)");
  EXPECT_EQ(text_of<ValueError>([] {
              SparseArray(Array::from<int64_t>({0, 3}, {1, 2}),
                          Array::from({1.f}), Array::from<int64_t>({2, 3}));
            }),
            "data::SparseArray: expected indices inside of the shape (2, 3), "
            "got [0 3]\n  value: 0");
  EXPECT_EQ(text_of<TypeError>([] {
              SparseArray(Array::zeros({1, 1}), Array::from({1.f}),
                          Array::from<int64_t>({2}));
            }),
            "data::SparseArray: expected indices and dense_shape of int64, "
            "got float32[1, 1] and int64[1]");
}

}  // namespace
}  // namespace systolic::data
