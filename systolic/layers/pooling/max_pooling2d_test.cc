#include "systolic/layers/pooling/max_pooling2d.h"

#include <gtest/gtest.h>

namespace systolic::layers {
namespace {

TEST(MaxPooling2D, TakesItsSizeInAllForms) {
  const Shape input{-1, 12, 12, 3};
  EXPECT_EQ(MaxPooling2D().compute_output_shape(input), (Shape{-1, 6, 6, 3}));
  EXPECT_EQ(MaxPooling2D(3).compute_output_shape(input), (Shape{-1, 4, 4, 3}));
  EXPECT_EQ(MaxPooling2D({2, 3}).compute_output_shape(input),
            (Shape{-1, 6, 4, 3}));
  EXPECT_EQ(MaxPooling2D({.pool_size = {2, 3}}).compute_output_shape(input),
            (Shape{-1, 6, 4, 3}));
  EXPECT_EQ(MaxPooling2D(3, {.strides = 2}).compute_output_shape(input),
            (Shape{-1, 5, 5, 3}));
  EXPECT_EQ(MaxPool2D(3, {.strides = 2, .padding = "same"})
                .compute_output_shape(input),
            (Shape{-1, 6, 6, 3}));
  EXPECT_EQ(MaxPooling2D({.data_format = "channels_first"})
                .compute_output_shape({2, 3, 8, 8}),
            (Shape{2, 3, 4, 4}));
}

TEST(MaxPooling2D, ChecksItsOptions) {
  EXPECT_THROW(MaxPooling2D(0), ValueError);
  EXPECT_THROW(MaxPooling2D({.padding = "causal"}), ValueError);
  try {
    MaxPooling2D(2, {.strides = {0, 1}, .name = "pool"});
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "MaxPooling2D \"pool\": expected strides > 0 along height and width, "
        "got (0, 1)\n  at: max_pooling2d_test.cc:"))
        << e.what();
  }
}

TEST(MaxPooling2D, AnImageSmallerThanThePoolIsAnError) {
  const MaxPooling2D pool(4, {.name = "pool"});
  try {
    pool.compute_output_shape({-1, 3, 8, 1});
    FAIL() << "no exception";
  } catch (const ShapeError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "MaxPooling2D \"pool\": expected an image no smaller than the pool "
        "(4, 4), got height and width (3, 8)\n  input: (None, 3, 8, 1)\n"))
        << e.what();
  }
  EXPECT_THROW(pool.compute_output_shape({8, 8, 1}), ShapeError);
}

}  // namespace
}  // namespace systolic::layers
