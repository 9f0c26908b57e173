#include "systolic/data/sparse_array.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <utility>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/data/array_rows.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "data::SparseArray";

// The row-major index of row `row` of `indices`.
int64_t flat_index(std::span<const int64_t> indices,
                   std::span<const int64_t> lengths, size_t row) {
  int64_t flat = 0;
  for (size_t axis = 0; axis < lengths.size(); ++axis) {
    flat = flat * lengths[axis] + indices[row * lengths.size() + axis];
  }
  return flat;
}

bool is_zero(const Array& array, size_t index) {
  if (array.dtype() == DType::string) {
    return array.span<std::string>()[index].empty();
  }
  const size_t width = size_of(array.dtype());
  const std::byte* value = array.data() + index * width;
  const bool signed_zero = is_floating(array.dtype());
  for (size_t i = 0; i < width; ++i) {
    std::byte bits = value[i];
    if (signed_zero && i + 1 == width) bits &= std::byte{0x7f};  // of -0
    if (bits != std::byte{0}) return false;
  }
  return true;
}

}  // namespace

SparseArray::SparseArray()
    : indices_(Array::zeros({0, 1}, DType::int64)),
      values_(Array::zeros({0})),
      dense_shape_(Array::zeros({1}, DType::int64)) {}

SparseArray::SparseArray(Array indices, Array values, Array dense_shape)
    : indices_(std::move(indices)),
      values_(std::move(values)),
      dense_shape_(std::move(dense_shape)) {
  if (indices_.dtype() != DType::int64 ||
      dense_shape_.dtype() != DType::int64) {
    internal::Message(kName)
        .expected("indices and dense_shape of int64")
        .got(indices_.spec(), " and ", dense_shape_.spec())
        .raise<TypeError>();
  }
  if (indices_.rank() != 2 || values_.rank() != 1 || dense_shape_.rank() != 1 ||
      indices_.shape()[0] != values_.size() ||
      indices_.shape()[1] != dense_shape_.size()) {
    internal::Message(kName)
        .expected("indices (n, rank), values (n) and dense_shape (rank)")
        .got(indices_.shape(), ", ", values_.shape(), " and ",
             dense_shape_.shape())
        .raise<ShapeError>();
  }
  const auto lengths = dense_shape_.span<int64_t>();
  const auto places = indices_.span<int64_t>();
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t length = lengths[i % lengths.size()];
    if (places[i] >= 0 && places[i] < length) continue;
    internal::Message(kName)
        .expected("indices inside of the shape ", shape())
        .got(indices_[{static_cast<int64_t>(i / lengths.size())}].to_string())
        .detail("value", i / lengths.size())
        .raise<ValueError>();
  }
}

SparseArray SparseArray::from_dense(const Array& dense) {
  std::vector<int64_t> indices;
  std::vector<int64_t> flat;
  const auto rank = static_cast<size_t>(dense.rank());
  for (int64_t i = 0; i < dense.size(); ++i) {
    if (is_zero(dense, static_cast<size_t>(i))) continue;
    flat.push_back(i);
    indices.resize(indices.size() + rank);
    int64_t rest = i;
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t length = dense.shape()[static_cast<int>(rank - 1 - axis)];
      indices[indices.size() - 1 - axis] = rest % length;
      rest /= length;
    }
  }
  const auto count = static_cast<int64_t>(flat.size());
  detail::ArrayWriter values({dense.dtype(), {count}},
                             detail::zero_of(dense.dtype()));
  for (int64_t i = 0; i < count; ++i) {
    values.copy(dense, flat[static_cast<size_t>(i)], 1, i);
  }
  return SparseArray(Array::from(indices, {count, dense.rank()}),
                     values.finish(), Array::from(dense.shape().dims()));
}

Shape SparseArray::shape() const { return Shape(dense_shape_.span<int64_t>()); }

Array SparseArray::to_dense(const Array& default_value) const {
  const Array fill =
      default_value.is_set() ? default_value : detail::zero_of(values_.dtype());
  if (fill.dtype() != values_.dtype() || fill.size() != 1) {
    internal::Message("data::SparseArray::to_dense")
        .expected("a default_value of ", name(values_.dtype()), "[]")
        .got(fill.spec())
        .raise<TypeError>();
  }
  detail::ArrayWriter writer({values_.dtype(), shape()}, fill);
  const auto places = indices_.span<int64_t>();
  const auto lengths = dense_shape_.span<int64_t>();
  for (int64_t i = 0; i < values_.size(); ++i) {
    writer.copy(values_, i, 1,
                flat_index(places, lengths, static_cast<size_t>(i)));
  }
  return writer.finish();
}

std::string SparseArray::to_string() const {
  std::string places = indices_.to_string();
  std::erase(places, '\n');
  return "SparseArray(indices=" + places + ", values=" + values_.to_string() +
         ", dense_shape=" + dense_shape_.to_string() + ")";
}

std::ostream& operator<<(std::ostream& out, const SparseArray& array) {
  return out << array.to_string();
}

Element ElementTraits<SparseArray>::to_element(SparseArray value) {
  return Element::dict({{"dense_shape", Element(value.dense_shape())},
                        {"indices", Element(value.indices())},
                        {"values", Element(value.values())}});
}

SparseArray ElementTraits<SparseArray>::from_element(Element& element) {
  detail::require_dict(element);
  const Element& dict = element;
  return SparseArray(dict["indices"].array(), dict["values"].array(),
                     dict["dense_shape"].array());
}

}  // namespace systolic::data
