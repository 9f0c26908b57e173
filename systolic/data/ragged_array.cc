#include "systolic/data/ragged_array.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "systolic/array/cast.h"
#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/data/array_rows.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "data::RaggedArray";

// Row splits as int64, checked against the `rows` that they divide.
Array checked_splits(const Array& splits, int64_t rows) {
  const bool whole =
      splits.dtype() == DType::int64 || splits.dtype() == DType::int32;
  if (splits.rank() != 1 || splits.size() == 0 || !whole) {
    internal::Message(kName)
        .expected("row_splits of one axis, int64, with at least one element")
        .got(splits.is_set() ? splits.spec().to_string() : "an unset Array")
        .raise<ValueError>();
  }
  Array result = cast<int64_t>(splits);
  const auto values = result.span<int64_t>();
  if (values[0] != 0 || values.back() != rows ||
      !std::is_sorted(values.begin(), values.end())) {
    internal::Message(kName)
        .expected("row_splits that start at 0, never fall and end at ", rows,
                  ", the number of rows below")
        .got(result.to_string())
        .raise<ValueError>();
  }
  return result;
}

// The elements behind each index of the first axis.
int64_t row_elements(const Array& values) {
  Shape row = values.shape();
  row.erase(0);
  return row.elements();
}

}  // namespace

RaggedArray::RaggedArray()
    : values_(Array::zeros({0})),
      row_splits_{Array::zeros({1}, DType::int64)} {}

RaggedArray::RaggedArray(Array values, std::vector<Array> row_splits)
    : values_(std::move(values)), row_splits_(std::move(row_splits)) {
  if (values_.rank() == 0) {
    internal::Message(kName)
        .expected("values with a first axis")
        .got(values_.is_set() ? "a scalar" : "an unset Array")
        .raise<ValueError>();
  }
  if (row_splits_.empty()) {
    internal::Message(kName)
        .expected("row_splits for at least one axis")
        .got("none")
        .raise<ValueError>();
  }
  int64_t rows = values_.shape()[0];
  for (size_t i = row_splits_.size(); i-- > 0;) {
    row_splits_[i] = checked_splits(row_splits_[i], rows);
    rows = row_splits_[i].size() - 1;
  }
}

RaggedArray RaggedArray::from_row_lengths(const Array& values,
                                          const std::vector<int64_t>& lengths) {
  std::vector<int64_t> splits = {0};
  for (int64_t length : lengths) splits.push_back(splits.back() + length);
  return RaggedArray(values, {Array::from(splits)});
}

RaggedArray RaggedArray::from_rows(const std::vector<Array>& rows) {
  std::vector<int64_t> lengths;
  for (const Array& row : rows) {
    if (row.rank() == 0) {
      internal::Message(kName)
          .expected("rows with a first axis")
          .got(row.is_set() ? "a scalar" : "an unset Array")
          .raise<ValueError>();
    }
    if (row.dtype() != rows[0].dtype()) {
      internal::Message(kName)
          .expected("rows of one dtype")
          .got(rows[0].spec(), " and ", row.spec())
          .raise<TypeError>();
    }
    lengths.push_back(row.shape()[0]);
  }
  return from_row_lengths(systolic::concatenate(rows), lengths);
}

std::vector<int64_t> RaggedArray::row_lengths() const {
  const auto splits = row_splits_[0].span<int64_t>();
  std::vector<int64_t> lengths;
  for (size_t i = 1; i < splits.size(); ++i) {
    lengths.push_back(splits[i] - splits[i - 1]);
  }
  return lengths;
}

Array RaggedArray::row(int64_t index) const {
  if (ragged_rank() > 1) {
    internal::Message(kName)
        .rule("row() is for one ragged axis, this has ", ragged_rank())
        .raise<ValueError>();
  }
  if (index < 0 || index >= nrows()) {
    internal::Message(kName)
        .expected("a row below ", nrows())
        .got(index)
        .raise<OutOfRangeError>();
  }
  const auto splits = row_splits_[0].span<int64_t>();
  const auto i = static_cast<size_t>(index);
  return values_[{Slice(splits[i], splits[i + 1])}];
}

Shape RaggedArray::bounding_shape() const {
  Shape shape = {nrows()};
  for (const Array& row_splits : row_splits_) {
    int64_t longest = 0;
    const auto splits = row_splits.span<int64_t>();
    for (size_t i = 1; i < splits.size(); ++i) {
      longest = std::max(longest, splits[i] - splits[i - 1]);
    }
    shape.push_back(longest);
  }
  for (int i = 1; i < values_.rank(); ++i) shape.push_back(values_.shape()[i]);
  return shape;
}

namespace {

// Writes rows into a dense Array, from the outermost axis inwards.
class Filler {
 public:
  Filler(const RaggedArray& ragged, const Shape& shape,
         detail::ArrayWriter* writer)
      : ragged_(ragged), shape_(shape), writer_(writer) {}

  // Rows first ... first + count - 1 of the axis `axis` to the place `to`,
  // counted in rows of that axis.
  void fill(int axis, int64_t first, int64_t count, int64_t to) {
    count = std::min(count, shape_[axis]);
    if (axis == ragged_.ragged_rank()) {
      fill_values(first, count, to);
      return;
    }
    const auto splits =
        ragged_.row_splits()[static_cast<size_t>(axis)].span<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      const auto row = static_cast<size_t>(first + i);
      fill(axis + 1, splits[row], splits[row + 1] - splits[row],
           (to + i) * shape_[axis + 1]);
    }
  }

 private:
  void fill_values(int64_t first, int64_t count, int64_t to) {
    const Array& values = ragged_.values();
    copy_box(values, 1, first * row_elements(values), count, to,
             ragged_.ragged_rank());
  }

  // Copies `count` rows that begin at element `from`; axis `inner` of the
  // values is axis `axis` + 1 of the result.
  void copy_box(const Array& values, int inner, int64_t from, int64_t count,
                int64_t to, int axis) {
    int64_t source = 1;
    for (int i = inner; i < values.rank(); ++i) source *= values.shape()[i];
    if (inner == values.rank()) {
      writer_->copy(values, from, count, to);
      return;
    }
    const int64_t length = std::min(values.shape()[inner], shape_[axis + 1]);
    for (int64_t i = 0; i < count; ++i) {
      copy_box(values, inner + 1, from + i * source, length,
               (to + i) * shape_[axis + 1], axis + 1);
    }
  }

  const RaggedArray& ragged_;
  const Shape& shape_;
  detail::ArrayWriter* writer_;
};

}  // namespace

Array RaggedArray::to_array(const Array& default_value,
                            const Shape& shape) const {
  const Shape bounds = bounding_shape();
  Shape wanted = shape.is_set() ? shape : bounds;
  if (wanted.rank() != bounds.rank()) {
    internal::Message("data::RaggedArray::to_array")
        .expected("a shape of ", bounds.rank(), " axes")
        .got(shape)
        .raise<ShapeError>();
  }
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted[i] == -1) wanted.set(i, bounds[i]);
  }
  const Array fill =
      default_value.is_set() ? default_value : detail::zero_of(values_.dtype());
  if (fill.dtype() != values_.dtype() || fill.size() != 1) {
    internal::Message("data::RaggedArray::to_array")
        .expected("a default_value of ", name(values_.dtype()), "[]")
        .got(fill.spec())
        .raise<TypeError>();
  }
  detail::ArrayWriter writer({values_.dtype(), wanted}, fill);
  Filler(*this, wanted, &writer).fill(0, 0, nrows(), 0);
  return writer.finish();
}

namespace {

// Rows first ... last - 1 of the axis as text.
std::string rows_text(const RaggedArray& array, int axis, int64_t first,
                      int64_t last) {
  std::string text = "[";
  for (int64_t i = first; i < last; ++i) {
    if (i > first) text += ", ";
    if (axis < array.ragged_rank()) {
      const auto splits =
          array.row_splits()[static_cast<size_t>(axis)].span<int64_t>();
      text += rows_text(array, axis + 1, splits[static_cast<size_t>(i)],
                        splits[static_cast<size_t>(i) + 1]);
    } else {
      text += array.values()[{i}].to_string();
    }
  }
  return text + "]";
}

}  // namespace

std::string RaggedArray::to_string() const {
  return rows_text(*this, 0, 0, nrows());
}

std::ostream& operator<<(std::ostream& out, const RaggedArray& array) {
  return out << array.to_string();
}

Element ElementTraits<RaggedArray>::to_element(RaggedArray value) {
  std::vector<Element> splits(value.row_splits().begin(),
                              value.row_splits().end());
  return Element::dict({{"row_splits", Element::tuple(std::move(splits))},
                        {"values", Element(value.values())}});
}

RaggedArray ElementTraits<RaggedArray>::from_element(Element& element) {
  detail::require_dict(element);
  std::vector<Array> splits;
  for (const Element& item : std::as_const(element)["row_splits"].items()) {
    splits.push_back(item.array());
  }
  return RaggedArray(std::as_const(element)["values"].array(),
                     std::move(splits));
}

}  // namespace systolic::data
