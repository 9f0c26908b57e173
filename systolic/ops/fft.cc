#include "systolic/ops/fft.h"

#include <algorithm>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/complex.h"
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

Tensor transform(const Tensor& x, FftAttributes o, const SourceLocation& where);

Specs infer_fft(Infer& in, const FftAttributes& o) {
  if (!is_complex(in.dtype(0))) {
    in.error().expected("complex numbers").got(in.dtype(0)).raise<TypeError>();
  }
  if (in.shape(0).rank() < o.axes) {
    in.error()
        .expected("an input of at least ", o.axes,
                  o.axes == 1 ? " axis" : " axes")
        .got(in.shape(0))
        .raise<ShapeError>();
  }
  return in[0];
}

constexpr Op<FftAttributes> kFft{
    .name = "fft",
    .infer = infer_fft,
    .lower =
        [](Lower& l, const FftAttributes& o) {
          return Values{l.e.fft(l[0], o.inverse, static_cast<int>(o.axes))};
        },
    // The transform's matrix is its own transpose.
    .vjp =
        [](Vjp& v, const FftAttributes& o) {
          return Grads{transform(v.gradient(), o, v.where())};
        },
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kFft>};

Tensor transform(const Tensor& x, FftAttributes o,
                 const SourceLocation& where) {
  return record<kFft>({cast(x, complex_dtype(x.dtype())).ref()}, o, where);
}

ComplexTensors transform(const ComplexTensors& x, FftAttributes o,
                         const SourceLocation& where) {
  if (x.first.shape() != x.second.shape()) {
    internal::Message("fft")
        .expected("two parts of one shape")
        .got(x.first.shape(), " and ", x.second.shape())
        .at(where)
        .raise<ShapeError>();
  }
  const Tensor turned = transform(complex(x.first, x.second), o, where);
  return {real(turned), imag(turned)};
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

Tensor fft(const Arg& x) {
  return transform(x.tensor(), {1, false}, x.where());
}
Tensor ifft(const Arg& x) {
  return transform(x.tensor(), {1, true}, x.where());
}
Tensor fft2(const Arg& x) {
  return transform(x.tensor(), {2, false}, x.where());
}
Tensor ifft2(const Arg& x) {
  return transform(x.tensor(), {2, true}, x.where());
}
Tensor fft3(const Arg& x) {
  return transform(x.tensor(), {3, false}, x.where());
}
Tensor ifft3(const Arg& x) {
  return transform(x.tensor(), {3, true}, x.where());
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
