#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/ops/fft.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::fft_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  const Array y = Array::from({0.5, 1.25, -1.75, 2., -0.25, 1.}, {2, 3});
  const auto both = [](const ComplexTensors& pair) {
    return Tensors{pair.first, pair.second};
  };
  std::vector<OpSample> samples;
  using OfComplex = Tensor (*)(const Arg&);
  for (const OfComplex f :
       {OfComplex{fft}, OfComplex{ifft}, OfComplex{fft2}, OfComplex{ifft2}}) {
    samples.push_back(
        {.op = "fft",
         .name = "of complex numbers",
         .call = [f](const Tensors& in) { return Tensors{f(in[0])}; },
         .inputs = {x},
         .dtypes = {DType::float32, DType::float64, DType::complex64,
                    DType::complex128},
         .error = 4});
  }
  using OfPairs = ComplexTensors (*)(const ComplexTensors&, SourceLocation);
  for (const OfPairs f :
       {OfPairs{fft}, OfPairs{ifft}, OfPairs{fft2}, OfPairs{ifft2}}) {
    samples.push_back(
        {.op = "fft",
         .call =
             [=](const Tensors& in) {
               return both(f({in[0], in[1]}, SourceLocation::current()));
             },
         .inputs = {x, y},
         .dtypes = {DType::float32, DType::float64},
         .error = 4});
  }
  samples.push_back({.op = "fft",
                     .name = "of real numbers",
                     .call =
                         [=](const Tensors& in) {
                           Tensors all = both(rfft(in[0]));
                           all.push_back(irfft({in[0], in[1]}));
                           all.push_back(irfft({in[0], in[1]}, 5));
                           return all;
                         },
                     .inputs = {x, y},
                     .dtypes = {DType::float32, DType::float64},
                     .error = 4});
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

// numpy.fft's numbers.
TEST(Fft, ValuesAreNumPys) {
  const Tensor x = constant({1.0, 2.0, 3.0, 4.0});
  const Tensor none = zeros({4});
  Comparisons all;
  const golden::Tolerance near{1e-5, 1e-5};
  const auto [real, imag] = fft({x, none});
  all.add("real", real, Array::from({10.f, -2.f, -2.f, -2.f}), near);
  all.add("imag", imag, Array::from({0.f, 2.f, 0.f, -2.f}), near);
  const auto [again, nothing] = ifft({real, imag});
  all.add("back", again, x.numpy(), near);
  all.add("nothing", nothing, none.numpy(), near);
  const auto [half, half_imag] = rfft(x);
  all.add("half", half, Array::from({10.f, -2.f, -2.f}), near);
  all.add("half imag", half_imag, Array::from({0.f, 2.f, 0.f}), near);
  all.add("irfft", irfft({half, half_imag}), x.numpy(), near);
  const Tensor odd = constant({1.0, 2.0, 4.0});
  all.add("odd", irfft(rfft(odd), 3), odd.numpy(), near);
  all.add("filled", rfft(odd, 4).first, Array::from({7.f, -3.f, 3.f}), near);
  all.add("cut", rfft(x, 2).first, Array::from({3.f, -1.f}), near);
  const Tensor matrix = constant({{1.0, 2.0}, {3.0, 4.0}});
  all.add("fft2", fft2({matrix, zeros({2, 2})}).first,
          Array::from({10.f, -2.f, -4.f, 0.f}, {2, 2}), near);
  all.add("ifft2", ifft2(fft2({matrix, zeros({2, 2})})).first, matrix.numpy(),
          near);
  const Tensor cube = reshape(arange(8), {2, 2, 2});
  all.add("fft3", ifft3(fft3({cube, zeros({2, 2, 2})})).first,
          cast<float>(cube).numpy(), near);
}

TEST(Fft, MistakesAreNamed) {
  const Tensor x = constant({1.0, 2.0});
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)fft({x, zeros({3})});
            }).find("two parts of one shape"),
            std::string::npos);
  EXPECT_NE(message_of<ShapeError>([&] {
              (void)fft2({x, x});
            }).find("at least 2 axes"),
            std::string::npos);
  EXPECT_NE(message_of<ShapeError>([&] { (void)rfft(x, 0); }), "");
}

}  // namespace
}  // namespace systolic
