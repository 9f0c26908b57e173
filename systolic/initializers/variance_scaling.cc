// Tested by: systolic/initializers/initializer_platform_test.cc
#include "systolic/initializers/variance_scaling.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/message.h"
#include "systolic/initializers/random.h"
#include "systolic/ops/random.h"

namespace systolic::initializers {

namespace {

// The standard deviation of a unit normal cut off at two: Keras's constant.
constexpr double kTruncatedDeviation = 0.87962566103423978;

class Scaling final : public InitializerBase {
 public:
  Scaling(std::string_view class_name, const VarianceScalingOptions& options)
      : class_name_(class_name),
        options_(options),
        seed_(options.seed ? *options.seed : make_default_seed()) {}

  std::string_view class_name() const override { return class_name_; }

  Tensor call(const Shape& shape, DType dtype) const override {
    const double variance = options_.scale / std::max(1.0, fan(shape));
    const random::RandomOptions how{.seed = seed_, .dtype = dtype};
    switch (options_.distribution.value()) {
      case Distribution::truncated_normal:
        return random::truncated_normal(
            shape, 0, std::sqrt(variance) / kTruncatedDeviation, how);
      case Distribution::untruncated_normal:
        return random::normal(shape, 0, std::sqrt(variance), how);
      case Distribution::uniform:
        break;
    }
    const double limit = std::sqrt(3 * variance);
    return random::uniform(shape, -limit, limit, how);
  }

 private:
  double fan(const Shape& shape) const {
    const auto [fan_in, fan_out] = compute_fans(shape);
    switch (options_.mode.value()) {
      case Mode::fan_in:
        return static_cast<double>(fan_in);
      case Mode::fan_out:
        return static_cast<double>(fan_out);
      case Mode::fan_avg:
        break;
    }
    return static_cast<double>(fan_in + fan_out) / 2;
  }

  std::string_view class_name_;
  VarianceScalingOptions options_;
  int64_t seed_;
};

std::shared_ptr<const InitializerBase> make_scaling(
    std::string_view class_name, const VarianceScalingOptions& options) {
  if (!(options.scale > 0)) {
    internal::Message("Initializer " + std::string(class_name))
        .expected("scale > 0")
        .got(options.scale)
        .raise<ValueError>();
  }
  return std::make_shared<Scaling>(class_name, options);
}

VarianceScalingOptions scaled(double scale, Mode mode,
                              Distribution distribution,
                              const SeedOptions& options) {
  return {.scale = scale,
          .mode = mode,
          .distribution = distribution,
          .seed = options.seed};
}

}  // namespace

VarianceScaling::VarianceScaling(std::string_view class_name,
                                 const VarianceScalingOptions& options)
    : Initializer(make_scaling(class_name, options)) {}

VarianceScaling::VarianceScaling(const VarianceScalingOptions& options)
    : VarianceScaling("VarianceScaling", options) {}

GlorotUniform::GlorotUniform(const SeedOptions& options)
    : VarianceScaling("GlorotUniform", scaled(1, Mode::fan_avg,
                                              Distribution::uniform, options)) {
}

GlorotNormal::GlorotNormal(const SeedOptions& options)
    : VarianceScaling(
          "GlorotNormal",
          scaled(1, Mode::fan_avg, Distribution::truncated_normal, options)) {}

HeUniform::HeUniform(const SeedOptions& options)
    : VarianceScaling("HeUniform",
                      scaled(2, Mode::fan_in, Distribution::uniform, options)) {
}

HeNormal::HeNormal(const SeedOptions& options)
    : VarianceScaling(
          "HeNormal",
          scaled(2, Mode::fan_in, Distribution::truncated_normal, options)) {}

LecunUniform::LecunUniform(const SeedOptions& options)
    : VarianceScaling("LecunUniform",
                      scaled(1, Mode::fan_in, Distribution::uniform, options)) {
}

LecunNormal::LecunNormal(const SeedOptions& options)
    : VarianceScaling(
          "LecunNormal",
          scaled(1, Mode::fan_in, Distribution::truncated_normal, options)) {}

std::pair<int64_t, int64_t> compute_fans(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {shape[0], shape[0]};
  int64_t field = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) field *= shape[i];
  return {shape[-2] * field, shape[-1] * field};
}

}  // namespace systolic::initializers
