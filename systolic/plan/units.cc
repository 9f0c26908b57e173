#include "systolic/plan/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace systolic::internal::plan {
namespace {

// Three digits: 1.23, 12.3, 123.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  return size >= 9.995 ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.2f}", value);
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  size_t unit = 0;
  while (std::abs(bytes) >= kStep && unit + 1 < kUnits.size()) {
    bytes /= kStep;
    ++unit;
  }
  return (unit == 0 ? fmt::format("{:.0f}", bytes) : three_digits(bytes)) +
         " " + kUnits[unit];
}

std::string seconds_text(double seconds) {
  constexpr double kThousand = 1e3;
  constexpr double kMillion = 1e6;
  if (seconds == 0) return "0 s";
  if (seconds >= 1) return three_digits(seconds) + " s";
  if (seconds >= 1e-3) return three_digits(seconds * kThousand) + " ms";
  return three_digits(seconds * kMillion) + " us";
}

std::string percent_text(double share) {
  const double percent = share * 100;
  return percent > 0 && percent < 9.95 ? fmt::format("{:.1f} %", percent)
                                       : fmt::format("{:.0f} %", percent);
}

std::string number_text(double value) {
  if (std::abs(value) < 999.5) return fmt::format("{:.3g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (size_t place = digits.size(); place > 3;) {
    place -= 3;
    if (digits[place - 1] != '-') digits.insert(place, ",");
  }
  return digits;
}

}  // namespace systolic::internal::plan
