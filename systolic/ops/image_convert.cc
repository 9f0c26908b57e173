// Colours as another dtype.
// Tested by: systolic/image/agreement_platform_test.cc
#include <cmath>
#include <cstdint>

#include "systolic/array/image_geometry.h"
#include "systolic/ops/bitwise.h"
#include "systolic/ops/image.h"
#include "systolic/ops/math.h"

namespace systolic::image {

namespace {

// The bits of a whole number but for its sign.
int magnitude_bits(DType dtype) {
  return static_cast<int>(size_of(dtype) * 8) - (is_signed(dtype) ? 1 : 0);
}

// Whole numbers of another width: the wider one has the narrower one's bits in
// front. Only negative ones may have no place in the new dtype.
Tensor converted_integers(Tensor in, DType dtype, bool saturate) {
  if (saturate && is_signed(in.dtype()) && !is_signed(dtype)) {
    in = maximum(in, 0);
  }
  const int from = magnitude_bits(in.dtype()), to = magnitude_bits(dtype);
  if (from < to) return bitwise_left_shift(cast(in, dtype), to - from);
  return cast(bitwise_right_shift(in, from - to), dtype);
}

// The greatest floating-point number of `dtype` below 2 to the power `bits`.
double greatest_below(int bits, DType dtype) {
  const double all = std::ldexp(1.0, bits) - 1;
  const int precise = dtype == DType::float64 ? 53 : 24;
  if (bits <= precise) return all;
  return std::ldexp(1.0, bits) - std::ldexp(1.0, bits - precise);
}

// Floating-point numbers as whole ones.
Tensor quantized(const Tensor& in, DType dtype, bool saturate) {
  const DType work =
      in.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const int bits = magnitude_bits(dtype);
  const Tensor scaled = cast(in, work) * (std::ldexp(1.0, bits) - 0.5);
  if (!saturate && size_of(dtype) <= 2) {
    return cast(cast(scaled, DType::int32), dtype);  // wraps
  }
  const double least = is_signed(dtype) ? -std::ldexp(1.0, bits) : 0;
  return cast(clip(scaled, least, greatest_below(bits, work)), dtype);
}

}  // namespace

Tensor convert_image_dtype(const Arg& images, DType dtype,
                           const ConvertOptions& options) {
  const Tensor in = images.tensor();
  detail::require_colors("convert_image_dtype", in.spec(), images.where());
  detail::require_color_dtype(dtype, images.where());
  if (dtype == in.dtype()) return in;
  if (is_integer(in.dtype())) {
    if (is_integer(dtype)) {
      return converted_integers(in, dtype, options.saturate);
    }
    const DType work =
        dtype == DType::float64 ? DType::float64 : DType::float32;
    // In float32, as the functions of Arrays have it.
    const double greatest = std::ldexp(1.0, magnitude_bits(in.dtype())) - 1;
    const double part = work == DType::float64
                            ? 1 / greatest
                            : double{1 / static_cast<float>(greatest)};
    return cast(cast(in, work) * part, dtype);
  }
  if (is_floating(dtype)) return cast(in, dtype);
  return quantized(in, dtype, options.saturate);
}

}  // namespace systolic::image
