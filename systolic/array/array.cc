#include "systolic/array/array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <ostream>
#include <utility>

#include "systolic/array/allocation.h"
#include "systolic/array/loops.h"
#include "systolic/array/print.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;

// The shape to give `count` elements; one axis unless the caller has one.
Shape shape_for(size_t count, const Shape& shape) {
  int64_t elements = static_cast<int64_t>(count);
  if (!shape.is_set()) return Shape{elements};
  if (!shape.is_known() || shape.elements() != elements) {
    Message("Array")
        .expected(shape.is_known() ? shape.elements() : elements,
                  " elements for shape ", shape)
        .got(elements)
        .raise<ShapeError>();
  }
  return shape;
}

// Throws ValueError where the bytes are more than can be counted.
void require_addressable(const TensorSpec& spec) {
  const Shape& shape = spec.shape;
  if (std::ranges::any_of(shape, [](int64_t size) { return size <= 0; }))
    return;
  auto bytes = static_cast<int64_t>(size_of(spec.dtype));
  for (const int64_t size : shape) {
    if (!__builtin_mul_overflow(bytes, size, &bytes)) continue;
    Message("Array")
        .expected("elements that fit into memory")
        .got(spec)
        .raise<ValueError>();
  }
}

}  // namespace

Array Array::uninitialized(const TensorSpec& spec) {
  Array out;
  out.spec_ = spec;
  if (!spec.shape.is_set()) out.spec_.shape = Shape::scalar();
  out.width_ = size_of(spec.dtype);
  require_addressable(out.spec_);
  out.size_ = out.spec_.shape.elements();
  out.writable_ = true;
  if (spec.dtype == DType::string) {
    auto strings = std::make_shared<std::vector<std::string>>(
        static_cast<size_t>(out.size_));
    out.data_ = reinterpret_cast<const std::byte*>(strings->data());
    out.owner_ = std::move(strings);
  } else {
    try {
      auto memory = internal::allocate_elements(out.nbytes());
      out.data_ = memory.get();
      out.owner_ = std::move(memory);
    } catch (const std::bad_alloc&) {
      Message("Array")
          .expected("elements that fit into memory")
          .got(out.spec_, " of ", out.nbytes(), " bytes")
          .raise<ValueError>();
    }
  }
  return out;
}

Array Array::copy(DType dtype, const void* values, size_t count,
                  const Shape& shape) {
  Array out = uninitialized({dtype, shape_for(count, shape)});
  if (count == 0) return out;
  if (dtype == DType::string) {
    const auto* strings = static_cast<const std::string*>(values);
    std::copy(strings, strings + count, out.mutable_span<std::string>().data());
  } else {
    std::memcpy(out.mutable_data(), values, out.nbytes());
  }
  return out;
}

Array Array::wrap(DType dtype, const void* values, size_t count,
                  const Shape& shape) {
  return share({dtype, shape_for(count, shape)}, values, nullptr);
}

Array Array::share(const TensorSpec& spec, const void* data,
                   std::shared_ptr<const void> owner) {
  Array out;
  out.spec_ = spec;
  out.size_ = spec.shape.elements();
  out.width_ = size_of(spec.dtype);
  out.data_ = static_cast<const std::byte*>(data);
  out.owner_ = std::move(owner);
  return out;
}

Array Array::from_bools(const std::vector<bool>& values, const Shape& shape) {
  Array out = uninitialized({DType::boolean, shape_for(values.size(), shape)});
  std::copy(values.begin(), values.end(), out.mutable_span<bool>().begin());
  return out;
}

Array Array::from_strings(std::vector<std::string> values, const Shape& shape) {
  Shape checked = shape_for(values.size(), shape);
  auto strings = std::make_shared<std::vector<std::string>>(std::move(values));
  Array out = share({DType::string, checked}, strings->data(), strings);
  out.writable_ = true;
  return out;
}

Array Array::from_bytes(const TensorSpec& spec,
                        std::span<const std::byte> bytes) {
  if (spec.dtype == DType::string) {
    Message("Array::from_bytes")
        .expected("elements of fixed size")
        .got(spec)
        .hint("use Array::from_strings")
        .raise<TypeError>();
  }
  Array out = uninitialized(spec);
  if (out.nbytes() != bytes.size()) {
    Message("Array::from_bytes")
        .expected(out.nbytes(), " bytes for ", spec)
        .got(bytes.size())
        .raise<ShapeError>();
  }
  if (!bytes.empty()) {
    std::memcpy(out.mutable_data(), bytes.data(), bytes.size());
  }
  return out;
}

Array Array::zeros(const Shape& shape, DType dtype) {
  return full(shape, 0, dtype);
}

Array Array::ones(const Shape& shape, DType dtype) {
  return full(shape, 1, dtype);
}

Array Array::full(const Shape& shape, double value, DType dtype) {
  Array out = uninitialized({dtype, shape});
  internal::require_numbers(out, "Array::full");
  internal::dispatch_number(dtype, [&]<class T>(std::type_identity<T>) {
    T element;
    if constexpr (internal::is_complex_type<T>) {
      element = T(std::complex<double>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      element = internal::convert_element<T>(value);
    } else {
      element = T(static_cast<float>(value));
    }
    for (T& place : out.mutable_span<T>()) place = element;
  });
  return out;
}

std::byte* Array::mutable_data() {
  if (!is_sole_owner()) {
    internal::require_set(*this, "Array::mutable_data");
    *this = spec_.dtype == DType::string
                ? copy(DType::string, data_, static_cast<size_t>(size_),
                       spec_.shape)
                : from_bytes(spec_, {data_, nbytes()});
  }
  // Memory of our own was made writable; see uninitialized.
  return const_cast<std::byte*>(data_);
}

Array Array::slice(std::span<const Index> indices) const {
  internal::require_set(*this, "Array::slice");
  ResolvedIndices resolved = resolve_indices(shape(), indices, "Array::slice");
  internal::Strides strides = internal::row_major_strides(shape());
  const Shape& sliced = resolved.sliced;
  int64_t first = 0;
  bool adjacent = true;
  int64_t expected_stride = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    size_t at = static_cast<size_t>(axis);
    first += resolved.starts[at] * strides[at];
    strides[at] *= resolved.steps[at];
    if (sliced[axis] != 1 && strides[at] != expected_stride) adjacent = false;
    expected_stride *= sliced[axis];
  }
  TensorSpec result{dtype(), resolved.result};
  if (result.shape.elements() == 0) return uninitialized(result);
  const std::byte* start = data_ + static_cast<size_t>(first) * width_;
  if (adjacent) {
    Array out = share(result, start, owner_);
    out.writable_ = writable_;
    return out;
  }
  return internal::materialize(start, dtype(), sliced, strides)
      .reshaped(resolved.result);
}

Array Array::reshaped(const Shape& shape) const {
  internal::require_set(*this, "reshape");
  Shape target = shape.is_set() ? shape : Shape::scalar();
  int unknown = -1;
  int unknown_count = 0;
  int64_t known = 1;
  for (int i = 0; i < target.rank(); ++i) {
    if (target[i] >= 0) {
      known *= target[i];
    } else {
      unknown = i;
      ++unknown_count;
    }
  }
  if (unknown_count == 1 && known != 0 && size_ % known == 0) {
    target.set(unknown, size_ / known);
    known = size_;
  }
  if (unknown_count > 1 || !target.is_known() || known != size_) {
    Message message("reshape");
    if (unknown_count > 1) {
      message.expected("at most one size of -1").got(shape);
    } else {
      message.expected("a shape of ", size_, " elements").got(shape);
    }
    message.detail("input", spec_).raise<ShapeError>();
  }
  Array out = *this;
  out.spec_.shape = target;
  return out;
}

void Array::throw_dtype(DType wanted) const {
  internal::require_set(*this, "Array::span");
  Message("Array::span")
      .expected(dtype(), " elements, as the array holds")
      .got("span of ", wanted)
      .detail("array", spec_)
      .hint("read it as its own type, or cast it first")
      .raise<TypeError>();
}

void Array::require_one() const {
  internal::require_set(*this, "Array::item");
  if (size_ == 1) return;
  Message("Array::item")
      .expected("an array of one element")
      .got(size_)
      .detail("array", spec_)
      .hint("index it first, for example x[{0, 0}].item<float>()")
      .raise<ValueError>();
}

void Array::require_real_item() const {
  internal::require_numbers(*this, "Array::item");
  if (!is_complex(dtype())) return;
  Message("Array::item")
      .expected("a complex type for a complex element")
      .got("a real one")
      .detail("array", spec_)
      .hint("use item<std::complex<float>>(), or take real(x) first")
      .raise<TypeError>();
}

double Array::item_double() const {
  require_one();
  require_real_item();
  return item_complex().real();
}

std::complex<double> Array::item_complex() const {
  require_one();
  internal::require_numbers(*this, "Array::item");
  return internal::dispatch_number(
      dtype(), [&]<class T>(std::type_identity<T>) {
        const T& value = *reinterpret_cast<const T*>(data_);
        if constexpr (internal::is_complex_type<T>) {
          return std::complex<double>(value);
        } else {
          return std::complex<double>(static_cast<double>(value));
        }
      });
}

// The element towards zero, in the bits of an int64; throws ValueError unless
// it lies between the limits of `wanted`.
int64_t Array::item_integer(DType wanted, int64_t least, uint64_t most) const {
  require_one();
  require_real_item();
  const auto in_limits = [&](auto value) {
    return std::cmp_greater_equal(value, least) &&
           std::cmp_less_equal(value, most);
  };
  // The limits are powers of two, or one less, which a double may not have.
  const auto real_in_limits = [&](double value) {
    return value >= static_cast<double>(least) &&
           value < static_cast<double>(most / 2 + 1) * 2;
  };
  const std::optional<int64_t> item = internal::dispatch_number(
      dtype(), [&]<class T>(std::type_identity<T>) -> std::optional<int64_t> {
        const T& value = *reinterpret_cast<const T*>(data_);
        if constexpr (internal::is_complex_type<T>) {
          return std::nullopt;  // refused above
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? 1 : 0;
        } else if constexpr (std::is_integral_v<T>) {
          if (in_limits(value)) return static_cast<int64_t>(value);
        } else {
          const double real = std::trunc(static_cast<double>(value));
          if (real < 0 && real_in_limits(real)) {
            return static_cast<int64_t>(real);
          }
          if (real_in_limits(real)) {
            return static_cast<int64_t>(static_cast<uint64_t>(real));
          }
        }
        return std::nullopt;
      });
  if (item) return *item;
  internal::Message("Array::item")
      .expected("a number that ", wanted, " has, from ", least, " to ", most)
      .got(to_string(), ", of ", dtype())
      .hint("read it as ", is_integer(dtype())
                               ? internal::concatenate_text(dtype(), "_t")
                               : "double")
      .raise<ValueError>();
}

const std::string& Array::item_string() const {
  require_one();
  if (dtype() != DType::string) throw_dtype(DType::string);
  return *reinterpret_cast<const std::string*>(data_);
}

std::string Array::to_string() const { return array_to_string(*this); }

std::string Array::repr() const { return array_repr(*this); }

std::ostream& operator<<(std::ostream& out, const Array& array) {
  return out << array.to_string();
}

}  // namespace systolic
