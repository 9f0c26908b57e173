#include "systolic/pjrt/element_type.h"

#include <array>

#include "systolic/base/message.h"

namespace systolic::internal::pjrt {
namespace {

struct Row {
  DType dtype;
  abi::BufferType type;
};

constexpr std::array<Row, kDTypeCount - 1> kTypes{{
    {DType::boolean, abi::BufferType::pred},
    {DType::int8, abi::BufferType::s8},
    {DType::int16, abi::BufferType::s16},
    {DType::int32, abi::BufferType::s32},
    {DType::int64, abi::BufferType::s64},
    {DType::uint8, abi::BufferType::u8},
    {DType::uint16, abi::BufferType::u16},
    {DType::uint32, abi::BufferType::u32},
    {DType::uint64, abi::BufferType::u64},
    {DType::float8_e4m3fn, abi::BufferType::f8e4m3fn},
    {DType::float8_e5m2, abi::BufferType::f8e5m2},
    {DType::float16, abi::BufferType::f16},
    {DType::bfloat16, abi::BufferType::bf16},
    {DType::float32, abi::BufferType::f32},
    {DType::float64, abi::BufferType::f64},
    {DType::complex64, abi::BufferType::c64},
    {DType::complex128, abi::BufferType::c128},
}};

}  // namespace

abi::BufferType element_type_of(DType dtype) {
  for (const Row& row : kTypes) {
    if (row.dtype == dtype) return row.type;
  }
  Message("device buffer")
      .expected("a numeric dtype")
      .got(dtype)
      .hint(
          "strings stay on the host: map them to integers first, for example "
          "by their index in a vocabulary")
      .raise<TypeError>();
}

DType dtype_of_element(abi::BufferType type) {
  for (const Row& row : kTypes) {
    if (row.type == type) return row.dtype;
  }
  Message("device buffer")
      .expected("an element type that arrays have")
      .got("the plugin's type number ", static_cast<int>(type))
      .raise<TypeError>();
}

}  // namespace systolic::internal::pjrt
