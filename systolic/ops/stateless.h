// TensorFlow's stateless random numbers inside of a program. Inside of the room
// ops.
//
//   const Tensor state = stateless_state(who, seed, where);
//   const Tensor words = philox_bits(state, {n});
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "systolic/graph/tensor.h"

namespace systolic::internal::ops {

/// The first words (uint32) of a state: key and both halves of the counter,
/// the lower first (uint64).
Tensor philox_bits(const Tensor& state, const Shape& shape);

/// The state that TensorFlow makes of a seed of two numbers.
Tensor stateless_state(const std::array<int64_t, 2>& seed);
/// The same for a seed that the program computes. Throws, naming `who`,
/// TypeError for other than whole numbers, ShapeError unless they are two.
Tensor stateless_state(std::string_view who, const Tensor& seed,
                       const SourceLocation& where);

}  // namespace systolic::internal::ops
