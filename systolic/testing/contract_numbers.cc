// Tested by: systolic/testing/op_contract_platform_test.cc
#include "systolic/testing/contract_numbers.h"

#include "systolic/array/arrays.h"
#include "systolic/ops/ops.h"

namespace systolic::contracts {
namespace {

Array real_weights(const Shape& shape, int salt) {
  Array result = Array::uninitialized({DType::float64, shape});
  uint64_t state = static_cast<uint64_t>(salt) * 0x9E3779B97F4A7C15u + 1;
  for (double& value : result.mutable_span<double>()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double unit = static_cast<double>(state >> 11) * 0x1p-53;
    value = unit < 0.5 ? unit - 1.5 : unit + 0.5;
  }
  return result;
}

double product(const Array& a, const Array& b) {
  if (a.size() == 0) return 0;
  return sum(cast<double>(a) * cast<double>(b)).item<double>();
}

}  // namespace

Array weights(const TensorSpec& spec, int salt) {
  const Array first = real_weights(spec.shape, salt);
  if (!is_complex(spec.dtype)) return first;
  return complex(first, real_weights(spec.shape, salt + 5000));
}

Array with_imaginary(const Array& x, int salt) {
  return complex(x, real_weights(x.shape(), salt) * 0.25);
}

Array widest(const Array& x) {
  return cast(x, is_complex(x.dtype()) ? DType::complex128 : DType::float64);
}

double inner(const Array& a, const Array& b) {
  const double first = product(real(a), real(b));
  if (!is_complex(a.dtype())) return first;
  return first + product(imag(a), imag(b));
}

Tensor weighted(const Tensor& x, int salt) {
  const Array weight = weights(x.spec(), salt);
  const DType part = real_dtype(x.dtype());
  const Tensor first = sum(real(x) * cast(real(weight), part));
  if (!is_complex(x.dtype())) return first;
  return first + sum(imag(x) * cast(imag(weight), part));
}

}  // namespace systolic::contracts
