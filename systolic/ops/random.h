// Random ops: values from an explicit state.
// The same one gives the same bits everywhere, for any number of replicas.
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

/// Exponential with the given rate: mean 1 / rate.
Tensor exponential(const Shape& shape, double rate = 1,
                   const RandomOptions& options = {});
/// Gumbel: loc - scale log(-log(uniform)).
Tensor gumbel(const Shape& shape, double loc = 0, double scale = 1,
              const RandomOptions& options = {});
/// Gamma of shape parameter `alpha` (> 0, broadcasts to `shape`) and scale 1.
/// No gradient goes to alpha. (Marsaglia and Tsang 2000; an element that eight
/// draws refuse, 4 of 10^11, keeps the first one.)
Tensor gamma(const Shape& shape, const Arg& alpha,
             const RandomOptions& options = {});
/// Beta of `alpha` and `beta` (> 0, broadcast to `shape`); no gradient.
Tensor beta(const Shape& shape, const Arg& alpha, const Arg& beta,
            const RandomOptions& options = {});
/// Poisson of mean `lam` (>= 0, broadcasts to `shape`), as the dtype of the
/// options; no gradient. (Below 10 by inversion, above Hoermann 1993.)
Tensor poisson(const Shape& shape, const Arg& lam,
               const RandomOptions& options = {});

/// As RandomOptions, for whole numbers.
struct RandomIntegerOptions {
  Seed seed = {};
  DType dtype = DType::int32;
  bool batch_rows = false;
};
/// Whole numbers in [minval, maxval).
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval,
               const RandomIntegerOptions& options = {});
/// Classes drawn by the probabilities softmax(logits). Shapes: logits (n,
/// classes) -> (n, num_samples).
Tensor categorical(const Arg& logits, int64_t num_samples,
                   const RandomIntegerOptions& options = {});
/// `x` with its slices along an axis in random order.
Tensor shuffle(const Arg& x, int axis = 0, const Seed& seed = {});
/// The numbers below n in random order (int32).
Tensor permutation(int64_t n, const Seed& seed = {});

/// Random words (uint32).
Tensor bits(const Shape& shape, const RandomOptions& options = {});

/// The same bits on the host: uint32 values for a state (key, counter).
Array host_bits(uint64_t key, uint64_t counter, const Shape& shape);

}  // namespace systolic::random
