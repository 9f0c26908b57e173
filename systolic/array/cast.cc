#include "systolic/array/cast.h"

#include "systolic/array/loops.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::convert_element;
using internal::dispatch_narrow;
using internal::dispatch_wide;

bool is_narrow(DType dtype) {
  return is_floating(dtype) && dtype < DType::float32;
}

template <class From, class To>
void convert_all(const Array& x, Array& out) {
  const From* from = reinterpret_cast<const From*>(x.data());
  To* to = reinterpret_cast<To*>(out.mutable_data());
  int64_t count = x.size();
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_arithmetic_v<To>) {
      to[i] = convert_element<To>(from[i]);
    } else {
      to[i] = To(static_cast<float>(from[i]));
    }
  }
}

// From float8, float16 or bfloat16 to float32, which holds them all.
Array widen(const Array& x) {
  Array out = Array::uninitialized({DType::float32, x.shape()});
  dispatch_narrow(x.dtype(), [&]<class From>(std::type_identity<From>) {
    const From* from = reinterpret_cast<const From*>(x.data());
    float* to = reinterpret_cast<float*>(out.mutable_data());
    for (int64_t i = 0; i < x.size(); ++i) to[i] = from[i];
  });
  return out;
}

}  // namespace

Array cast(const Array& x, DType dtype) {
  internal::require_set(x, "cast");
  if (x.dtype() == dtype) return x;
  if (x.dtype() == DType::string || dtype == DType::string) {
    internal::Message("cast")
        .expected("numbers on both sides")
        .got(x.dtype(), " to ", dtype)
        .detail("input", x.spec())
        .raise<TypeError>();
  }
  if (is_narrow(x.dtype())) return cast(widen(x), dtype);
  Array out = Array::uninitialized({dtype, x.shape()});
  dispatch_wide(x.dtype(), [&]<class From>(std::type_identity<From>) {
    internal::dispatch_number(dtype, [&]<class To>(std::type_identity<To>) {
      convert_all<From, To>(x, out);
    });
  });
  return out;
}

}  // namespace systolic
