// A whole number that may be left out, as a member of options structs:
//   struct Options { OptionalInt batch_size = {}; };
//   fit(x, y, {.batch_size = 64});
// A std::optional<int64_t> would take 2.5, too, and silently make it 2.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

namespace systolic {

class OptionalInt : public std::optional<int64_t> {
 public:
  // Left out.
  constexpr OptionalInt() = default;
  constexpr OptionalInt(std::nullopt_t) {}
  // A whole number; neither a bool nor a floating-point number converts.
  template <std::integral Int>
  requires(!std::same_as<Int, bool>) constexpr OptionalInt(Int value)
      : std::optional<int64_t>(static_cast<int64_t>(value)) {}
  // Another optional whole number; a template, so that nothing becomes one on
  // the way.
  template <std::same_as<std::optional<int64_t>> Other>
  constexpr OptionalInt(const Other& value) : std::optional<int64_t>(value) {}
};

}  // namespace systolic
