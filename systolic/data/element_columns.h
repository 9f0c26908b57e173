// Elements out of columns: what row_views and element_buffer keep of a tree is
// one column for each of its Arrays.
#pragma once

#include <utility>
#include <vector>

#include "systolic/data/element.h"

namespace systolic::data::detail {

// A tree like `model` whose Arrays are `make(column)`, the columns in order;
// `column` then points behind the last one used.
template <class Column, class Make>
Element element_of_columns(const Element& model, const Column*& column,
                           const Make& make) {
  if (model.is_array()) return Element(make(*column++));
  std::vector<Element> items;
  items.reserve(model.items().size());
  for (const Element& item : model.items()) {
    items.push_back(element_of_columns(item, column, make));
  }
  return Element::like(model, std::move(items));
}

}  // namespace systolic::data::detail
