// Which arguments a program takes the memory of, read from its text.
//
//   donated_arguments(
//       "func.func public @main(%a: tensor<f32> {tf.aliasing_output = 0 : "
//       "i32}, %b: tensor<f32>) ...");  // {0}
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace systolic::internal::runtime {

// The positions of @main's arguments marked tf.aliasing_output or
// jax.buffer_donor, in rising order.
std::vector<int64_t> donated_arguments(std::string_view stablehlo_text);

}  // namespace systolic::internal::runtime
