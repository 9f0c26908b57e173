// Tested by: systolic/data/tensor_slices_test.cc
#include "systolic/data/row_views.h"

#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/element_columns.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data::detail {

ElementSpec row_spec(const ElementSpec& spec) {
  return map_leaves(spec, [](const TensorSpec& leaf) {
    TensorSpec row = leaf;
    if (row.shape.rank() > 0) row.shape.erase(0);
    return row;
  });
}

Array RowViews::Column::at(int64_t index, const TensorSpec& spec) const {
  return Array::share(spec,
                      array.data() + static_cast<size_t>(index) * row_bytes,
                      array.owner());
}

RowViews::RowViews(const std::string& who, const Element& element)
    : element_(element) {
  collect(who, element_);
  if (columns_.empty()) {
    internal::Message(who)
        .expected("at least one Array")
        .got(element_.spec())
        .raise<ValueError>();
  }
  rows_ = columns_[0].array.shape()[0];
  for (const Column& column : columns_) {
    const int64_t rows = column.array.shape()[0];
    if (rows == rows_) continue;
    internal::Message(who)
        .expected("Arrays with equal first axes")
        .got(rows_, " and ", rows)
        .detail("tensors", element_.spec())
        .raise<ValueError>();
  }
}

// Adds the Arrays of the tree, depth first.
void RowViews::collect(const std::string& who, const Element& part) {
  if (!part.is_array()) {
    for (const Element& item : part.items()) collect(who, item);
    return;
  }
  const Array& array = part.array();
  if (array.rank() == 0) {
    internal::Message(who)
        .expected("Arrays with a first axis to slice along")
        .got(array.is_set() ? "a scalar" : "an unset Array")
        .detail("tensors", element_.spec())
        .raise<ValueError>();
  }
  Column column{array, array.spec(), 0};
  column.row.shape.erase(0);
  column.row_bytes = column.row.nbytes();
  columns_.push_back(std::move(column));
}

Element RowViews::row(int64_t index) const {
  const Column* column = columns_.data();
  return element_of_columns(
      element_, column, [&](const Column& c) { return c.at(index, c.row); });
}

Element RowViews::block(int64_t first, int64_t count) const {
  const Column* column = columns_.data();
  return element_of_columns(element_, column, [&](const Column& c) {
    TensorSpec spec = c.row;
    spec.shape.insert(0, count);
    return c.at(first, spec);
  });
}

}  // namespace systolic::data::detail
