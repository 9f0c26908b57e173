#include "systolic/array/complex.h"

#include "systolic/array/cast.h"
#include "systolic/array/loops.h"
#include "systolic/array/promotion.h"

namespace systolic {
namespace {

// Applies `f` to each element of complex x; the results are real.
template <class F>
Array map_parts(const Array& x, const F& f) {
  Array out = Array::uninitialized({real_dtype(x.dtype()), x.shape()});
  internal::dispatch_complex(
      x.dtype(), [&]<class T>(std::type_identity<std::complex<T>>) {
        std::span<const std::complex<T>> from = x.span<std::complex<T>>();
        std::span<T> to = out.mutable_span<T>();
        for (size_t i = 0; i < to.size(); ++i) to[i] = f(from[i]);
      });
  return out;
}

}  // namespace

Array complex(const Array& real, const Array& imag) {
  internal::require_real(real, "complex");
  internal::require_real(imag, "complex");
  const DType dtype = complex_dtype(promote(real.dtype(), imag.dtype()));
  const Shape shape = broadcast(real.shape(), imag.shape(), "complex");
  const Array first = cast(real, real_dtype(dtype));
  const Array second = cast(imag, real_dtype(dtype));
  Array out = Array::uninitialized({dtype, shape});
  internal::dispatch_complex(dtype, [&]<class T>(
                                        std::type_identity<std::complex<T>>) {
    const T* from = first.span<T>().data();
    const T* beside = second.span<T>().data();
    std::complex<T>* to = out.mutable_span<std::complex<T>>().data();
    const auto walk = internal::make_walk<2>(
        shape, {internal::broadcast_strides(first.shape(), shape),
                internal::broadcast_strides(second.shape(), shape)});
    internal::walk_rows(walk, [&](int64_t done,
                                  const std::array<int64_t, 2>& at,
                                  int64_t count,
                                  const std::array<int64_t, 2>& step) {
      for (int64_t i = 0; i < count; ++i) {
        to[done + i] = {from[at[0] + i * step[0]], beside[at[1] + i * step[1]]};
      }
    });
  });
  return out;
}

Array real(const Array& x) {
  internal::require_numbers(x, "real");
  if (!is_complex(x.dtype())) return x;
  return map_parts(x, [](auto v) { return v.real(); });
}

Array imag(const Array& x) {
  internal::require_numbers(x, "imag");
  if (!is_complex(x.dtype())) return Array::zeros(x.shape(), x.dtype());
  return map_parts(x, [](auto v) { return v.imag(); });
}

Array conj(const Array& x) {
  internal::require_numbers(x, "conj");
  if (!is_complex(x.dtype())) return x;
  Array out = x;
  internal::dispatch_complex(x.dtype(), [&]<class T>(std::type_identity<T>) {
    for (T& value : out.mutable_span<T>()) value = std::conj(value);
  });
  return out;
}

Array angle(const Array& x) {
  internal::require_numbers(x, "angle");
  const Array z = cast(x, complex_dtype(x.dtype()));
  return map_parts(z, [](auto v) { return std::arg(v); });
}

Array internal::magnitude(const Array& x) {
  return map_parts(x, [](auto v) { return std::abs(v); });
}

}  // namespace systolic
