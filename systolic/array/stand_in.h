// Sizes that stand for unknown ones where rules need a number: primes that a
// program hardly has. They are printed as None.
//   Shape shape{kStandInBatch, 784};   // "(None, 784)"
#pragma once

#include <array>
#include <cstdint>

namespace systolic::internal {

/// For the batch of a functional model.
inline constexpr int64_t kStandInBatch = 999'983;
/// For the other unknown sizes of its inputs, taken in turn.
inline constexpr std::array<int64_t, 8> kStandInSizes{
    99'991, 99'989, 99'971, 99'961, 99'929, 99'923, 99'907, 99'901};

/// Whether a size is a stand-in or has one as a factor.
constexpr bool is_stand_in(int64_t size) {
  if (size < kStandInSizes.back()) return false;
  if (size % kStandInBatch == 0) return true;
  for (const int64_t factor : kStandInSizes) {
    if (size % factor == 0) return true;
  }
  return false;
}

}  // namespace systolic::internal
