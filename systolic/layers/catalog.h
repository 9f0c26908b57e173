// The layers that the library has: one table.
//
//   for (const layers::CatalogRow& row : layers::catalog()) ...;
#pragma once

#include <span>
#include <string_view>

namespace systolic::layers {

// A class and the folder that it is in, which is Keras's group.
struct CatalogRow {
  std::string_view class_name;
  std::string_view group;
};

// All layer classes, by group.
std::span<const CatalogRow> catalog();

}  // namespace systolic::layers
