// The structure, dtypes and shapes of a data set's elements: a tree whose
// leaves are TensorSpecs. Prints like the elements it describes:
//   (uint8[28, 28], uint8[])      {"image": uint8[28, 28]}
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/array/shape.h"
#include "systolic/array/spec.h"

namespace systolic::data {

// What a tree of an element is at one place. `unknown`: not known before an
// element is made.
enum class ElementKind : uint8_t { unknown, array, tuple, dict, dataset };

// The spec of one element or of a part of it. In a leaf, the length of a
// dimension that differs between elements is -1.
class ElementSpec {
 public:
  // A spec that says nothing: any element has it.
  ElementSpec() = default;
  // The spec of an Array of `spec`'s dtype and shape.
  ElementSpec(TensorSpec spec);  // NOLINT: as TensorSpec is one.

  // The spec of an Array whose dtype and shape are not known.
  static ElementSpec any_array();
  // The spec of a tuple of `items`.
  static ElementSpec tuple(std::vector<ElementSpec> items);
  // The spec of a dict; the entries are sorted by key.
  static ElementSpec dict(
      std::vector<std::pair<std::string, ElementSpec>> entries);
  // The spec of a dict whose keys are not known.
  static ElementSpec any_dict();

  // The spec of a data set, such as a window, whose elements have `element`.
  static ElementSpec dataset(ElementSpec element);

  // What the element is here.
  ElementKind kind() const { return kind_; }
  // The dtype and shape of an Array, unset where they are not known.
  const std::optional<TensorSpec>& array() const { return array_; }
  // The items of a tuple, the values of a dict in the order of keys(), or the
  // one spec of a data set's elements.
  const std::vector<ElementSpec>& items() const { return items_; }
  // The keys of a dict, sorted.
  const std::vector<std::string>& keys() const { return keys_; }
  // Whether every leaf's dtype and rank are known.
  bool is_complete() const;

  // Whether an element of this spec can be used where `other` is asked for:
  // the same tree, equal dtypes and lengths wherever both are known.
  bool is_compatible_with(const ElementSpec& other) const;
  // The narrowest spec that elements of both specs have, or nothing when the
  // trees, the dtypes or the ranks differ.
  std::optional<ElementSpec> merged_with(const ElementSpec& other) const;

  // The spec as text, as in the banner above.
  std::string to_string() const;

  // Whether tree, keys, dtypes and shapes are the same.
  friend bool operator==(const ElementSpec& a, const ElementSpec& b);

 private:
  ElementKind kind_ = ElementKind::unknown;
  bool keys_known_ = true;
  std::optional<TensorSpec> array_;
  std::vector<ElementSpec> items_;
  std::vector<std::string> keys_;
};

// Writes to_string().
std::ostream& operator<<(std::ostream& out, const ElementSpec& spec);

}  // namespace systolic::data
