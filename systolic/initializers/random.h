// Random initializers with a fixed spread: RandomUniform, RandomNormal,
// TruncatedNormal.
//
//   initializers::RandomNormal({.stddev = 0.02, .seed = 1});
//
// An object gives the same values each time. Without a seed it draws one
// from the program's (set_random_seed) when it is made.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/initializers/initializer.h"

namespace systolic::initializers {

struct RandomUniformOptions {
  double minval = -0.05;
  double maxval = 0.05;
  std::optional<int64_t> seed = std::nullopt;

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
  explicit RandomUniform(const RandomUniformOptions& options = {});
};

struct RandomNormalOptions {
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<int64_t> seed = std::nullopt;

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
  explicit RandomNormal(const RandomNormalOptions& options = {});
};

using TruncatedNormalOptions = RandomNormalOptions;

// Normal, with values only within two standard deviations.
class TruncatedNormal : public Initializer {
 public:
  explicit TruncatedNormal(const TruncatedNormalOptions& options = {});
};

static_assert(sizeof(RandomUniform) == sizeof(Initializer) &&
              sizeof(RandomNormal) == sizeof(Initializer) &&
              sizeof(TruncatedNormal) == sizeof(Initializer));

// A seed for an object without one; never negative.
int64_t make_default_seed();

}  // namespace systolic::initializers
