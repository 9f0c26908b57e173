#include "systolic/ops/fft.h"

#include <algorithm>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/slicing.h"

namespace systolic {

using namespace internal::graph;

namespace {

struct FftAttributes {
  int64_t axes = 1;
  bool inverse = false;
  template <class V>
  void visit(V&& v) const {
    v("axes", axes);
    v("inverse", inverse);
  }
};

ComplexTensors transform(const ComplexTensors& x, FftAttributes o,
                         const SourceLocation& where);

Specs infer_fft(Infer& in, const FftAttributes& o) {
  if (in.shape(0) != in.shape(1) || in.shape(0).rank() < o.axes) {
    in.error()
        .expected("two parts of one shape, of at least ", o.axes,
                  o.axes == 1 ? " axis" : " axes")
        .got(in.shape(0), " and ", in.shape(1))
        .raise<ShapeError>();
  }
  return Specs(std::vector<TensorSpec>{in[0], in[0]});
}

// The transform is linear: its adjoint is the inverse, without its divisor.
Grads fft_gradient(Vjp& v, const FftAttributes& o) {
  const Shape& shape = v.input_spec(0).shape;
  double count = 1;
  for (int i = 0; i < o.axes; ++i) {
    count *= static_cast<double>(shape[-1 - i]);
  }
  const auto [real, imag] =
      transform({v.gradient(0), v.gradient(1)}, {o.axes, !o.inverse},
                SourceLocation::current());
  const double scale = o.inverse ? 1 / count : count;
  return {real * scale, imag * scale};
}

constexpr Op<FftAttributes> kFft{.name = "fft",
                                 .infer = infer_fft,
                                 .lower =
                                     [](Lower& l, const FftAttributes& o) {
                                       const auto [real, imag] =
                                           l.e.fft(l[0], l[1], o.inverse,
                                                   static_cast<int>(o.axes));
                                       return Values{real, imag};
                                     },
                                 .vjp = fft_gradient,
                                 .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kFft>};

// float64, or float32.
Tensor part_of(const Tensor& x, const Tensor& other) {
  const DType dtype = floating_dtype(promote(x.dtype(), other.dtype()));
  return cast(x, dtype == DType::float64 ? dtype : DType::float32);
}

ComplexTensors transform(const ComplexTensors& x, FftAttributes o,
                         const SourceLocation& where) {
  const auto parts = record_all<kFft>(
      {part_of(x.first, x.second).ref(), part_of(x.second, x.first).ref()}, o,
      where);
  return {parts[0], parts[1]};
}

// The first `size` elements of the last axis, with zeros where it has fewer.
Tensor resized(const Tensor& x, int64_t size) {
  const int64_t old = x.shape()[-1];
  if (old == size) return x;
  if (old > size) return slice(x, {ellipsis, Slice(0, size)});
  PadWidth widths(static_cast<size_t>(x.rank()), {0, 0});
  widths.back().second = size - old;
  return pad(x, widths);
}

[[noreturn]] void refuse_length(const char* who, int64_t length,
                                const SourceLocation& where) {
  internal::Message(who)
      .expected("an axis and a length of 1 or more")
      .got(length)
      .at(where)
      .raise<ShapeError>();
}

}  // namespace

std::span<const OpDef* const> internal::ops::fft_catalog() { return kCatalog; }

ComplexTensors fft(const ComplexTensors& x, SourceLocation where) {
  return transform(x, {1, false}, where);
}
ComplexTensors ifft(const ComplexTensors& x, SourceLocation where) {
  return transform(x, {1, true}, where);
}
ComplexTensors fft2(const ComplexTensors& x, SourceLocation where) {
  return transform(x, {2, false}, where);
}
ComplexTensors ifft2(const ComplexTensors& x, SourceLocation where) {
  return transform(x, {2, true}, where);
}
ComplexTensors fft3(const ComplexTensors& x, SourceLocation where) {
  return transform(x, {3, false}, where);
}
ComplexTensors ifft3(const ComplexTensors& x, SourceLocation where) {
  return transform(x, {3, true}, where);
}

ComplexTensors rfft(const Arg& x, std::optional<int64_t> fft_length) {
  const Tensor in = x.tensor();
  const int64_t own = in.rank() > 0 ? in.shape()[-1] : 0;
  const int64_t length = fft_length.value_or(own);
  if (in.rank() == 0 || length < 1) refuse_length("rfft", length, x.where());
  const Tensor real = resized(in, length);
  const auto [first, second] =
      transform({real, zeros_like(real)}, {1, false}, x.where());
  const int64_t half = length / 2 + 1;
  return {resized(first, half), resized(second, half)};
}

Tensor irfft(const ComplexTensors& x, std::optional<int64_t> fft_length,
             SourceLocation where) {
  const int64_t own = x.first.rank() > 0 ? x.first.shape()[-1] : 0;
  const int64_t length = fft_length.value_or(2 * (own - 1));
  if (own == 0 || length < 1) refuse_length("irfft", length, where);
  const int64_t half = length / 2 + 1;
  const Tensor real = resized(x.first, half), imag = resized(x.second, half);
  // The other half mirrors this one, without the first value and, of an even
  // length, the last.
  const int64_t mirrored = length - half;
  if (mirrored == 0) return transform({real, imag}, {1, true}, where).first;
  const auto mirror = [&](const Tensor& part) {
    return flip(slice(part, {ellipsis, Slice(1, 1 + mirrored)}), -1);
  };
  return transform({concatenate({real, mirror(real)}),
                    concatenate({imag, -mirror(imag)})},
                   {1, true}, where)
      .first;
}

}  // namespace systolic
