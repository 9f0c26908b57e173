// Initializers that keep the variance from layer to layer: VarianceScaling
// and its named forms of Glorot, He and LeCun.
//
//   initializers::GlorotUniform({.seed = 7});
//
// Seeds are as in initializers/random.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "systolic/base/choice.h"
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

template <>
struct ChoiceNames<initializers::Mode> {
  static constexpr std::string_view what = "VarianceScaling mode";
  static constexpr std::array<std::pair<std::string_view, initializers::Mode>,
                              3>
      names{{{"fan_in", initializers::Mode::fan_in},
             {"fan_out", initializers::Mode::fan_out},
             {"fan_avg", initializers::Mode::fan_avg}}};
};

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

struct VarianceScalingOptions {
  double scale = 1.0;
  Choice<Mode> mode = Mode::fan_in;
  Choice<Distribution> distribution = Distribution::truncated_normal;
  std::optional<int64_t> seed = std::nullopt;

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
  VarianceScaling(std::string_view class_name,
                  const VarianceScalingOptions& options);
};

struct SeedOptions {
  std::optional<int64_t> seed = std::nullopt;

  template <class V>
  void visit(V&& v) const {
    v("seed", seed);
  }
};

// Uniform, variance 1 / fan_avg.
class GlorotUniform : public VarianceScaling {
 public:
  explicit GlorotUniform(const SeedOptions& options = {});
};

// Truncated normal, variance 1 / fan_avg.
class GlorotNormal : public VarianceScaling {
 public:
  explicit GlorotNormal(const SeedOptions& options = {});
};

// Uniform, variance 2 / fan_in.
class HeUniform : public VarianceScaling {
 public:
  explicit HeUniform(const SeedOptions& options = {});
};

// Truncated normal, variance 2 / fan_in.
class HeNormal : public VarianceScaling {
 public:
  explicit HeNormal(const SeedOptions& options = {});
};

// Uniform, variance 1 / fan_in.
class LecunUniform : public VarianceScaling {
 public:
  explicit LecunUniform(const SeedOptions& options = {});
};

// Truncated normal, variance 1 / fan_in.
class LecunNormal : public VarianceScaling {
 public:
  explicit LecunNormal(const SeedOptions& options = {});
};

static_assert(sizeof(VarianceScaling) == sizeof(Initializer) &&
              sizeof(LecunNormal) == sizeof(Initializer));

// Inputs and outputs that an element of a weight's result connects: Keras's
// compute_fans. Shapes: kernels (..., in, out).
std::pair<int64_t, int64_t> compute_fans(const Shape& shape);

}  // namespace initializers
}  // namespace systolic
