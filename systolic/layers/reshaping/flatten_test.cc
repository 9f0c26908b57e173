#include "systolic/layers/reshaping/flatten.h"

#include <gtest/gtest.h>

namespace systolic::layers {
namespace {

TEST(Flatten, OutputShapes) {
  const Flatten flatten;
  EXPECT_EQ(flatten.compute_output_shape({-1, 5, 5, 3}), (Shape{-1, 75}));
  EXPECT_EQ(flatten.compute_output_shape({-1, -1, 3}), (Shape{-1, -1}));
  EXPECT_EQ(flatten.compute_output_shape({4}), (Shape{4, 1}));
  EXPECT_THROW(flatten.compute_output_shape(Shape::scalar()), ShapeError);
  EXPECT_EQ(Flatten({.input_shape = {28, 28}}).batch_input_shape(),
            (Shape{-1, 28, 28}));
}

}  // namespace
}  // namespace systolic::layers
