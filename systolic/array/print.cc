#include "systolic/array/print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "systolic/array/cast.h"
#include "systolic/array/loops.h"
#include "systolic/array/number_text.h"
#include "systolic/array/promotion.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::FloatText;

// Gives the text of the element at a position; all of one width in a column.
using Formatter = std::function<std::string(int64_t)>;

std::string padded(const std::string& text, size_t width) {
  if (text.size() >= width) return text;
  return std::string(width - text.size(), ' ') + text;
}

// Widths and notation that suit all visible floats; follows NumPy's rules.
class FloatFormat {
 public:
  // With `plus`, what is not negative has a sign, too.
  FloatFormat(const std::vector<double>& values, DType dtype, int precision,
              bool plus = false)
      : dtype_(dtype), precision_(precision), plus_(plus) {
    std::vector<double> finite;
    for (double value : values) {
      if (std::isfinite(value)) finite.push_back(value);
    }
    scientific_ = needs_exponents(finite);
    if (scientific_) {
      measure_scientific(finite);
    } else {
      measure_positional(finite);
    }
    for (double value : values) {
      if (std::isfinite(value)) continue;
      bool has_sign = std::isinf(value) && (plus_ || value < 0);
      size_t length = has_sign ? 4 : 3;
      size_t right = right_ + 1;
      if (length > right) left_ = std::max(left_, length - right);
    }
  }

  std::string operator()(double value) const {
    const char* plus = plus_ ? "+" : "";
    if (std::isnan(value)) {
      return padded(std::string(plus) + "nan", left_ + right_ + 1);
    }
    if (std::isinf(value)) {
      return padded((value < 0 ? "-" : plus) + std::string("inf"),
                    left_ + right_ + 1);
    }
    FloatText text(value, dtype_);
    return scientific_ ? lay_out_scientific(signed_text(
                             value, text.scientific_padded(precision_)))
                       : lay_out_positional(
                             signed_text(value, text.positional(precision_)));
  }

 private:
  std::string signed_text(double value, const std::string& text) const {
    return plus_ && !std::signbit(value) ? "+" + text : text;
  }

  // The number as the array's own type holds it, which NumPy compares in.
  double in_dtype(double value) const {
    if (dtype_ == DType::float16) return float16(static_cast<float>(value));
    if (dtype_ == DType::float32) return static_cast<float>(value);
    return value;
  }

  bool needs_exponents(const std::vector<double>& finite) const {
    double most = 0;
    double least = 0;
    for (double value : finite) {
      double size = std::fabs(value);
      if (size == 0) continue;
      most = std::max(most, size);
      least = least == 0 ? size : std::min(least, size);
    }
    if (least == 0) return false;
    double limit = dtype_ == DType::float16   ? 1e3
                   : dtype_ == DType::float32 ? 1e6
                                              : 1e8;
    return most >= limit || least < in_dtype(1e-4) ||
           in_dtype(most / least) > 1000;
  }

  void measure_positional(const std::vector<double>& finite) {
    for (double value : finite) {
      std::string text =
          signed_text(value, FloatText(value, dtype_).positional(precision_));
      size_t point = text.find('.');
      left_ = std::max(left_, point);
      right_ = std::max(right_, text.size() - point - 1);
    }
  }

  void measure_scientific(const std::vector<double>& finite) {
    size_t fraction = 0;
    for (double value : finite) {
      std::string text =
          signed_text(value, FloatText(value, dtype_).scientific(precision_));
      size_t point = text.find('.');
      size_t e = text.find('e');
      left_ = std::max(left_, point);
      fraction = std::max(fraction, e - point - 1);
      exponent_digits_ = std::max(exponent_digits_, text.size() - e - 2);
    }
    precision_ = static_cast<int>(fraction);
    right_ = exponent_digits_ + 2 + fraction;
  }

  std::string lay_out_positional(const std::string& text) const {
    size_t point = text.find('.');
    std::string out = padded(text.substr(0, point), left_) + text.substr(point);
    out.resize(std::max(out.size(), left_ + 1 + right_), ' ');
    return out;
  }

  std::string lay_out_scientific(const std::string& text) const {
    size_t point = text.find('.');
    size_t e = text.find('e');
    std::string exponent = text.substr(e + 2);
    return padded(text.substr(0, e + 2), left_ + e + 2 - point) +
           std::string(exponent_digits_ - exponent.size(), '0') + exponent;
  }

  DType dtype_;
  int precision_;
  bool plus_;
  bool scientific_ = false;
  size_t left_ = 0;
  size_t right_ = 0;
  size_t exponent_digits_ = 0;
};

// As Python prints bytes: b'a\n'.
std::string bytes_text(const std::string& text) {
  bool has_single = text.find('\'') != std::string::npos;
  bool has_double = text.find('"') != std::string::npos;
  char quote = has_single && !has_double ? '"' : '\'';
  std::string out = "b";
  out += quote;
  for (char c : text) {
    unsigned char code = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code >= 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\x%02x", code);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + quote;
}

bool has_numpy_text(DType dtype) {
  return dtype == DType::float16 || dtype == DType::float32 ||
         dtype == DType::float64;
}

// A part of a complex number that stands alone: without a point that is last.
std::string part_text(double part, DType dtype) {
  if (std::isnan(part)) return "nan";
  if (std::isinf(part)) return part < 0 ? "-inf" : "inf";
  std::string text = FloatText(part, dtype).alone();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

// As Python prints complex numbers: (1-2j), 2j.
std::string complex_text(std::complex<double> value, DType dtype) {
  const DType part = real_dtype(dtype);
  std::string imag = part_text(value.imag(), part) + "j";
  if (value.real() == 0 && !std::signbit(value.real())) return imag;
  if (imag[0] != '-') imag = "+" + imag;
  return "(" + part_text(value.real(), part) + imag + ")";
}

// The text of one element that stands alone.
std::string element_text(const Array& x, int64_t i) {
  size_t at = static_cast<size_t>(i);
  if (x.dtype() == DType::string) return bytes_text(x.span<std::string>()[at]);
  return internal::dispatch_number(
      x.dtype(), [&]<class T>(std::type_identity<T>) -> std::string {
        T value = x.span<T>()[at];
        if constexpr (internal::is_complex_type<T>) {
          return complex_text(value, x.dtype());
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? "True" : "False";
        } else if constexpr (std::is_integral_v<T>) {
          return std::to_string(value);
        } else {
          double real = static_cast<double>(value);
          if (std::isnan(real)) return "nan";
          if (std::isinf(real)) return real < 0 ? "-inf" : "inf";
          if (has_numpy_text(x.dtype())) {
            return FloatText(real, x.dtype()).alone();
          }
          return internal::concatenate_text(real);
        }
      });
}

double real_at(const Array& x, int64_t i) {
  size_t at = static_cast<size_t>(i);
  if (x.dtype() == DType::float64) return x.span<double>()[at];
  if (x.dtype() == DType::float32) return x.span<float>()[at];
  return x.span<float16>()[at];
}

std::complex<double> complex_at(const Array& x, int64_t i) {
  size_t at = static_cast<size_t>(i);
  if (x.dtype() == DType::complex128) return x.span<std::complex<double>>()[at];
  return x.span<std::complex<float>>()[at];
}

// Both parts in columns of their own: "1. +2.5j".
Formatter make_complex_formatter(const Array& x,
                                 const std::vector<int64_t>& visible,
                                 const PrintOptions& options) {
  std::vector<double> reals, imags;
  for (int64_t i : visible) {
    reals.push_back(complex_at(x, i).real());
    imags.push_back(complex_at(x, i).imag());
  }
  const DType part = real_dtype(x.dtype());
  FloatFormat real(reals, part, options.precision);
  FloatFormat imag(imags, part, options.precision, true);
  return [&x, real, imag](int64_t i) {
    std::string text = imag(complex_at(x, i).imag());
    text.insert(text.find_last_not_of(' ') + 1, "j");
    return real(complex_at(x, i).real()) + text;
  };
}

Formatter make_formatter(const Array& x, const std::vector<int64_t>& visible,
                         const PrintOptions& options) {
  if (has_numpy_text(x.dtype())) {
    std::vector<double> values;
    values.reserve(visible.size());
    for (int64_t i : visible) values.push_back(real_at(x, i));
    FloatFormat format(values, x.dtype(), options.precision);
    return [&x, format](int64_t i) { return format(real_at(x, i)); };
  }
  if (is_complex(x.dtype())) return make_complex_formatter(x, visible, options);
  size_t width = 0;
  if (x.dtype() == DType::boolean && x.rank() > 0) {
    width = 5;
  } else if (is_integer(x.dtype())) {
    for (int64_t i : visible) {
      width = std::max(width, element_text(x, i).size());
    }
  }
  return [&x, width](int64_t i) { return padded(element_text(x, i), width); };
}

// Lays the elements out in lines and brackets.
class Printer {
 public:
  Printer(const Array& x, std::string separator, const PrintOptions& options)
      : x_(x),
        separator_(std::move(separator)),
        edge_(options.edgeitems),
        summarises_(x.size() > options.threshold),
        strides_(internal::row_major_strides(x.shape())) {
    std::vector<int64_t> visible;
    collect_visible(0, 0, visible);
    format_ = make_formatter(x, visible, options);
  }

  std::string print(const std::string& indent, int width) const {
    return print_axis(0, 0, indent, width);
  }

 private:
  bool is_cut(int axis) const {
    return summarises_ && 2 * edge_ < x_.shape()[axis];
  }

  // Calls body(i) for the visible positions of an axis, and gap() between.
  template <class Body, class Gap>
  void visit(int axis, Body body, Gap gap) const {
    int64_t size = x_.shape()[axis];
    bool cut = is_cut(axis);
    for (int64_t i = 0; i < (cut ? edge_ : size); ++i) body(i);
    if (!cut) return;
    gap();
    for (int64_t i = size - edge_; i < size; ++i) body(i);
  }

  void collect_visible(int axis, int64_t offset,
                       std::vector<int64_t>& out) const {
    if (axis == x_.rank()) {
      out.push_back(offset);
      return;
    }
    int64_t stride = strides_[static_cast<size_t>(axis)];
    visit(
        axis,
        [&](int64_t i) { collect_visible(axis + 1, offset + i * stride, out); },
        [] {});
  }

  std::string trimmed_separator() const {
    return separator_.substr(0, separator_.find_last_not_of(' ') + 1);
  }

  std::string print_axis(int axis, int64_t offset, const std::string& indent,
                         int width) const {
    if (axis == x_.rank()) return format_(offset);
    std::string out = axis + 1 == x_.rank()
                          ? print_row(axis, offset, indent, width)
                          : print_nested(axis, offset, indent, width);
    return "[" + out.substr(indent.size()) + "]";
  }

  std::string print_nested(int axis, int64_t offset, const std::string& indent,
                           int width) const {
    int64_t stride = strides_[static_cast<size_t>(axis)];
    int64_t last = x_.shape()[axis] - 1;
    std::string between =
        trimmed_separator() +
        std::string(static_cast<size_t>(x_.rank() - axis - 1), '\n');
    std::string out;
    visit(
        axis,
        [&](int64_t i) {
          out += indent + print_axis(axis + 1, offset + i * stride,
                                     indent + ' ', width - 1);
          if (i != last) out += between;
        },
        [&] { out += indent + "..." + between; });
    return out;
  }

  // One row of elements, broken where a line would be longer than `width`.
  std::string print_row(int axis, int64_t offset, const std::string& indent,
                        int width) const {
    int64_t last = x_.shape()[axis] - 1;
    size_t room = static_cast<size_t>(std::max<int>(
        0, width -
               std::max<int>(1, static_cast<int>(trimmed_separator().size()))));
    std::string done;
    std::string line = indent;
    auto extend = [&](const std::string& word) {
      // A word longer than a line gains nothing from a line of its own.
      if (line.size() + word.size() > room && line.size() > indent.size()) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line = indent;
      }
      line += word;
    };
    visit(
        axis,
        [&](int64_t i) {
          extend(format_(offset + i));
          if (i != last) line += separator_;
        },
        [&] {
          extend("...");
          line += separator_;
        });
    return done + line;
  }

  const Array& x_;
  std::string separator_;
  int64_t edge_;
  bool summarises_;
  internal::Strides strides_;
  Formatter format_;
};

// NumPy leaves out the dtypes that Python's own numbers have.
bool is_implied(DType dtype) {
  return dtype == DType::boolean || dtype == DType::int64 ||
         dtype == DType::float64 || dtype == DType::complex128;
}

}  // namespace

std::string array_to_string(const Array& x, const PrintOptions& options) {
  if (!x.is_set()) return "<unset>";
  if (x.rank() == 0) return element_text(x, 0);
  if (x.size() == 0) return "[]";
  return Printer(x, " ", options).print(" ", options.linewidth);
}

std::string array_repr(const Array& x, const PrintOptions& options) {
  if (!x.is_set()) return "array(<unset>)";
  const std::string prefix = "array(";
  std::string text = prefix;
  if (x.size() == 0) {
    text += "[]";
  } else {
    // The closing bracket has to fit on the last line.
    text +=
        Printer(x, ", ", options)
            .print(std::string(prefix.size() + 1, ' '), options.linewidth - 1);
  }
  std::string extra;
  bool shows_shape =
      (x.size() == 0 && x.shape() != Shape{0}) || x.size() > options.threshold;
  if (shows_shape) extra = "shape=" + x.shape().to_string();
  if (!is_implied(x.dtype()) || x.size() == 0) {
    if (!extra.empty()) extra += ", ";
    extra += "dtype=" + std::string(name(x.dtype()));
  }
  if (extra.empty()) return text + ")";
  text += ',';
  extra += ')';
  size_t line_start = text.rfind('\n') + 1;
  bool fits = text.size() - line_start + extra.size() + 1 <=
              static_cast<size_t>(options.linewidth);
  return text + (fits ? " " : "\n" + std::string(prefix.size(), ' ')) + extra;
}

}  // namespace systolic
