// A line of a module's text, taken apart: for counting. Inside of this room.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace systolic::internal::stablehlo {

/// A tensor type of a text.
struct TypeText {
  std::vector<int64_t> dims;
  double bytes_each = 0;

  double elements() const;
  double bytes() const { return elements() * bytes_each; }
};

/// One line. What is not there is empty.
struct StatementText {
  /// The whole line, for attributes.
  std::string_view line;
  /// The number of its result, `%12 = ` or `%12:3 = `; -1: none.
  int result = -1;
  /// "while" of "stablehlo.while".
  std::string_view op = {};
  /// The numbers of its operands; `%12#1` is -1, as nobody asks for it.
  std::vector<int> operands = {};

  /// The types before and behind the arrow; those of a statement with regions
  /// stand in the line that closes it.
  std::vector<TypeText> operand_types() const;
  std::vector<TypeText> result_types() const;

  /// The numbers of `name = array<i64: 1, 2>`, `dense<[[1, 2]]>` or `[1, 2]`.
  std::vector<int64_t> numbers(std::string_view name) const;
  /// Whether `name = true` is among the attributes.
  bool is_true(std::string_view name) const;
  /// What stands between quotes behind `name = `.
  std::string_view text(std::string_view name) const;
};

/// Takes a line apart.
StatementText parse_statement(std::string_view line);

/// The numbers of the values that a line introduces: `^bb0(%1: tensor<i32>,`
/// or the arguments of a function.
std::vector<int> parse_arguments(std::string_view line);

}  // namespace systolic::internal::stablehlo
