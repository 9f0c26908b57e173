// Random ops: values from an explicit state, so the same state gives the same
// bits on every platform and for any number of replicas.
//
//   random::SeedGenerator generator(42);
//   Tensor noise = random::normal({batch, 8}, {.seed = generator});
//
// Philox 4x32-10 (Salmon et al. 2011) through StableHLO's generator.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/graph/arg.h"
#include "systolic/graph/variable.h"

namespace systolic::random {

/// A stream of random states, kept on the device and advanced by each draw.
class SeedGenerator {
 public:
  /// Starts at `seed`; unset: a fresh one from the process's seed
  /// (set_random_seed).
  explicit SeedGenerator(std::optional<int64_t> seed = std::nullopt);

  /// The state (uint64: key, counter); changed by draws.
  const Variable& state() const { return state_; }

 private:
  Variable state_;
};

/// Where the bits come from: a fixed seed or a generator.
class Seed {
 public:
  Seed() = default;
  Seed(int64_t seed) : fixed_(seed) {}
  Seed(int seed) : fixed_(seed) {}
  Seed(const SeedGenerator& generator) : generator_(generator) {}
  const std::optional<int64_t>& fixed() const { return fixed_; }
  const std::optional<SeedGenerator>& generator() const { return generator_; }

 private:
  std::optional<int64_t> fixed_;
  std::optional<SeedGenerator> generator_;
};

struct RandomOptions {
  Seed seed = {};
  DType dtype = DType::float32;
  /// The first axis is this replica's share of a batch: each row's values
  /// depend on its place in the whole batch, not on the number of replicas.
  bool batch_rows = false;
};

/// Uniform in [minval, maxval).
Tensor uniform(const Shape& shape, double minval = 0, double maxval = 1,
               const RandomOptions& options = {});
/// Normal with the given mean and standard deviation (Box-Muller-free: the
/// inverse distribution function of uniform bits).
Tensor normal(const Shape& shape, double mean = 0, double stddev = 1,
              const RandomOptions& options = {});
/// Normal, redrawn into two standard deviations (by inverse distribution).
Tensor truncated_normal(const Shape& shape, double mean = 0, double stddev = 1,
                        const RandomOptions& options = {});
/// true with probability p (bool).
Tensor bernoulli(const Shape& shape, double p,
                 const RandomOptions& options = {});
/// `x` with elements zeroed at `rate` and the rest scaled by 1 / (1 - rate);
/// rows are keyed by their place in the global batch.
Tensor dropout(const Arg& x, double rate, const RandomOptions& options = {});

/// Random words (uint32).
Tensor bits(const Shape& shape, const RandomOptions& options = {});

/// The same bits on the host: uint32 values for a state (key, counter).
Array host_bits(uint64_t key, uint64_t counter, const Shape& shape);

}  // namespace systolic::random
