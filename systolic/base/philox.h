// Philox 4x32-10: a counter-based generator (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", 2011), on the host.
#pragma once

#include <array>
#include <cstdint>

namespace systolic::internal {

/// Four words of random bits for a counter under a key.
std::array<uint32_t, 4> philox(uint64_t counter, uint64_t key);
/// The same for all 128 bits of a counter, the lowest first.
std::array<uint32_t, 4> philox(const std::array<uint32_t, 4>& counter,
                               uint64_t key);

/// Where a stream of blocks begins: the counter's lower half is 0.
struct PhiloxState {
  uint64_t key = 0;
  /// The counter's upper half.
  uint64_t upper = 0;
};
/// The key under which TensorFlow mixes a seed, so that small numbers do as
/// well.
inline constexpr uint64_t kSeedMixer = 0x02461e29'3ec8f720u;
/// Where TensorFlow's stateless functions begin for a seed: the four words of
/// that counter under kSeedMixer.
PhiloxState stateless_state(const std::array<int64_t, 2>& seed);

}  // namespace systolic::internal
