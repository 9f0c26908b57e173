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

}  // namespace systolic::internal
