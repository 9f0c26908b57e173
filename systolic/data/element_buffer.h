// Elements in memory, as shuffle() and cache() keep them. Small ones of equal
// specs are packed: their bytes alone, column by column, in chunks of at most
// a MiB; others are kept as they are.
//   ElementBuffer buffer(1000);
//   buffer.push_back(element);
//   Element any = buffer.take(17);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "systolic/data/element.h"
#include "systolic/data/stacker.h"

namespace systolic::data::detail {

// The bytes that this element alone keeps in memory: of a view the whole that
// nothing else keeps, nothing of what others keep too.
int64_t owned_bytes(const Element& element);
// The same, and the elements themselves of what others keep too, as long as it
// is not known for how long they do.
int64_t held_bytes(const Element& element);

// A list of elements.
class ElementBuffer {
 public:
  // `expected`: how many elements there will be, or below 1.
  explicit ElementBuffer(int64_t expected = 0) : expected_(expected) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Whether the elements are packed; known from the first one on.
  bool is_packed() const { return packed_; }
  // The bytes of memory that the elements take, with what keeps them.
  int64_t nbytes() const;

  void push_back(Element element);
  // Adds an element that the caller hands on.
  void push_copy(const Element& element);
  // Adds `count` rows of a batch of elements, from `first` on.
  void push_rows(const Element& block, int64_t first, int64_t count);

  // The element at `index`: a view, where they are packed.
  Element at(size_t index) const;
  // The elements from `first` on as one batch. Only where they are packed.
  Element block(size_t first, size_t count) const;
  // Takes the element at `index` out; the last one takes its place.
  Element take(size_t index);
  // The same, adding it to a batch.
  void take_into(size_t index, Stacker* stacker);

 private:
  // One Array of each element.
  struct Column {
    TensorSpec row;
    size_t row_bytes = 0;
    size_t start = 0;  // in a chunk
  };

  void choose_form(const Element& element);
  void push(Element element, int64_t bytes);
  bool fits(const Element& element) const;
  void pack(const Element& element);
  void pack_row(const std::vector<const std::byte*>& columns);
  void unpack();
  void drop(size_t index);
  std::byte* memory(const Column& column, size_t index) const {
    return chunks_[index / rows_per_chunk_].get() + column.start +
           index % rows_per_chunk_ * column.row_bytes;
  }
  template <class Make>
  Element build(const Make& make) const;

  const int64_t expected_;
  bool packed_ = false;
  size_t size_ = 0;
  // Packed.
  Element model_;  // the first element
  std::vector<Column> columns_;
  size_t rows_per_chunk_ = 1;
  size_t chunk_bytes_ = 0;
  std::vector<std::shared_ptr<std::byte>> chunks_;
  std::vector<const std::byte*> row_;  // a row's columns, while it is moved
  // Not packed.
  std::vector<Element> elements_;
  std::vector<int64_t> bytes_;  // of each
  int64_t total_bytes_ = 0;
};

}  // namespace systolic::data::detail
