// The shortest decimal text of a float, laid out as NumPy does.
//   FloatText(0.1f, DType::float32).positional(8)   // "0.1"
// Internal to printing.
#pragma once

#include <string>

#include "systolic/array/dtype.h"

namespace systolic::internal {

// The digits that tell a finite float from its neighbours of the same type.
class FloatText {
 public:
  // `value` is a number of type `dtype` (float16, float32 or float64).
  FloatText(double value, DType dtype);

  // "12.5", "3.": at most `precision` digits after the point, no trailing
  // zeros.
  std::string positional(int precision) const;
  // "1.25e-05", "3.e+00": at most `precision` digits after the point.
  std::string scientific(int precision) const;
  // As scientific, but with exactly `precision` digits after the point.
  std::string scientific_padded(int precision) const;
  // All digits, as a number standing alone prints: "12.5", "3.0", "1e-07".
  std::string alone() const;

 private:
  double value_;
  bool negative_;
  double large_;        // from here on, alone() uses an exponent
  std::string digits_;  // without sign and point, first not 0 (but for 0)
  int exponent_;        // of the first digit
};

}  // namespace systolic::internal
