#include "systolic/losses/reduction.h"

#include <array>
#include <string>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"

namespace systolic::losses {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 5> kNames{
    "none", "sum", "mean", "sum_over_batch_size", "mean_with_sample_weight"};

}  // namespace

std::string_view name(Reduction reduction) {
  return kNames[static_cast<size_t>(reduction)];
}

Reduction reduction_from_name(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Reduction>(i);
  }
  internal::Message message("reduction");
  message.expected(internal::list_names(kNames)).got("'", text, "'");
  const std::string_view closest = internal::closest_name(text, kNames);
  if (!closest.empty()) message.hint("did you mean '", closest, "'?");
  message.raise<ValueError>();
}

}  // namespace systolic::losses
