// The cases of the self-test, one function per check, and the values that
// they share; the table of checks is in self_check_cases.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/runtime/self_check.h"

namespace systolic::internal::runtime {

// Values for a shape that every float type holds exactly, as do their
// products: multiples of 1/4 (integers: of 1) from -most/4 to most/4.
std::vector<double> test_values(const Shape& shape, uint32_t seed, DType dtype,
                                int most = 4);

// The values as an array of a dtype.
Array test_array(const std::vector<double>& values, const TensorSpec& spec);

// Each gives the case of its check; `replicas` is 1 but for all_reduce.
CheckCase convolution_case(DType dtype, int replicas);
CheckCase convolution_input_gradient_case(DType dtype, int replicas);
CheckCase convolution_filter_gradient_case(DType dtype, int replicas);
CheckCase convolution_in_loop_case(DType dtype, int replicas);
CheckCase kernel_convolution_case(DType dtype, int replicas);
CheckCase kernel_convolution_gradient_case(DType dtype, int replicas);

}  // namespace systolic::internal::runtime
