#include "systolic/runtime/donation.h"

#include <gtest/gtest.h>

namespace systolic::internal::runtime {
namespace {

using Positions = std::vector<int64_t>;

TEST(Donation, ReadsBothMarks) {
  EXPECT_EQ(donated_arguments(
                "module @m { func.func public @main(%a: tensor<2x3xf32> "
                "{tf.aliasing_output = 0 : i32}, %b: tensor<f32>, %c: "
                "tensor<4xf32> {jax.buffer_donor = true}) -> tensor<2x3xf32> "
                "{ return %a : tensor<2x3xf32> } }"),
            (Positions{0, 2}));
}

TEST(Donation, CommasInsideTypesAndAttributesDoNotCount) {
  EXPECT_EQ(donated_arguments(
                "func.func public @main(%a: tuple<tensor<f32>, tensor<f32>> "
                "{x.y = [1, 2], x.z = \"s\"}, %b: tensor<f32> "
                "{tf.aliasing_output = 1 : i32})"),
            (Positions{1}));
}

TEST(Donation, DonorThatIsSwitchedOffIsNone) {
  EXPECT_EQ(donated_arguments("func.func public @main(%a: tensor<f32> "
                              "{jax.buffer_donor = false})"),
            Positions{});
}

TEST(Donation, OtherFunctionsDoNotCount) {
  EXPECT_EQ(donated_arguments(
                "func.func private @loop(%a: tensor<f32> "
                "{tf.aliasing_output = 0 : i32}) func.func public @main(%a: "
                "tensor<f32>)"),
            Positions{});
  EXPECT_EQ(donated_arguments("no function at all"), Positions{});
  EXPECT_EQ(donated_arguments("func.func public @main()"), Positions{});
}

}  // namespace
}  // namespace systolic::internal::runtime
