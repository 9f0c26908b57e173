// Puts elements together along a new first axis, writing each straight into
// the batch's memory.
//   Stacker stacker("batch", 32);
//   stacker.add(element);  ...  Element batch = stacker.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "systolic/data/element.h"
#include "systolic/data/element_origin.h"

namespace systolic::data::detail {

// Collects one batch.
class Stacker {
 public:
  // `who` is the name that errors begin with, `capacity` (at least 1) the
  // number of elements that memory is first made for.
  Stacker(const std::string& who, int64_t capacity)
      : who_(who), capacity_(capacity) {}

  // Adds one element. Elements that BatchRows has put to their places become a
  // batch that shares their memory. Throws ShapeError, TypeError where its
  // shapes, or its dtypes or tree, are not those of the batch's first element.
  void add(const Element& element);
  // Adds one element like `model`, by the memory of its Arrays, depth first;
  // none of them is of strings. Throws as add().
  void add_row(const Element& model, std::span<const std::byte* const> arrays);
  // Adds `count` elements that are stacked already. Throws as add().
  void add_block(const Element& block, int64_t count);
  // The number of elements added.
  int64_t size() const { return size_; }
  // The batch of what was added, at least one element; the stacker is empty
  // behind it.
  Element finish();

 private:
  // Where one Array of the elements goes.
  struct Column {
    TensorSpec row;
    size_t row_bytes = 0;
    Array batch;
    std::byte* memory = nullptr;
    // In place of the batch's memory, as long as the elements lie one behind
    // the other in memory that they share.
    const std::byte* rows = nullptr;
    std::shared_ptr<const void> owner;
    std::vector<std::string> strings;    // in place of the memory
    std::vector<ElementOrigin> origins;  // of the strings, where all have one
  };

  void start(const Element& element, bool may_share);
  bool begins_batch(const Array& row) const;
  void make_memory(Column* column) const;
  void stop_sharing(Column* column) const;
  Element combine_collected();
  [[noreturn]] void throw_dataset() const;
  bool is_like(const Element& part, const Element& model,
               const Column** column) const;
  void grow();
  void add_array(const Array& array, const Element& element, Column* column);
  void add_tree(const Element& part, const Element& model,
                const Element& element, Column** column);
  Element take_tree(const Element& model, Column** column);
  Array take_batch(Column* column) const;
  [[noreturn]] void throw_differs(const Element& element) const;

  const std::string& who_;
  int64_t capacity_;
  int64_t size_ = 0;
  Element model_;  // the batch's first element
  std::vector<Column> columns_;
  // In place of the columns, where RaggedArrays or SparseArrays are among the
  // parts: how much memory they need together is not known before.
  bool collects_ = false;
  std::vector<Element> collected_;
};

}  // namespace systolic::data::detail
