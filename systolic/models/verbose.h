// How much fit and its siblings print, as a name or as Keras's number.
//   model.fit(x, y, {.verbose = 2});
//   model.fit(x, y, {.verbose = models::Verbose::line});
#pragma once

#include <concepts>
#include <cstdint>

namespace systolic::models {

/// How much fit and its siblings print: automatic is the bar on a terminal
/// and plain lines elsewhere. The numbers are Keras's.
enum class Verbose : int8_t { automatic = -1, silent = 0, bar = 1, line = 2 };

/// A member of options that takes a Verbose or Keras's number for it.
class VerboseOption {
 public:
  /// Left out: automatic.
  constexpr VerboseOption() = default;
  /// A name.
  constexpr VerboseOption(Verbose value) : value_(value) {}
  /// 0 for silent, 1 for bar, 2 for line. Throws ValueError for others.
  template <std::integral Int>
  constexpr VerboseOption(Int number) : value_(of(number)) {}

  /// The name.
  constexpr operator Verbose() const { return value_; }

 private:
  static constexpr Verbose of(int64_t number) {
    if (number < 0 || number > 2) throw_unknown(number);
    return static_cast<Verbose>(number);
  }
  [[noreturn]] static void throw_unknown(int64_t number);

  Verbose value_ = Verbose::automatic;
};

}  // namespace systolic::models
