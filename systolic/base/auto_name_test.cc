#include "systolic/base/auto_name.h"

#include <gtest/gtest.h>

namespace systolic::internal {
namespace {

TEST(AutoNameTest, WritesClassNamesAsKeras) {
  EXPECT_EQ(to_snake_case("Dense"), "dense");
  EXPECT_EQ(to_snake_case("Conv2D"), "conv2d");
  EXPECT_EQ(to_snake_case("MaxPooling2D"), "max_pooling2d");
  EXPECT_EQ(to_snake_case("SGD"), "sgd");
  EXPECT_EQ(to_snake_case("AdamW"), "adam_w");
  EXPECT_EQ(to_snake_case("RMSprop"), "rm_sprop");
  EXPECT_EQ(to_snake_case("LSTMCell"), "lstm_cell");
  EXPECT_EQ(to_snake_case("SparseCategoricalCrossentropy"),
            "sparse_categorical_crossentropy");
  EXPECT_EQ(to_snake_case("my-Layer"), "my_layer");
}

TEST(AutoNameTest, CountsFromTheSecondOn) {
  clear_session();
  EXPECT_EQ(auto_name("Dense"), "dense");
  EXPECT_EQ(auto_name("Dense"), "dense_1");
  EXPECT_EQ(auto_name("Flatten"), "flatten");
  EXPECT_EQ(auto_name("Dense"), "dense_2");
  clear_session();
  EXPECT_EQ(auto_name("Dense"), "dense");
}

}  // namespace
}  // namespace systolic::internal
