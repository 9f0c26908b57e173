// The rows of a tree of Arrays with one first axis, as views: nothing is
// copied.
//   RowViews views("unbatch", batch);
//   for (int64_t i = 0; i < views.rows(); ++i) use(views.row(i));
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "systolic/data/element.h"

namespace systolic::data::detail {

// The spec of the rows of what has `spec`: every leaf without its first axis,
// where that is known.
ElementSpec row_spec(const ElementSpec& spec);

// Takes elements apart along their first axis.
class RowViews {
 public:
  // No rows.
  RowViews() = default;
  // Throws ValueError, naming `who`, when there is no Array, one is a scalar,
  // or first axes differ.
  RowViews(const std::string& who, const Element& element);

  int64_t rows() const { return rows_ < 0 ? 0 : rows_; }
  // Whether RaggedArrays or SparseArrays are among it.
  bool has_composites() const { return has_composites_; }
  // What was taken apart.
  const Element& element() const { return element_; }
  // Row `index`: the tree without its first axis.
  Element row(int64_t index) const;
  // Rows first ... first + count - 1, with their first axis.
  Element block(int64_t first, int64_t count) const;

 private:
  // One Array and what a row of it is.
  struct Column {
    Array array;
    TensorSpec row;
    size_t row_bytes = 0;

    Array at(int64_t index, const TensorSpec& spec) const;
  };

  void collect(const std::string& who, const Element& part);
  void add_rows(const std::string& who, int64_t rows);
  template <class MakeArray, class MakeComposite>
  Element make(const Element& part, const Column*& column,
               const MakeArray& make_array,
               const MakeComposite& make_composite) const;

  Element element_;
  bool has_composites_ = false;  // then their Arrays are no columns
  std::vector<Column> columns_;
  int64_t rows_ = -1;  // none
};

}  // namespace systolic::data::detail
