// The program's random seed, from which everything without a seed of its own
// draws one: shuffles, initializers, dropout.
//   set_random_seed(42);   // from here on the program repeats itself
#pragma once

#include <cstdint>

namespace systolic {

// Restarts the sequence of drawn seeds from `seed`. Without a call the
// sequence starts differently in every process.
void set_random_seed(uint64_t seed);

namespace internal {

// The next seed of the sequence; thread safe.
uint64_t draw_seed();

// A seed that depends on both values and on every bit of them (SplitMix64).
uint64_t mix_seed(uint64_t seed, uint64_t value);

}  // namespace internal
}  // namespace systolic
