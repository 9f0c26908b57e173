// Tested by: systolic/ops/cumulative_platform_test.cc
#include "systolic/ops/limits.h"

#include <cmath>
#include <cstring>

namespace systolic::internal::ops {

namespace {

Array integer(DType dtype, uint64_t bits) {
  Array result = Array::uninitialized({dtype, Shape::scalar()});
  std::memcpy(result.mutable_data(), &bits, size_of(dtype));
  return result;
}

uint64_t sign_bit(DType dtype) {
  return uint64_t{1} << (size_of(dtype) * 8 - 1);
}

}  // namespace

Array lowest(DType dtype) {
  if (is_floating(dtype)) return Array::full(Shape::scalar(), -INFINITY, dtype);
  return integer(dtype, is_signed(dtype) ? sign_bit(dtype) : 0);
}

Array highest(DType dtype) {
  if (is_floating(dtype)) return Array::full(Shape::scalar(), INFINITY, dtype);
  if (dtype == DType::boolean) return integer(dtype, 1);
  return integer(dtype, is_signed(dtype) ? sign_bit(dtype) - 1 : ~uint64_t{0});
}

}  // namespace systolic::internal::ops
