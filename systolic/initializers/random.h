// Random initializers with a fixed spread: RandomUniform, RandomNormal,
// TruncatedNormal.
//
//   initializers::RandomNormal({.stddev = 0.02, .seed = 1});
//
// An object gives the same values each time. Without a seed it draws one
// from the program's (set_random_seed) when it is made.
#pragma once

#include <cstdint>

#include "systolic/base/optional_int.h"
#include "systolic/initializers/initializer.h"

namespace systolic::initializers {

// What RandomUniform can be told.
struct RandomUniformOptions {
  // Smallest value.
  double minval = -0.05;
  // Upper limit, not reached.
  double maxval = 0.05;
  // Seed of the draws; unset: one from the program's.
  OptionalInt seed = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("minval", minval);
    v("maxval", maxval);
    v("seed", seed);
  }
};

// Uniform in [minval, maxval).
class RandomUniform : public Initializer {
 public:
  // Fixes the seed that every call draws with.
  explicit RandomUniform(const RandomUniformOptions& options = {});
};

// What RandomNormal can be told.
struct RandomNormalOptions {
  // Mean of the values.
  double mean = 0.0;
  // Standard deviation; for TruncatedNormal before the cut.
  double stddev = 0.05;
  // Seed of the draws; unset: one from the program's.
  OptionalInt seed = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("mean", mean);
    v("stddev", stddev);
    v("seed", seed);
  }
};

// Normal.
class RandomNormal : public Initializer {
 public:
  // Fixes the seed that every call draws with.
  explicit RandomNormal(const RandomNormalOptions& options = {});
};

// What TruncatedNormal can be told.
using TruncatedNormalOptions = RandomNormalOptions;

// Normal, with values only within two standard deviations.
class TruncatedNormal : public Initializer {
 public:
  // Fixes the seed that every call draws with.
  explicit TruncatedNormal(const TruncatedNormalOptions& options = {});
};

static_assert(sizeof(RandomUniform) == sizeof(Initializer) &&
              sizeof(RandomNormal) == sizeof(Initializer) &&
              sizeof(TruncatedNormal) == sizeof(Initializer));

// A seed for an object without one; never negative.
int64_t make_default_seed();

}  // namespace systolic::initializers
