// Fourier transforms over the last axes.
//
//   auto [real, imag] = fft({x, zeros_like(x)});
//   Tensor back = irfft(rfft(x));
//
// Complex numbers are Tensors of complex64 or complex128, as in TensorFlow, or
// pairs of Tensors, real and imaginary parts, as in Keras's ops. Parts other
// than float64 (not on TPU) become float32.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// Real and imaginary parts, of one shape.
using ComplexTensors = std::pair<Tensor, Tensor>;

/// The discrete Fourier transform over the last axis. Throws ShapeError where
/// the two shapes differ or there is no axis.
ComplexTensors fft(const ComplexTensors& x,
                   SourceLocation where = SourceLocation::current());
Tensor fft(const Arg& x);
/// Its inverse, divided by the axis's size.
Tensor ifft(const Arg& x);
ComplexTensors ifft(const ComplexTensors& x,
                    SourceLocation where = SourceLocation::current());
/// The same over the last two axes.
Tensor fft2(const Arg& x);
Tensor ifft2(const Arg& x);
ComplexTensors fft2(const ComplexTensors& x,
                    SourceLocation where = SourceLocation::current());
ComplexTensors ifft2(const ComplexTensors& x,
                     SourceLocation where = SourceLocation::current());
/// The same over the last three axes.
Tensor fft3(const Arg& x);
Tensor ifft3(const Arg& x);
ComplexTensors fft3(const ComplexTensors& x,
                    SourceLocation where = SourceLocation::current());
ComplexTensors ifft3(const ComplexTensors& x,
                     SourceLocation where = SourceLocation::current());

/// The first half of a real x's transform: fft_length / 2 + 1 values. x is cut
/// or filled with zeros to fft_length, its own size if unset.
ComplexTensors rfft(const Arg& x, std::optional<int64_t> fft_length = {});
/// The inverse of rfft: fft_length real values, 2 (size - 1) if unset.
Tensor irfft(const ComplexTensors& x, std::optional<int64_t> fft_length = {},
             SourceLocation where = SourceLocation::current());

}  // namespace systolic
