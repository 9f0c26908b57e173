#include "systolic/array/nest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;

// What the leaves of a nest are, collected in one pass.
struct Leaves {
  std::vector<const Nest*> items;
  bool has_text = false;
  bool has_number = false;
  bool has_integer = false;
  bool has_real = false;
  bool needs_int64 = false;
};

// The shape by the first element of every list; collect() checks the rest.
Shape shape_of(const Nest& nest) {
  Shape shape = Shape::scalar();
  const Nest* at = &nest;
  while (at->kind() == Nest::Kind::list) {
    shape.push_back(static_cast<int64_t>(at->items().size()));
    if (at->items().empty()) break;
    at = &at->items().front();
  }
  return shape;
}

void collect(const Nest& nest, const Shape& shape, int axis, Leaves& out) {
  bool is_list = nest.kind() == Nest::Kind::list;
  if (is_list != (axis < shape.rank())) {
    Message("constant")
        .expected("lists of one depth")
        .got(is_list ? "a list beside a value" : "a value beside a list")
        .detail("axis", axis)
        .raise<ShapeError>();
  }
  if (!is_list) {
    out.items.push_back(&nest);
    out.has_text |= nest.kind() == Nest::Kind::text;
    out.has_number |= nest.kind() != Nest::Kind::text;
    out.has_real |= nest.kind() == Nest::Kind::real;
    out.has_integer |= nest.kind() == Nest::Kind::integer;
    out.needs_int64 |= nest.integer() > std::numeric_limits<int32_t>::max() ||
                       nest.integer() < std::numeric_limits<int32_t>::min();
    return;
  }
  int64_t length = static_cast<int64_t>(nest.items().size());
  if (length != shape[axis]) {
    Message("constant")
        .expected("lists of one length in axis ", axis)
        .got(shape[axis], " and ", length)
        .hint("pad the shorter list")
        .raise<ShapeError>();
  }
  for (const Nest& item : nest.items()) collect(item, shape, axis + 1, out);
}

// Throws where a number changes when it is kept as `dtype`.
void check_fits(const Nest& leaf, DType dtype) {
  if (!is_integer(dtype)) return;
  if (leaf.kind() == Nest::Kind::real &&
      leaf.real() != std::floor(leaf.real())) {
    Message("constant")
        .expected("whole numbers for ", dtype)
        .got(leaf.real())
        .hint("leave the dtype out, or round the number first")
        .raise<TypeError>();
  }
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  const double end = std::ldexp(1.0, is_signed(dtype) ? bits - 1 : bits);
  const double begin = is_signed(dtype) ? -end : 0;
  // A double is exact up to 2^53, and 64 bits hold all that an int64 can be.
  if (leaf.real() >= begin &&
      (leaf.real() < end ||
       (bits == 64 && leaf.kind() == Nest::Kind::integer))) {
    return;
  }
  Message message("constant");
  message.expected("numbers in the range of ", dtype);
  if (leaf.kind() == Nest::Kind::real) {
    message.got(leaf.real());
  } else {
    message.got(leaf.integer());
  }
  message.raise<ValueError>();
}

DType dtype_of_leaves(const Leaves& leaves) {
  if (leaves.has_text) return DType::string;
  if (leaves.has_real || leaves.items.empty()) return DType::float32;
  if (!leaves.has_integer) return DType::boolean;
  return leaves.needs_int64 ? DType::int64 : DType::int32;
}

}  // namespace

Array to_array(const Nest& nest, std::optional<DType> dtype) {
  Shape shape = shape_of(nest);
  Leaves leaves;
  collect(nest, shape, 0, leaves);
  if (leaves.has_text && leaves.has_number) {
    Message("constant")
        .expected("numbers, or text")
        .got("both")
        .raise<TypeError>();
  }
  DType wanted = dtype.value_or(dtype_of_leaves(leaves));
  if (leaves.has_text) {
    std::vector<std::string> texts;
    for (const Nest* leaf : leaves.items) texts.push_back(leaf->text());
    return cast(Array::from_strings(std::move(texts), shape), wanted);
  }
  if (leaves.items.empty()) return Array::uninitialized({wanted, shape});
  for (const Nest* leaf : leaves.items) check_fits(*leaf, wanted);
  // Integers go through int64, which a double could not hold exactly.
  if (leaves.has_real) {
    std::vector<double> values;
    for (const Nest* leaf : leaves.items) values.push_back(leaf->real());
    return cast(Array::from(values, shape), wanted);
  }
  std::vector<int64_t> values;
  for (const Nest* leaf : leaves.items) values.push_back(leaf->integer());
  return cast(Array::from(values, shape), wanted);
}

}  // namespace systolic
