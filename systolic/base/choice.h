// One of a closed set of values, given as the value or as Keras's text for it.
//   enum class Mode { fan_in, fan_out };
//   template <> struct ChoiceNames<Mode> { ... };
//   void f(Choice<Mode> mode);   f(Mode::fan_in);   f("fan_in");
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/null.h"

namespace systolic {

// For each E: `what`, the option's name in messages, and `names`, an array of
// pairs of text and value.
template <class E>
struct ChoiceNames;

namespace internal {

// Throws ValueError naming the option, its values and the nearest one.
[[noreturn]] void throw_no_choice(std::string_view what, std::string_view text,
                                  std::span<const std::string_view> names,
                                  const SourceLocation& where);

}  // namespace internal

// An option that takes an E or its name.
template <class E>
class Choice {
 public:
  Choice(E value) : value_(value) {}
  // Throws: ValueError that lists the names.
  Choice(const char* text, SourceLocation where = SourceLocation::current())
      : Choice(internal::name_text(text, ChoiceNames<E>::what, where), where) {}
  Choice(const std::string& text,
         SourceLocation where = SourceLocation::current())
      : Choice(std::string_view(text), where) {}
  Choice(std::string_view text,
         SourceLocation where = SourceLocation::current())
      : value_(find(text, where)) {}

  E value() const { return value_; }
  operator E() const { return value_; }

  // Keras's text of the value.
  std::string_view name() const {
    for (const auto& [text, value] : ChoiceNames<E>::names) {
      if (value == value_) return text;
    }
    return {};
  }

 private:
  static E find(std::string_view wanted, const SourceLocation& where) {
    std::array<std::string_view, ChoiceNames<E>::names.size()> texts;
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto& [text, value] = ChoiceNames<E>::names[i];
      if (text == wanted) return value;
      texts[i] = text;
    }
    internal::throw_no_choice(ChoiceNames<E>::what, wanted, texts, where);
  }

  E value_;
};

}  // namespace systolic
