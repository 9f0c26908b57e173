// Nested brace lists as array literals.
//   Array m = to_array({{1.0, 2.0}, {3.0, 4.0}});    // float32, (2, 2)
// Also the argument of `constant`.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "systolic/array/array.h"

namespace systolic {

// A number, bool or text, or a list of Nests: any depth, one type.
class Nest {
 public:
  enum class Kind : uint8_t { list, boolean, integer, real, text };

  template <std::integral T>
  Nest(T value)
      : kind_(std::same_as<T, bool> ? Kind::boolean : Kind::integer),
        integer_(static_cast<int64_t>(value)),
        real_(static_cast<double>(value)) {}
  template <std::floating_point T>
  Nest(T value) : kind_(Kind::real), real_(static_cast<double>(value)) {}
  Nest(const char* text) : kind_(Kind::text), text_(text) {}
  Nest(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  Nest(std::initializer_list<Nest> items) : kind_(Kind::list), items_(items) {}

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  double real() const { return real_; }
  const std::string& text() const { return text_; }
  const std::vector<Nest>& items() const { return items_; }

 private:
  Kind kind_;
  int64_t integer_ = 0;
  double real_ = 0;
  std::string text_;
  std::vector<Nest> items_;
};

// The array of a nested list. Without a dtype: float32 where any number has a
// point, else int32 (int64 where one does not fit), bool or string.
// Throws: ShapeError for lists of different lengths in one axis, TypeError
// for text beside numbers and for fractions as integers, ValueError for
// numbers outside the dtype's range.
Array to_array(const Nest& nest, std::optional<DType> dtype = {});

}  // namespace systolic
