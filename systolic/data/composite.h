// RaggedArray and SparseArray as parts of elements: several Arrays that are one
// value, so that stacking or slicing each by itself would be wrong.
//   if (composite_kind(part) != Composite::none) part = composite_row(part, 3);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/data/element.h"
#include "systolic/data/element_spec.h"

namespace systolic::data::detail {

// What the Arrays of a dict are together.
enum class Composite : uint8_t { none, ragged, sparse };

// By the keys, dtypes and ranks that ElementTraits gives a RaggedArray and a
// SparseArray.
Composite composite_kind(const Element& element);
Composite composite_kind(const ElementSpec& spec);
// Whether the element is one or has one.
bool has_composite(const Element& element);

// The values of one kind along a new first axis; as TensorFlow batches them,
// shapes of sparse ones may differ and the largest lengths count. Throws
// TypeError, ShapeError, naming `who`, where dtypes or ranks differ.
Element stack_composites(const std::string& who,
                         const std::vector<Element>& values);
// The rows of the values, behind each other. Throws as stack_composites().
Element concatenate_composites(const std::string& who,
                               const std::vector<Element>& values);

// The length of the first axis. Throws ValueError, naming `who`, for a sparse
// value whose indices are not sorted by it, or that has no other axis.
int64_t composite_rows(const std::string& who, const Element& value);
// Row `index`: an Array, where one ragged axis is left out.
Element composite_row(const Element& value, int64_t index);
// Rows first ... first + count - 1, with their axis.
Element composite_block(const Element& value, int64_t first, int64_t count);

// The specs of a batch of `length`, or -1, values, and of a row.
ElementSpec batched_composite(const ElementSpec& spec, int64_t length);
ElementSpec composite_row_spec(const ElementSpec& spec);

}  // namespace systolic::data::detail
