// What optimizers' options may be. Inside of the room optimizers.
//
//   check_option("Adam", "beta_1", options.beta_1, kDecay);
#pragma once

#include <string_view>

namespace systolic::internal {

/// What an option may be; NaN and infinity never fit.
struct OptionRange {
  double least = 0;
  double most = 0;
  /// What messages call it: `>= 0`.
  std::string_view text;
};

/// Factors and limits; shares; decays of running averages, which would never
/// take anything in at 1.
inline constexpr OptionRange kNotNegative{0, 1e300, ">= 0"};
inline constexpr OptionRange kShare{0, 1, "in 0 ... 1"};
inline constexpr OptionRange kDecay{0, 1 - 0x1p-53, "in [0, 1)"};

/// Throws ValueError that names the optimizer and the option where the value
/// is outside.
void check_option(std::string_view who, std::string_view option, double value,
                  const OptionRange& range);

}  // namespace systolic::internal
