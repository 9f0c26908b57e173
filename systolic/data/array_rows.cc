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
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(memory_ + i * width_, fill.data(), width_);
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

Array ArrayWriter::finish() {
  memory_ = nullptr;
  if (spec_.dtype == DType::string) {
    return Array::from_strings(std::move(strings_), spec_.shape);
  }
  return std::move(array_);
}

}  // namespace systolic::data::detail
