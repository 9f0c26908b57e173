// Tested by: systolic/testing/op_contract_platform_test.cc
#include "systolic/testing/contract_samples.h"

#include <algorithm>

#include "systolic/array/arrays.h"
#include "systolic/testing/contract_numbers.h"

namespace systolic::contracts {

std::string title(const OpSample& sample) {
  return sample.name.empty() ? sample.op : sample.op + " " + sample.name;
}

bool is_typed(DType dtype) {
  return dtype == DType::float64 || dtype == DType::complex128;
}

bool is_source(const OpSample& sample, int input) {
  if (!is_typed(sample.inputs[static_cast<size_t>(input)].dtype())) {
    return false;
  }
  return sample.sources.empty() ||
         std::ranges::count(sample.sources, input) > 0;
}

bool claims(const OpSample& sample, DType dtype) {
  return std::ranges::count(sample.dtypes, dtype) > 0;
}

bool is_complex_sample(const OpSample& sample) {
  return std::ranges::any_of(sample.inputs, [](const Array& input) {
    return is_complex(input.dtype());
  });
}

DType exact_dtype(const OpSample& sample) {
  return is_complex_sample(sample) ? DType::complex128 : DType::float64;
}

Arrays inputs_as(const OpSample& sample, DType dtype) {
  Arrays inputs = sample.inputs;
  for (Array& input : inputs) {
    if (input.dtype() == DType::complex128) input = cast(input, dtype);
    if (input.dtype() == DType::float64) {
      input = cast(input, real_dtype(dtype));
    }
  }
  return inputs;
}

std::optional<OpSample> complex_twin(const OpSample& sample) {
  if (is_complex_sample(sample)) return std::nullopt;
  OpSample twin = sample;
  twin.name += twin.name.empty() ? "complex" : ", complex";
  int salt = 31;
  for (Array& input : twin.inputs) {
    if (input.dtype() == DType::float64) input = with_imaginary(input, salt++);
  }
  if (!is_complex_sample(twin)) return std::nullopt;
  return twin;
}

}  // namespace systolic::contracts
