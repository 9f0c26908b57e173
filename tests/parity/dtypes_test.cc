// The promotion of dtypes against Keras's result_type, pair by pair.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "systolic/array/promotion.h"
#include "systolic/testing/golden.h"

namespace systolic {
namespace {

std::optional<WeakKind> weak_kind(const std::string& operand) {
  if (operand == "python bool") return WeakKind::boolean;
  if (operand == "python int") return WeakKind::integer;
  if (operand == "python float") return WeakKind::floating;
  return std::nullopt;
}

// Keras narrows uint64 results to uint32, also of two uint64, and complex128 to
// complex64; host arrays keep what they hold.
std::string widened(const std::string& result, const std::string& left,
                    const std::string& right) {
  const auto is_double = [](const std::string& operand) {
    return operand == "float64" || operand == "complex128";
  };
  if (result == "complex64" && (is_double(left) || is_double(right))) {
    return "complex128";
  }
  const bool wide = left == "uint64" || right == "uint64";
  return wide && result == "uint32" ? "uint64" : result;
}

TEST(DtypesParity, EveryPairPromotesAsInKeras) {
  const golden::Case c = golden::load("dtypes").at(0);
  int compared = 0;
  for (const auto& [left, row] : c.expected()["table"].map()) {
    if (weak_kind(left)) continue;
    const DType a = dtype_from_name(left);
    for (const auto& [right, result] : row.map()) {
      const auto weak = weak_kind(right);
      const DType got =
          weak ? promote_weak(a, *weak) : promote(a, dtype_from_name(right));
      EXPECT_EQ(name(got), widened(result.text(), left, right))
          << left << " with " << right;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 15 * 18);
}

}  // namespace
}  // namespace systolic
