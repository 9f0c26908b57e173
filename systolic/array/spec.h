// What is known of a tensor before its values: element type and shape.
//   TensorSpec spec{DType::float32, {32, 10}};
//   spec.to_string();               // "float32[32, 10]"
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "systolic/array/dtype.h"
#include "systolic/array/shape.h"

namespace systolic {

// An element type with a shape; the one printed form of both in messages.
struct TensorSpec {
  DType dtype = DType::float32;
  Shape shape;

  bool operator==(const TensorSpec&) const = default;

  // The bytes of all elements. Throws ShapeError where a size is unknown.
  size_t nbytes() const {
    return static_cast<size_t>(shape.elements()) * size_of(dtype);
  }
  // Equal specs have equal hashes.
  size_t hash() const { return shape.hash() * 31 + static_cast<size_t>(dtype); }
  // "float32[32, 10]", "float32[]" for a scalar.
  std::string to_string() const;
};

// Prints to_string().
std::ostream& operator<<(std::ostream& out, const TensorSpec& spec);

}  // namespace systolic
