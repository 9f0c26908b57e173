#include "systolic/array/manipulation.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "systolic/array/cast.h"
#include "systolic/array/loops.h"
#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;
using internal::Strides;

// The type that all arrays are brought to; throws for an empty list.
DType common_dtype(std::span<const Array> arrays, const char* who) {
  if (arrays.empty()) {
    Message(who).expected("at least one array").got("none").raise<ValueError>();
  }
  DType dtype = arrays[0].dtype();
  for (const Array& array : arrays) {
    internal::require_set(array, who);
    if (array.dtype() != dtype) dtype = promote(dtype, array.dtype());
  }
  return dtype;
}

[[noreturn]] void throw_different(const Array& first, const Array& other,
                                  size_t position, const char* who,
                                  std::string_view rule) {
  Message(who)
      .expected(rule)
      .got(first.shape(), " and ", other.shape())
      .detail("array 0", first.spec())
      .detail(internal::concatenate_text("array ", position), other.spec())
      .raise<ShapeError>();
}

// Writes the arrays side by side: each gives `chunk` of its elements in turn.
void interleave(std::span<const Array> arrays, DType dtype, int64_t outer,
                Array& out) {
  std::byte* to = out.mutable_data();
  size_t position = 0;
  std::vector<Array> parts;
  parts.reserve(arrays.size());
  for (const Array& array : arrays) parts.push_back(cast(array, dtype));
  for (int64_t i = 0; i < outer; ++i) {
    for (const Array& part : parts) {
      size_t bytes = part.nbytes() / static_cast<size_t>(outer);
      const std::byte* from = part.data() + static_cast<size_t>(i) * bytes;
      if (dtype == DType::string) {
        const auto* first = reinterpret_cast<const std::string*>(from);
        std::copy(first, first + bytes / sizeof(std::string),
                  reinterpret_cast<std::string*>(to + position));
      } else {
        std::copy(from, from + bytes, to + position);
      }
      position += bytes;
    }
  }
}

// The arrays as one, `spec`, where each begins where the one before it ends in
// memory that they share, as neighbouring slices do; else nothing.
std::optional<Array> side_by_side(std::span<const Array> arrays,
                                  const TensorSpec& spec) {
  const std::shared_ptr<const void>& owner = arrays[0].owner();
  if (owner == nullptr || spec.dtype == DType::string) return std::nullopt;
  const std::byte* end = arrays[0].data();
  for (const Array& array : arrays) {
    if (array.owner() != owner || array.data() != end ||
        array.dtype() != spec.dtype) {
      return std::nullopt;
    }
    end += array.nbytes();
  }
  return Array::share(spec, arrays[0].data(), owner);
}

// The arrays along an axis that has `outer` elements before it.
Array joined(std::span<const Array> arrays, const TensorSpec& spec,
             int64_t outer) {
  if (outer == 1) {
    if (std::optional<Array> shared = side_by_side(arrays, spec)) {
      return *std::move(shared);
    }
  }
  Array out = Array::uninitialized(spec);
  if (out.size() > 0) interleave(arrays, spec.dtype, outer, out);
  return out;
}

int64_t elements_before(const Shape& shape, int axis) {
  int64_t product = 1;
  for (int i = 0; i < axis; ++i) product *= shape[i];
  return product;
}

}  // namespace

Array reshape(const Array& x, const Shape& shape) { return x.reshaped(shape); }

Array expand_dims(const Array& x, int axis) {
  internal::require_set(x, "expand_dims");
  Shape shape = x.shape();
  shape.insert(resolve_axis(axis, x.rank() + 1, "expand_dims"), 1);
  return x.reshaped(shape);
}

Array squeeze(const Array& x, const Axes& axis) {
  internal::require_set(x, "squeeze");
  Shape shape = Shape::scalar();
  Axes chosen = axis.resolve(x.rank(), "squeeze");
  for (int i = 0; i < x.rank(); ++i) {
    int64_t size = x.shape()[i];
    bool wanted = chosen.contains(i);
    if (axis.is_set() && wanted && size != 1) {
      Message("squeeze")
          .expected("size 1 in axis ", i)
          .got(size)
          .detail("input", x.spec())
          .raise<ShapeError>();
    }
    if (!wanted || size != 1) shape.push_back(size);
  }
  return x.reshaped(shape);
}

Array transpose(const Array& x, const Axes& axes) {
  internal::require_set(x, "transpose");
  int rank = x.rank();
  Axes order = axes.resolve_in_order(rank, "transpose");
  if (order.size() != rank) {
    Message("transpose")
        .expected("each of the ", rank, " axes once")
        .got("axes = ", axes.to_string())
        .detail("input", x.spec())
        .raise<ValueError>();
  }
  Strides from = internal::row_major_strides(x.shape());
  Strides strides{};
  Shape shape = Shape::scalar();
  bool same = true;
  for (int i = 0; i < rank; ++i) {
    int axis = axes.is_set() ? order[i] : rank - 1 - i;
    same = same && axis == i;
    strides[static_cast<size_t>(i)] = from[static_cast<size_t>(axis)];
    shape.push_back(x.shape()[axis]);
  }
  if (same) return x;
  return internal::materialize(x.data(), x.dtype(), shape, strides);
}

Array broadcast_to(const Array& x, const Shape& shape) {
  internal::require_set(x, "broadcast_to");
  if (x.shape() == shape) return x;
  bool fits = x.rank() <= shape.rank();
  for (int i = 1; fits && i <= x.rank(); ++i) {
    fits = x.shape()[-i] == shape[-i] || x.shape()[-i] == 1;
  }
  if (!fits) {
    Message("broadcast_to")
        .expected("an input that broadcasts to ", shape)
        .got(x.shape())
        .detail("input", x.spec())
        .raise<ShapeError>();
  }
  return internal::materialize(x.data(), x.dtype(), shape,
                               internal::broadcast_strides(x.shape(), shape));
}

Array stack(std::span<const Array> arrays, int axis) {
  DType dtype = common_dtype(arrays, "stack");
  Shape shape = arrays[0].shape();
  for (size_t i = 1; i < arrays.size(); ++i) {
    if (arrays[i].shape() != shape) {
      throw_different(arrays[0], arrays[i], i, "stack", "arrays of one shape");
    }
  }
  int at = resolve_axis(axis, shape.rank() + 1, "stack");
  int64_t outer = elements_before(shape, at);
  shape.insert(at, static_cast<int64_t>(arrays.size()));
  return joined(arrays, {dtype, shape}, outer);
}

Array stack(std::initializer_list<Array> arrays, int axis) {
  return stack(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}

Array stack(const std::vector<Array>& arrays, int axis) {
  return stack(std::span<const Array>(arrays), axis);
}

Array concatenate(std::span<const Array> arrays, int axis) {
  DType dtype = common_dtype(arrays, "concatenate");
  Shape shape = arrays[0].shape();
  int at = resolve_axis(axis, shape.rank(), "concatenate");
  int64_t total = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Shape other = arrays[i].shape();
    if (other.rank() == shape.rank()) {
      total += other[at];
      other.set(at, shape[at]);
    }
    if (other != shape) {
      throw_different(
          arrays[0], arrays[i], i, "concatenate",
          internal::concatenate_text("equal sizes in all axes but axis ", at));
    }
  }
  int64_t outer = elements_before(shape, at);
  shape.set(at, total);
  return joined(arrays, {dtype, shape}, outer);
}

Array concatenate(std::initializer_list<Array> arrays, int axis) {
  return concatenate(std::span<const Array>(arrays.begin(), arrays.size()),
                     axis);
}

Array concatenate(const std::vector<Array>& arrays, int axis) {
  return concatenate(std::span<const Array>(arrays), axis);
}

Array concat(std::span<const Array> arrays, int axis) {
  return concatenate(arrays, axis);
}

Array concat(std::initializer_list<Array> arrays, int axis) {
  return concatenate(arrays, axis);
}

Array concat(const std::vector<Array>& arrays, int axis) {
  return concatenate(arrays, axis);
}

}  // namespace systolic
