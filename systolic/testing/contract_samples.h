// What the op contract makes of a sample: its inputs in each dtype, and the
// same call with complex numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/testing/op_contract.h"

namespace systolic::contracts {

using Arrays = std::vector<Array>;

// The op's and the sample's name.
std::string title(const OpSample& sample);

// Whether an input of that dtype is given in each of the sample's dtypes.
bool is_typed(DType dtype);

// Whether the sample has a gradient with respect to the input.
bool is_source(const OpSample& sample, int input);

// Whether the sample runs in that dtype.
bool claims(const OpSample& sample, DType dtype);

// Whether an input is complex.
bool is_complex_sample(const OpSample& sample);

// The widest dtype, whose values and gradients are compared with.
DType exact_dtype(const OpSample& sample);

// The float64 and complex128 inputs as `dtype`, the others as they are.
Arrays inputs_as(const OpSample& sample, DType dtype);

// The same call with complex numbers in place of real ones; none where it has
// some already, or no real ones.
std::optional<OpSample> complex_twin(const OpSample& sample);

}  // namespace systolic::contracts
