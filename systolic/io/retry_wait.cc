#include "systolic/io/retry_wait.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace systolic::io::detail {

double retry_wait(const StorageOptions& limits, int64_t tries) {
  // Behind that any wait is the longest.
  constexpr int64_t kMostDoublings = 64;
  const auto doublings =
      static_cast<int>(std::clamp<int64_t>(tries - 1, 0, kMostDoublings));
  static std::atomic<unsigned> turn = 0;
  const double share = 0.5 + 0.5 * ((turn++ * 7) % 16) / 15.0;
  return share * std::min(std::ldexp(limits.first_retry_wait, doublings),
                          limits.longest_retry_wait);
}

}  // namespace systolic::io::detail
