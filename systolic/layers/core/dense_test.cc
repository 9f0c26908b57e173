#include "systolic/layers/core/dense.h"

#include <gtest/gtest.h>

#include "systolic/base/auto_name.h"

namespace systolic::layers {
namespace {

TEST(Dense, UnitsMustBePositive) {
  try {
    Dense(0, {.name = "logits"});
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "Dense \"logits\": expected units > 0, got 0\n  at: "
        "dense_test.cc:"))
        << e.what();
  }
  EXPECT_THROW(Dense(-3), ValueError);
}

TEST(Dense, NamesAreKeras) {
  clear_session();
  EXPECT_EQ(Dense(1).name(), "dense");
  EXPECT_EQ(Dense(1).name(), "dense_1");
  EXPECT_EQ(Dense(1, {.name = "logits"}).name(), "logits");
  EXPECT_EQ(Dense(1).class_name(), "Dense");
  EXPECT_THROW(Dense(1, {.name = "a/b"}), ValueError);
}

TEST(Dense, InputShapeIsWithoutTheBatch) {
  EXPECT_EQ(Dense(1, {.input_shape = {28, 28}}).batch_input_shape(),
            (Shape{-1, 28, 28}));
  EXPECT_FALSE(Dense(1).batch_input_shape().is_set());
}

TEST(Dense, OutputShapeKeepsTheLeadingAxes) {
  const Dense dense(4);
  EXPECT_EQ(dense.compute_output_shape({-1, 3}), (Shape{-1, 4}));
  EXPECT_EQ(dense.compute_output_shape({8, 5, 3}), (Shape{8, 5, 4}));
  EXPECT_THROW(dense.compute_output_shape({3}), ShapeError);
}

TEST(Dense, OptionsAreVisitedByKerasNames) {
  std::string names;
  DenseOptions{}.visit([&](std::string_view name, const auto&) {
    names += std::string(name) + " ";
  });
  EXPECT_EQ(names,
            "activation use_bias kernel_initializer bias_initializer "
            "kernel_regularizer bias_regularizer activity_regularizer "
            "kernel_constraint bias_constraint trainable dtype name ");
}

}  // namespace
}  // namespace systolic::layers
