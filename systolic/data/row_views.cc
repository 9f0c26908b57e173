// Tested by: systolic/data/tensor_slices_test.cc
#include "systolic/data/row_views.h"

#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/composite.h"
#include "systolic/data/element_columns.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data::detail {

ElementSpec row_spec(const ElementSpec& spec) {
  return map_leaves(
      spec,
      [](const TensorSpec& leaf) {
        TensorSpec row = leaf;
        if (row.shape.rank() > 0) row.shape.erase(0);
        return row;
      },
      composite_row_spec);
}

Array RowViews::Column::at(int64_t index, const TensorSpec& spec) const {
  return Array::share(spec,
                      array.data() + static_cast<size_t>(index) * row_bytes,
                      array.owner());
}

RowViews::RowViews(const std::string& who, const Element& element)
    : element_(element), has_composites_(has_composite(element)) {
  collect(who, element_);
  if (rows_ < 0) {
    internal::Message(who)
        .expected("at least one Array")
        .got(element_.spec())
        .raise<ValueError>();
  }
}

void RowViews::add_rows(const std::string& who, int64_t rows) {
  if (rows_ < 0) rows_ = rows;
  if (rows == rows_) return;
  internal::Message(who)
      .expected("Arrays with equal first axes")
      .got(rows_, " and ", rows)
      .detail("tensors", element_.spec())
      .raise<ValueError>();
}

// Adds the Arrays of the tree, depth first.
void RowViews::collect(const std::string& who, const Element& part) {
  if (has_composites_ && composite_kind(part) != Composite::none) {
    return add_rows(who, composite_rows(who, part));
  }
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
  add_rows(who, array.shape()[0]);
}

template <class MakeArray, class MakeComposite>
Element RowViews::make(const Element& part, const Column*& column,
                       const MakeArray& make_array,
                       const MakeComposite& make_composite) const {
  if (part.is_array()) return Element(make_array(*column++));
  if (composite_kind(part) != Composite::none) return make_composite(part);
  std::vector<Element> items;
  for (const Element& item : part.items()) {
    items.push_back(make(item, column, make_array, make_composite));
  }
  return Element::like(part, std::move(items));
}

Element RowViews::row(int64_t index) const {
  const Column* column = columns_.data();
  const auto array = [&](const Column& c) { return c.at(index, c.row); };
  if (!has_composites_) return element_of_columns(element_, column, array);
  return make(element_, column, array, [&](const Element& composite) {
    return composite_row(composite, index);
  });
}

Element RowViews::block(int64_t first, int64_t count) const {
  const Column* column = columns_.data();
  const auto array = [&](const Column& c) {
    TensorSpec spec = c.row;
    spec.shape.insert(0, count);
    return c.at(first, spec);
  };
  if (!has_composites_) return element_of_columns(element_, column, array);
  return make(element_, column, array, [&](const Element& composite) {
    return composite_block(composite, first, count);
  });
}

}  // namespace systolic::data::detail
