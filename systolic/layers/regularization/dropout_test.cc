#include "systolic/layers/regularization/dropout.h"

#include <gtest/gtest.h>

namespace systolic::layers {
namespace {

TEST(Dropout, ChecksItsOptions) {
  EXPECT_THROW(Dropout(-0.1), ValueError);
  EXPECT_THROW(Dropout(0.5, {.noise_shape = {0, 3}}), ValueError);
  try {
    Dropout(1.5, {.name = "drop"});
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "Dropout \"drop\": expected 0 <= rate <= 1, got 1.5\n"
        "  hint: the rate is a fraction: 0.5 drops every other element\n"
        "  at: dropout_test.cc:"))
        << e.what();
  }
}

TEST(Dropout, KeepsTheShape) {
  EXPECT_EQ(Dropout(0.5).compute_output_shape({-1, 3}), (Shape{-1, 3}));
}

}  // namespace
}  // namespace systolic::layers
