#include "systolic/layers/core/input_layer.h"

#include <gtest/gtest.h>

namespace systolic::layers {
namespace {

TEST(InputLayer, SaysTheShapeWithTheBatch) {
  const InputLayer input({28, 28, 1});
  EXPECT_EQ(input.batch_input_shape(), (Shape{-1, 28, 28, 1}));
  EXPECT_EQ(InputLayer({784}).batch_input_shape(), (Shape{-1, 784}));
  EXPECT_EQ(InputLayer({784}, {.batch_size = 32}).batch_input_shape(),
            (Shape{32, 784}));
  EXPECT_EQ(InputLayer(Shape::scalar()).batch_input_shape(), (Shape{-1}));
  EXPECT_EQ(InputLayer({3}, {.dtype = DType::int32}).dtype(), DType::int32);
  EXPECT_EQ(input.class_name(), "InputLayer");
  EXPECT_EQ(InputLayer({3}, {.name = "pixels"}).name(), "pixels");
}

TEST(InputLayer, ChecksItsOptions) {
  EXPECT_THROW(InputLayer({3}, {.batch_size = 0}), ValueError);
  EXPECT_THROW(Input({3}, {.batch_size = 0}), ValueError);
  try {
    InputLayer(Shape(), {.name = "pixels"});
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "InputLayer \"pixels\": expected a shape without the batch axis, such "
        "as {28, 28, 1}, got none\n"))
        << e.what();
  }
}

TEST(InputLayer, ChecksShapes) {
  const InputLayer input({28, -1}, {.name = "pixels"});
  EXPECT_EQ(input.compute_output_shape({8, 28, 5}), (Shape{8, 28, 5}));
  EXPECT_THROW(input.compute_output_shape({8, 27, 5}), ShapeError);
  EXPECT_THROW(input.compute_output_shape({8, 28}), ShapeError);
}

}  // namespace
}  // namespace systolic::layers
