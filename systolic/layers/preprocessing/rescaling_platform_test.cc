#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/test_options.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

using internal::text_of;

TEST(RescalingContract, Plain) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return Rescaling(
                                    0.5, {.offset = -1, .dtype = dtype});
                              },
                          .input_shape = {3, 4},
                          .output_shape = {3, 4}});
}

TEST(Rescaling, TakesBytes) {
  const Array x = cast(Array::from({0, 51, 255}), DType::uint8);
  const Tensor y = Rescaling(1.0 / 255)(x);
  EXPECT_TRUE(allclose(y.numpy(), Array::from({0.f, 0.2f, 1.f})));
  EXPECT_EQ(y.dtype(), DType::float32);
}

}  // namespace
}  // namespace systolic::layers
