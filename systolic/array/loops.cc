#include "systolic/array/loops.h"

#include <cstring>
#include <string>

#include "systolic/base/message.h"

namespace systolic::internal {
namespace {

template <class T>
void copy_elements(const T* first, T* out, const Walk<1>& walk) {
  walk_rows(walk, [&](int64_t done, const std::array<int64_t, 1>& offset,
                      int64_t count, const std::array<int64_t, 1>& step) {
    const T* from = first + offset[0];
    T* to = out + done;
    if constexpr (!std::is_same_v<T, std::string>) {
      if (step[0] == 1) {
        std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
        return;
      }
    }
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * step[0]];
  });
}

template <class T>
void copy_as(const std::byte* first, Array& out, const Walk<1>& walk) {
  copy_elements(reinterpret_cast<const T*>(first),
                reinterpret_cast<T*>(out.mutable_data()), walk);
}

}  // namespace

Strides row_major_strides(const Shape& shape) {
  Strides strides{};
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = stride;
    stride *= shape.data()[i];
  }
  return strides;
}

Strides broadcast_strides(const Shape& from, const Shape& to) {
  Strides own = row_major_strides(from);
  Strides strides{};
  int offset = to.rank() - from.rank();
  for (int i = 0; i < from.rank(); ++i) {
    // An axis of size 1 gives its one element again and again.
    if (from.data()[i] == 1) continue;
    strides[static_cast<size_t>(i + offset)] = own[static_cast<size_t>(i)];
  }
  return strides;
}

Array materialize(const std::byte* first, DType dtype, const Shape& shape,
                  const Strides& strides) {
  Array out = Array::uninitialized({dtype, shape});
  if (out.size() == 0) return out;
  Walk<1> walk = make_walk<1>(shape, {strides});
  if (dtype == DType::string) {
    copy_as<std::string>(first, out, walk);
    return out;
  }
  switch (size_of(dtype)) {
    case 1:
      copy_as<uint8_t>(first, out, walk);
      break;
    case 2:
      copy_as<uint16_t>(first, out, walk);
      break;
    case 4:
      copy_as<uint32_t>(first, out, walk);
      break;
    case 8:
      copy_as<uint64_t>(first, out, walk);
      break;
    default:
      copy_as<std::complex<double>>(first, out, walk);
  }
  return out;
}

void require_set(const Array& x, const char* who) {
  if (x.is_set()) return;
  Message(who)
      .expected("an array")
      .got("an Array that nothing was assigned to")
      .raise<ValueError>();
}

void require_numbers(const Array& x, const char* who) {
  require_set(x, who);
  if (x.dtype() != DType::string) return;
  Message(who)
      .expected("numbers")
      .got(x.spec())
      .hint("convert the text to numbers first")
      .raise<TypeError>();
}

void require_real(const Array& x, const char* who) {
  require_numbers(x, who);
  if (!is_complex(x.dtype())) return;
  Message(who)
      .expected("real numbers")
      .got(x.spec())
      .hint("complex numbers have no order; take abs(x), real(x) or imag(x)")
      .raise<TypeError>();
}

void require_wider_than_float8(DType dtype, const char* who) {
  if (!is_float8(dtype)) return;
  Message(who)
      .expected("a dtype to compute in, since float8 is storage")
      .got(dtype)
      .hint("cast it first, for example cast(x, DType::bfloat16)")
      .raise<TypeError>();
}

void throw_no_loop(DType dtype) {
  throw InternalError(concatenate_text("array: no loop for ", dtype));
}

}  // namespace systolic::internal
