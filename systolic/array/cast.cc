#include "systolic/array/cast.h"

#include "systolic/array/loops.h"
#include "systolic/array/wide_loop.h"
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
  const auto loop = [=] {
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (internal::is_complex_type<To>) {
        to[i] = To(static_cast<typename To::value_type>(from[i]));
      } else if constexpr (std::is_arithmetic_v<To>) {
        to[i] = convert_element<To>(from[i]);
      } else {
        to[i] = To(static_cast<float>(from[i]));
      }
    }
  };
  if constexpr (std::is_same_v<To, float>) {
    internal::wide_loop(loop);
  } else {
    loop();
  }
}

// From complex numbers to the other width, or to whether they are not zero.
Array cast_complex(const Array& x, DType dtype) {
  if (!is_complex(dtype) && dtype != DType::boolean) {
    internal::Message("cast")
        .expected("a complex dtype or bool for complex numbers")
        .got(x.dtype(), " to ", dtype)
        .detail("input", x.spec())
        .hint("a cast would lose the imaginary part: take real(x) or abs(x)")
        .raise<TypeError>();
  }
  Array out = Array::uninitialized({dtype, x.shape()});
  internal::dispatch_complex(x.dtype(), [&]<class From>(
                                            std::type_identity<From>) {
    std::span<const From> from = x.span<From>();
    if (dtype == DType::boolean) {
      std::span<bool> to = out.mutable_span<bool>();
      for (size_t i = 0; i < to.size(); ++i) to[i] = from[i] != From(0);
      return;
    }
    internal::dispatch_complex(dtype, [&]<class To>(std::type_identity<To>) {
      std::span<To> to = out.mutable_span<To>();
      for (size_t i = 0; i < to.size(); ++i) to[i] = To(from[i]);
    });
  });
  return out;
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
  if (is_complex(x.dtype())) return cast_complex(x, dtype);
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
