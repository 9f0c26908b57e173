// Ops on the bits of integers.
//
//   Tensor low = bitwise_and(x, 255);
//   Tensor ones = population_count(x);
#pragma once

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// Bits that both have; of bools, the logical and.
Tensor bitwise_and(const Arg& x, const Arg& y);
/// Bits that at least one has.
Tensor bitwise_or(const Arg& x, const Arg& y);
/// Bits that exactly one has.
Tensor bitwise_xor(const Arg& x, const Arg& y);
/// All bits turned over.
Tensor bitwise_not(const Arg& x);
Tensor bitwise_invert(const Arg& x);
/// x * 2 to the power y; bits that leave are lost. Of y outside the dtype's
/// bits, 0.
Tensor bitwise_left_shift(const Arg& x, const Arg& y);
Tensor left_shift(const Arg& x, const Arg& y);
/// x / 2 to the power y rounded down: the sign stays.
Tensor bitwise_right_shift(const Arg& x, const Arg& y);
Tensor right_shift(const Arg& x, const Arg& y);
/// How many bits are set, as uint8 (TensorFlow's bitwise.population_count).
Tensor population_count(const Arg& x);
/// How many bits before the first one that is set.
Tensor count_leading_zeros(const Arg& x);

}  // namespace systolic
