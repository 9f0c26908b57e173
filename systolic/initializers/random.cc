// Tested by: systolic/initializers/initializer_platform_test.cc
#include "systolic/initializers/random.h"

#include <limits>

#include "systolic/base/seed.h"
#include "systolic/ops/random.h"

namespace systolic::initializers {

namespace {

class Uniform final : public InitializerBase {
 public:
  explicit Uniform(const RandomUniformOptions& options)
      : options_(options),
        seed_(options.seed ? *options.seed : make_default_seed()) {}
  std::string_view class_name() const override { return "RandomUniform"; }
  Tensor call(const Shape& shape, DType dtype) const override {
    return random::uniform(shape, options_.minval, options_.maxval,
                           {.seed = seed_, .dtype = dtype});
  }

 private:
  RandomUniformOptions options_;
  int64_t seed_;
};

class Normal final : public InitializerBase {
 public:
  Normal(const RandomNormalOptions& options, bool truncated)
      : options_(options),
        seed_(options.seed ? *options.seed : make_default_seed()),
        truncated_(truncated) {}
  std::string_view class_name() const override {
    return truncated_ ? "TruncatedNormal" : "RandomNormal";
  }
  Tensor call(const Shape& shape, DType dtype) const override {
    const random::RandomOptions how{.seed = seed_, .dtype = dtype};
    return truncated_
               ? random::truncated_normal(shape, options_.mean, options_.stddev,
                                          how)
               : random::normal(shape, options_.mean, options_.stddev, how);
  }

 private:
  RandomNormalOptions options_;
  int64_t seed_;
  bool truncated_;
};

}  // namespace

int64_t make_default_seed() {
  return static_cast<int64_t>(
      internal::draw_seed() &
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

RandomUniform::RandomUniform(const RandomUniformOptions& options)
    : Initializer(std::make_shared<Uniform>(options)) {}

RandomNormal::RandomNormal(const RandomNormalOptions& options)
    : Initializer(std::make_shared<Normal>(options, false)) {}

TruncatedNormal::TruncatedNormal(const TruncatedNormalOptions& options)
    : Initializer(std::make_shared<Normal>(options, true)) {}

}  // namespace systolic::initializers
