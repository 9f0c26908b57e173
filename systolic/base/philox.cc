#include "systolic/base/philox.h"

#include <cstddef>

namespace systolic::internal {

std::array<uint32_t, 4> philox(uint64_t counter, uint64_t key) {
  // XLA puts the key into the upper half of the counter as well.
  return philox(
      {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
       static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)},
      key);
}

std::array<uint32_t, 4> philox(const std::array<uint32_t, 4>& counter,
                               uint64_t key) {
  constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> c = counter;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kMultiplier0 * c[0], p1 = kMultiplier1 * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1,
         static_cast<uint32_t>(p0)};
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return c;
}

PhiloxState stateless_state(const std::array<int64_t, 2>& seed) {
  std::array<uint32_t, 4> counter{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto number = static_cast<uint64_t>(seed[i]);
    counter[2 * i] = static_cast<uint32_t>(number);
    counter[2 * i + 1] = static_cast<uint32_t>(number >> 32);
  }
  const auto mixed = philox(counter, kSeedMixer);
  const auto pair = [&](std::size_t i) {
    return mixed[i] | static_cast<uint64_t>(mixed[i + 1]) << 32;
  };
  return {.key = pair(0), .upper = pair(2)};
}

}  // namespace systolic::internal
