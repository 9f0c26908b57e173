// Tested by: systolic/data/ragged_array_test.cc
#include "systolic/data/array_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace systolic::data::detail {

Array zero_of(DType dtype) {
  if (dtype == DType::string) return Array::scalar("");
  return Array::zeros(Shape::scalar(), dtype);
}

ArrayWriter::ArrayWriter(const TensorSpec& spec, const Array& fill)
    : spec_(spec) {
  const auto count = static_cast<size_t>(spec.shape.elements());
  if (spec.dtype == DType::string) {
    strings_.assign(count, fill.span<std::string>()[0]);
    return;
  }
  array_ = Array::uninitialized(spec);
  memory_ = array_.mutable_data();
  width_ = size_of(spec.dtype);
  const size_t bytes = count * width_;
  if (bytes == 0) return;
  std::memcpy(memory_, fill.data(), width_);
  for (size_t done = width_; done < bytes; done *= 2) {
    std::memcpy(memory_ + done, memory_, std::min(done, bytes - done));
  }
}

void ArrayWriter::copy(const Array& from, int64_t first, int64_t count,
                       int64_t to) {
  if (count == 0) return;
  if (spec_.dtype == DType::string) {
    const auto texts = from.span<std::string>();
    std::copy_n(texts.begin() + first, count, strings_.begin() + to);
    return;
  }
  std::memcpy(memory_ + static_cast<size_t>(to) * width_,
              from.data() + static_cast<size_t>(first) * width_,
              static_cast<size_t>(count) * width_);
}

void ArrayWriter::copy_corner(const Array& from, int64_t row) {
  copy_corner(from, 0, 0, row);
}

// `first` counts the blocks of `from` that have its axes from `axis` on, `to`
// those of the writer's.
void ArrayWriter::copy_corner(const Array& from, int axis, int64_t first,
                              int64_t to) {
  bool rest_is_equal = true;
  int64_t elements = 1;
  for (int i = axis; i < from.rank(); ++i) {
    if (i > axis && from.shape()[i] != spec_.shape[i + 1]) {
      rest_is_equal = false;
    }
    elements *= from.shape()[i];
  }
  int64_t block = 1;
  for (int i = axis + 1; i < spec_.shape.rank(); ++i) block *= spec_.shape[i];
  if (rest_is_equal) {
    copy(from, first * elements, elements, to * block);
    return;
  }
  const int64_t length = from.shape()[axis];
  for (int64_t i = 0; i < length; ++i) {
    copy_corner(from, axis + 1, first * length + i,
                to * spec_.shape[axis + 1] + i);
  }
}

Array ArrayWriter::finish() {
  memory_ = nullptr;
  if (spec_.dtype == DType::string) {
    return Array::from_strings(std::move(strings_), spec_.shape);
  }
  return std::move(array_);
}

}  // namespace systolic::data::detail
