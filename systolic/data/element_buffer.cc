#include "systolic/data/element_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "systolic/array/allocation.h"
#include "systolic/data/composite.h"
#include "systolic/data/element_columns.h"
#include "systolic/data/row_views.h"

namespace systolic::data::detail {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
// Larger elements are moved, not copied.
constexpr size_t kLargestRow = size_t{64} << 10;
// What the library aligns its Arrays to.
constexpr size_t kAlignment = 64;

bool has_dataset(const Element& element) {
  if (element.kind() == ElementKind::dataset) return true;
  return std::ranges::any_of(element.items(), has_dataset);
}

template <class Visit>
void for_each_array(const Element& element, const Visit& visit) {
  if (element.is_array()) return visit(element.array());
  for (const Element& item : element.items()) for_each_array(item, visit);
}

// Whether trees and specs are equal; `column` walks along the specs.
template <class Column>
bool same_spec(const Element& element, const Element& model,
               const Column*& column) {
  if (element.is_array()) {
    return model.is_array() && element.array().spec() == (column++)->row;
  }
  const auto items = element.items();
  const auto models = model.items();
  if (element.kind() != model.kind() || items.size() != models.size() ||
      !std::ranges::equal(element.keys(), model.keys())) {
    return false;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!same_spec(items[i], models[i], column)) return false;
  }
  return true;
}

std::shared_ptr<std::byte> make_chunk(size_t bytes) {
  Array memory =
      Array::uninitialized({DType::uint8, Shape{static_cast<int64_t>(bytes)}});
  std::byte* const data = memory.mutable_data();
  // The Array's owner is kept alive by the pointer.
  return {data, [memory](std::byte*) {}};
}

// Strings with their characters.
int64_t own_bytes(const Array& array) {
  return static_cast<int64_t>(array.dtype() == DType::string
                                  ? Element(array).nbytes()
                                  : array.nbytes());
}

bool is_owned(const Array& array) {
  return array.owner() && array.owner().use_count() == 1;
}

int64_t whole_bytes(const Array& array) {
  const size_t allocated = internal::allocated_bytes(array.owner());
  return std::max(own_bytes(array), static_cast<int64_t>(allocated));
}

}  // namespace

int64_t owned_bytes(const Element& element) {
  int64_t bytes = 0;
  for_each_array(element, [&](const Array& array) {
    if (is_owned(array)) bytes += whole_bytes(array);
  });
  return bytes;
}

int64_t held_bytes(const Element& element) {
  int64_t bytes = 0;
  for_each_array(element, [&](const Array& array) {
    bytes += is_owned(array) ? whole_bytes(array) : own_bytes(array);
  });
  return bytes;
}

int64_t ElementBuffer::nbytes() const {
  if (packed_) return static_cast<int64_t>(chunks_.size() * chunk_bytes_);
  return total_bytes_ + static_cast<int64_t>(size_ * sizeof(Element));
}

// By the first element: packed where all Arrays have fixed sizes and are
// small.
void ElementBuffer::choose_form(const Element& element) {
  columns_.clear();
  size_t row_bytes = 0;
  bool fixed = !has_dataset(element) && !has_composite(element);
  for_each_array(element, [&](const Array& array) {
    fixed = fixed && array.is_set() && array.dtype() != DType::string;
    if (!fixed) return;
    columns_.push_back({array.spec(), array.nbytes(), 0});
    row_bytes += array.nbytes();
  });
  packed_ = fixed && row_bytes > 0 && row_bytes <= kLargestRow;
  if (!packed_) return;
  model_ = element;
  rows_per_chunk_ = std::bit_floor(kChunkBytes / row_bytes);
  if (expected_ > 0) {
    rows_per_chunk_ = std::min(rows_per_chunk_,
                               std::bit_ceil(static_cast<size_t>(expected_)));
  }
  chunk_bytes_ = 0;
  for (Column& column : columns_) {
    column.start = chunk_bytes_;
    const size_t bytes = column.row_bytes * rows_per_chunk_;
    chunk_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
}

bool ElementBuffer::fits(const Element& element) const {
  const Column* column = columns_.data();
  return same_spec(element, model_, column);
}

void ElementBuffer::push_back(Element element) {
  const int64_t bytes = owned_bytes(element);
  push(std::move(element), bytes);
}

void ElementBuffer::push_copy(const Element& element) {
  push(element, owned_bytes(element));
}

void ElementBuffer::push(Element element, int64_t bytes) {
  if (size_ == 0 && chunks_.empty()) choose_form(element);
  if (packed_ && fits(element)) return pack(element);
  if (packed_) unpack();
  bytes_.push_back(bytes);
  total_bytes_ += bytes;
  elements_.push_back(std::move(element));
  ++size_;
}

void ElementBuffer::push_rows(const Element& block, int64_t first,
                              int64_t count) {
  if (count <= 0) return;
  const RowViews rows("block", block);
  push_back(rows.row(first));
  // The others have the spec of the first one.
  if (!packed_ || rows.has_composites()) {
    for (int64_t i = 1; i < count; ++i) push_back(rows.row(first + i));
    return;
  }
  std::vector<const std::byte*> sources;
  for_each_array(block,
                 [&](const Array& array) { sources.push_back(array.data()); });
  for (size_t c = 0; c < columns_.size(); ++c) {
    sources[c] += static_cast<size_t>(first) * columns_[c].row_bytes;
  }
  for (int64_t i = 1; i < count; ++i) {
    for (size_t c = 0; c < columns_.size(); ++c) {
      sources[c] += columns_[c].row_bytes;
    }
    pack_row(sources);
  }
}

void ElementBuffer::pack(const Element& element) {
  row_.clear();
  for_each_array(element,
                 [&](const Array& array) { row_.push_back(array.data()); });
  pack_row(row_);
}

void ElementBuffer::pack_row(const std::vector<const std::byte*>& columns) {
  if (size_ == chunks_.size() * rows_per_chunk_) {
    chunks_.push_back(make_chunk(chunk_bytes_));
  }
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].row_bytes == 0) continue;
    std::memcpy(memory(columns_[c], size_), columns[c], columns_[c].row_bytes);
  }
  ++size_;
}

// An element that does not fit: all are kept as they are from now on.
void ElementBuffer::unpack() {
  elements_.reserve(size_ + 1);
  for (size_t i = 0; i < size_; ++i) {
    elements_.push_back(build([&](const Column& column) {
      return Array::from_bytes(column.row,
                               {memory(column, i), column.row_bytes});
    }));
    bytes_.push_back(owned_bytes(elements_.back()));
    total_bytes_ += bytes_.back();
  }
  packed_ = false;
  chunks_.clear();
  chunk_bytes_ = 0;
  model_ = Element();
}

template <class Make>
Element ElementBuffer::build(const Make& make) const {
  const Column* column = columns_.data();
  return element_of_columns(model_, column, make);
}

Element ElementBuffer::at(size_t index) const {
  if (!packed_) return elements_[index];
  return build([&](const Column& column) {
    return Array::share(column.row, memory(column, index),
                        chunks_[index / rows_per_chunk_]);
  });
}

Element ElementBuffer::block(size_t first, size_t count) const {
  const size_t chunk = first / rows_per_chunk_;
  const bool whole = (first + count - 1) / rows_per_chunk_ == chunk;
  return build([&](const Column& column) {
    TensorSpec spec = column.row;
    spec.shape.insert(0, static_cast<int64_t>(count));
    if (whole) {
      return Array::share(spec, memory(column, first), chunks_[chunk]);
    }
    Array rows = Array::uninitialized(spec);
    std::byte* out = rows.mutable_data();
    for (size_t i = first; i < first + count;) {
      const size_t here =
          std::min(rows_per_chunk_ - i % rows_per_chunk_, first + count - i);
      if (column.row_bytes > 0) {
        std::memcpy(out, memory(column, i), here * column.row_bytes);
      }
      out += here * column.row_bytes;
      i += here;
    }
    return rows;
  });
}

// The last element takes the place of the one at `index`.
void ElementBuffer::drop(size_t index) {
  --size_;
  if (!packed_) {
    total_bytes_ -= bytes_[index];
    if (index != size_) elements_[index] = std::move(elements_.back());
    bytes_[index] = bytes_.back();
    elements_.pop_back();
    bytes_.pop_back();
    return;
  }
  if (index != size_) {
    for (const Column& column : columns_) {
      if (column.row_bytes == 0) continue;
      std::memcpy(memory(column, index), memory(column, size_),
                  column.row_bytes);
    }
  }
  // One chunk stays for the next element.
  while (chunks_.size() > size_ / rows_per_chunk_ + 1) chunks_.pop_back();
}

Element ElementBuffer::take(size_t index) {
  Element element = packed_ ? build([&](const Column& column) {
    return Array::from_bytes(column.row,
                             {memory(column, index), column.row_bytes});
  })
                            : std::move(elements_[index]);
  drop(index);
  return element;
}

void ElementBuffer::take_into(size_t index, Stacker* stacker) {
  if (!packed_) return stacker->add(take(index));
  row_.clear();
  for (const Column& column : columns_) {
    row_.push_back(memory(column, index));
  }
  stacker->add_row(model_, row_);
  drop(index);
}

}  // namespace systolic::data::detail
