#include "systolic/array/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "systolic/base/message.h"

namespace systolic::internal {
namespace {

// "d.ddde+xx", the shortest that reads back as the same number.
std::string shortest_scientific(double value, DType dtype) {
  char text[64];
  if (dtype == DType::float16) {
    // Five digits tell every float16 apart. A tie between two texts may have
    // only its upper one read back, hence the second try.
    for (int precision = 0;; ++precision) {
      for (double nudge : {1.0, 1.0 + 1e-12}) {
        std::snprintf(text, sizeof(text), "%.*e", precision, value * nudge);
        float16 back(std::strtof(text, nullptr));
        if (precision >= 4 || static_cast<double>(back) == value) return text;
      }
    }
  }
  std::to_chars_result result =
      dtype == DType::float32
          ? std::to_chars(text, text + sizeof(text), static_cast<float>(value),
                          std::chars_format::scientific)
          : std::to_chars(text, text + sizeof(text), value,
                          std::chars_format::scientific);
  return std::string(text, result.ptr);
}

std::string print(const char* format, int precision, double value) {
  std::string out(400, '\0');
  int length = std::snprintf(out.data(), out.size(), format, precision, value);
  out.resize(static_cast<size_t>(length));
  return out;
}

// "12.500" becomes "12.5", "3.000" and "3" become "3.".
std::string trim_fraction(std::string text) {
  if (text.find('.') == std::string::npos) return text + '.';
  text.resize(text.find_last_not_of('0') + 1);
  return text;
}

std::string exponent_text(int exponent) {
  char text[16];
  std::snprintf(text, sizeof(text), "e%+03d", exponent);
  return text;
}

}  // namespace

FloatText::FloatText(double value, DType dtype)
    : value_(value),
      negative_(std::signbit(value)),
      large_(dtype == DType::float16   ? 1e3
             : dtype == DType::float32 ? 1e6
                                       : 1e16) {
  std::string text = shortest_scientific(std::fabs(value), dtype);
  size_t e = text.find('e');
  exponent_ = std::atoi(text.c_str() + e + 1);
  digits_ = text.substr(0, 1);
  if (e > 2) digits_ += text.substr(2, e - 2);
  digits_.resize(std::max<size_t>(1, digits_.find_last_not_of('0') + 1));
}

std::string FloatText::positional(int precision) const {
  int count = static_cast<int>(digits_.size());
  int fraction = count - 1 - exponent_;
  if (fraction > precision) {
    return trim_fraction(print("%.*f", precision, value_));
  }
  std::string out = negative_ ? "-" : "";
  if (exponent_ < 0) {
    out += "0.";
    if (digits_ == "0") return out;
    return out + std::string(static_cast<size_t>(-exponent_ - 1), '0') +
           digits_;
  }
  size_t whole = static_cast<size_t>(exponent_) + 1;
  std::string padded = digits_;
  if (padded.size() < whole) padded.resize(whole, '0');
  return out + padded.substr(0, whole) + '.' + padded.substr(whole);
}

std::string FloatText::scientific(int precision) const {
  if (static_cast<int>(digits_.size()) - 1 > precision) {
    std::string text = scientific_padded(precision);
    size_t e = text.find('e');
    return trim_fraction(text.substr(0, e)) + text.substr(e);
  }
  return (negative_ ? "-" : "") + digits_.substr(0, 1) + '.' +
         digits_.substr(1) + exponent_text(exponent_);
}

std::string FloatText::scientific_padded(int precision) const {
  if (static_cast<int>(digits_.size()) - 1 == precision) {
    return scientific(precision);
  }
  // Digits past the shortest are those of the exact value, not zeros.
  std::string text = print("%.*e", precision, value_);
  if (precision == 0) text.insert(text.find('e'), ".");
  return text;
}

std::string FloatText::alone() const {
  double size = std::fabs(value_);
  if (size == 0 || (size >= 1e-4 && size < large_)) {
    std::string text = positional(400);
    return text.back() == '.' ? text + '0' : text;
  }
  std::string mantissa = digits_.substr(0, 1);
  if (digits_.size() > 1) mantissa += '.' + digits_.substr(1);
  return (negative_ ? "-" : "") + mantissa + exponent_text(exponent_);
}

}  // namespace systolic::internal
