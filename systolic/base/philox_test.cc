#include "systolic/base/philox.h"

#include <gtest/gtest.h>

#include <set>

namespace systolic::internal {
namespace {

// The published test vectors of philox4x32-10 have four counter words and two
// of key; with the key in the counter's upper half ours gives those with
// equal halves: all zeros and all ones.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox(0, 0), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d,
                                                   0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~uint64_t{0}, ~uint64_t{0}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
}

// The third published vector: a counter and a key of pi's digits.
TEST(Philox, AllBitsOfTheCounter) {
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   0x299f31d0'a4093822u),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420,
                                     0x24126ea1}));
}

TEST(Philox, CountersAndKeysAllMatter) {
  std::set<std::array<uint32_t, 4>> seen;
  for (uint64_t bit = 0; bit < 64; ++bit) {
    seen.insert(philox(uint64_t{1} << bit, 7));
    seen.insert(philox(7, uint64_t{1} << bit));
  }
  EXPECT_EQ(seen.size(), 128u);
}

// TensorFlow's tf.random.stateless_uniform(seed) begins so: its pictures are
// compared in the room image.
TEST(Philox, StatelessSeedsAreMixed) {
  const PhiloxState state = stateless_state({1, -2});
  const auto mixed = philox({1, 0, 0xfffffffe, 0xffffffff}, kSeedMixer);
  EXPECT_EQ(state.key, mixed[0] | uint64_t{mixed[1]} << 32);
  EXPECT_EQ(state.upper, mixed[2] | uint64_t{mixed[3]} << 32);
}

}  // namespace
}  // namespace systolic::internal
