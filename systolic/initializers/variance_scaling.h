// Initializers that keep the variance from layer to layer: VarianceScaling
// and its named forms of Glorot, He and LeCun.
//
//   initializers::GlorotUniform({.seed = 7});
//
// Seeds are as in initializers/random.h.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "systolic/base/choice.h"
#include "systolic/base/optional_int.h"
#include "systolic/initializers/initializer.h"

namespace systolic {

namespace initializers {

// Which side of the weight the variance is divided by.
enum class Mode : uint8_t { fan_in, fan_out, fan_avg };

// What the values are drawn from.
enum class Distribution : uint8_t {
  truncated_normal,
  untruncated_normal,
  uniform
};

}  // namespace initializers

// Keras's names of the modes.
template <>
struct ChoiceNames<initializers::Mode> {
  static constexpr std::string_view what = "VarianceScaling mode";
  static constexpr std::array<std::pair<std::string_view, initializers::Mode>,
                              3>
      names{{{"fan_in", initializers::Mode::fan_in},
             {"fan_out", initializers::Mode::fan_out},
             {"fan_avg", initializers::Mode::fan_avg}}};
};

// Keras's names of the distributions.
template <>
struct ChoiceNames<initializers::Distribution> {
  static constexpr std::string_view what = "VarianceScaling distribution";
  static constexpr std::array<
      std::pair<std::string_view, initializers::Distribution>, 3>
      names{{{"truncated_normal", initializers::Distribution::truncated_normal},
             {"untruncated_normal",
              initializers::Distribution::untruncated_normal},
             {"uniform", initializers::Distribution::uniform}}};
};

namespace initializers {

// What VarianceScaling can be told.
struct VarianceScalingOptions {
  // Factor on the variance, above 0.
  double scale = 1.0;
  // The fan that divides it: inputs, outputs or their mean.
  Choice<Mode> mode = Mode::fan_in;
  // What the values are drawn from.
  Choice<Distribution> distribution = Distribution::truncated_normal;
  // Seed of the draws; unset: one from the program's.
  OptionalInt seed = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("scale", scale);
    v("mode", mode.name());
    v("distribution", distribution.name());
    v("seed", seed);
  }
};

// Values with variance scale / fan, of the chosen distribution.
class VarianceScaling : public Initializer {
 public:
  // Throws: ValueError unless scale > 0.
  explicit VarianceScaling(const VarianceScalingOptions& options = {});

 protected:
  // For named forms: class_name is Keras's name of the class.
  VarianceScaling(std::string_view class_name,
                  const VarianceScalingOptions& options);
};

// What the named forms can be told.
struct SeedOptions {
  // Seed of the draws; unset: one from the program's.
  OptionalInt seed = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("seed", seed);
  }
};

// Uniform, variance 1 / fan_avg.
class GlorotUniform : public VarianceScaling {
 public:
  // Fixes the seed that every call draws with.
  explicit GlorotUniform(const SeedOptions& options = {});
};

// Truncated normal, variance 1 / fan_avg.
class GlorotNormal : public VarianceScaling {
 public:
  // Fixes the seed that every call draws with.
  explicit GlorotNormal(const SeedOptions& options = {});
};

// Uniform, variance 2 / fan_in.
class HeUniform : public VarianceScaling {
 public:
  // Fixes the seed that every call draws with.
  explicit HeUniform(const SeedOptions& options = {});
};

// Truncated normal, variance 2 / fan_in.
class HeNormal : public VarianceScaling {
 public:
  // Fixes the seed that every call draws with.
  explicit HeNormal(const SeedOptions& options = {});
};

// Uniform, variance 1 / fan_in.
class LecunUniform : public VarianceScaling {
 public:
  // Fixes the seed that every call draws with.
  explicit LecunUniform(const SeedOptions& options = {});
};

// Truncated normal, variance 1 / fan_in.
class LecunNormal : public VarianceScaling {
 public:
  // Fixes the seed that every call draws with.
  explicit LecunNormal(const SeedOptions& options = {});
};

static_assert(sizeof(VarianceScaling) == sizeof(Initializer) &&
              sizeof(LecunNormal) == sizeof(Initializer));

// Inputs and outputs that an element of a weight's result connects: Keras's
// compute_fans. Shapes: kernels (..., in, out).
std::pair<int64_t, int64_t> compute_fans(const Shape& shape);

}  // namespace initializers
}  // namespace systolic
