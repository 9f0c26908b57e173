// Builds the text of an error, in the one form that all errors share:
//   Message("matmul").expected("inner sizes to agree").got("3 and 4")
//       .detail("a", spec).hint("transpose b").raise<ShapeError>();
// gives "matmul: expected inner sizes to agree, got 3 and 4\n  a: ...".
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "systolic/base/error.h"

namespace systolic::internal {

// Appends a number as a stream would print it.
void append_number(std::string& out, long long value);
void append_number(std::string& out, unsigned long long value);
void append_number(std::string& out, double value);
// Appends what `print` writes of the object at `value`.
void append_streamed(std::string& out, const void* value,
                     void (*print)(std::ostream&, const void*));

// Appends one value: text, number, bool, anything with to_string(), with a
// function name(value), or with operator<<.
template <class T>
void append_value(std::string& out, const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += std::string_view(value);
  } else if constexpr (std::same_as<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::same_as<T, char>) {
    out += value;
  } else if constexpr (std::signed_integral<T>) {
    append_number(out, static_cast<long long>(value));
  } else if constexpr (std::unsigned_integral<T>) {
    append_number(out, static_cast<unsigned long long>(value));
  } else if constexpr (std::floating_point<T>) {
    append_number(out, static_cast<double>(value));
  } else if constexpr (requires { out += value.to_string(); }) {
    out += value.to_string();
  } else if constexpr (requires { out += name(value); }) {
    out += name(value);
  } else {
    append_streamed(out, &value, [](std::ostream& stream, const void* p) {
      stream << *static_cast<const T*>(p);
    });
  }
}

// The values' texts, one after the other.
template <class... Values>
std::string concatenate_text(const Values&... values) {
  std::string out;
  (append_value(out, values), ...);
  return out;
}

// "main.cc:42"; empty for a place inside of the library, which says nothing to
// a user.
std::string place_text(const SourceLocation& where);

// Collects the parts of an error text; every part but the first is optional.
class Message {
 public:
  // `who` is the class and the user's name for it, or the function's name.
  explicit Message(std::string who);

  // What the call needs; the values are joined into one text.
  template <class... Values>
  Message& expected(const Values&... values) {
    expected_ = concatenate_text(values...);
    return *this;
  }

  // What the call was given; the values are joined into one text.
  template <class... Values>
  Message& got(const Values&... values) {
    got_ = concatenate_text(values...);
    return *this;
  }

  // A whole sentence, where expected/got does not say it best.
  template <class... Values>
  Message& rule(const Values&... values) {
    rule_ = concatenate_text(values...);
    return *this;
  }

  // Adds a line "  label: value"; lines keep the order of the calls.
  template <class... Values>
  Message& detail(std::string_view label, const Values&... values) {
    add_line(label, concatenate_text(values...));
    return *this;
  }

  // The known way out, printed after the details.
  template <class... Values>
  Message& hint(const Values&... values) {
    hint_ = concatenate_text(values...);
    return *this;
  }

  // The user's file and line, printed last.
  Message& at(const SourceLocation& where);

  // The whole text, without a newline at its end.
  std::string str() const;

  // Throws an E that holds the text.
  template <class E>
  [[noreturn]] void raise() const {
    throw E(str());
  }

 private:
  void add_line(std::string_view label, std::string_view text);

  std::string who_;
  std::string rule_;
  std::string expected_;
  std::string got_;
  std::string details_;
  std::string hint_;
  std::string at_;
};

}  // namespace systolic::internal
