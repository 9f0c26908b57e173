#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systolic/array/arrays.h"
#include "systolic/base/seed.h"
#include "systolic/initializers/initializers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/golden.h"

namespace systolic::initializers {
namespace {

struct Statistics {
  double mean, stddev, min, max;
};

Statistics statistics(const Array& array) {
  const auto values = array.span<float>();
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const float v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / n), *std::ranges::min_element(values),
          *std::ranges::max_element(values)};
}

// The initializer of a recorded case, with its config and this seed.
Initializer make(const golden::Case& c, int64_t seed) {
  const std::string& name = c.options().at("class_name").text();
  const golden::Value& config = c.options().at("config");
  const auto number = [&](const char* key, double absent) {
    return config.get(key, absent);
  };
  if (name == "Constant") return Constant(number("value", 0));
  if (name == "Identity") return Identity(number("gain", 1));
  if (name == "RandomUniform") {
    return RandomUniform({.minval = number("minval", -0.05),
                          .maxval = number("maxval", 0.05),
                          .seed = seed});
  }
  const RandomNormalOptions normal{.mean = number("mean", 0),
                                   .stddev = number("stddev", 0.05),
                                   .seed = seed};
  if (name == "RandomNormal") return RandomNormal(normal);
  if (name == "TruncatedNormal") return TruncatedNormal(normal);
  if (name == "VarianceScaling") {
    return VarianceScaling(
        {.scale = number("scale", 1),
         .mode = config.get("mode", "fan_in"),
         .distribution = config.get("distribution", "truncated_normal"),
         .seed = seed});
  }
  const SeedOptions seeded{.seed = seed};
  if (name == "GlorotUniform") return GlorotUniform(seeded);
  if (name == "GlorotNormal") return GlorotNormal(seeded);
  if (name == "HeUniform") return HeUniform(seeded);
  if (name == "HeNormal") return HeNormal(seeded);
  if (name == "LecunUniform") return LecunUniform(seeded);
  if (name == "LecunNormal") return LecunNormal(seeded);
  return Initializer(name);
}

// The recorded distribution: limits kept and nearly reached, and the moments
// of enough values near those of theory.
void check_distribution(const golden::Case& c, const Array& values) {
  const golden::Value& expected = c.expected();
  const Statistics got = statistics(values);
  const std::string kind = expected.at("distribution").text();
  const double mean = expected.get("mean", 0.0);
  double low = -1e9, high = 1e9;
  double stddev = expected.get("stddev", 0.0);
  if (kind == "uniform") {
    low = expected.get("minval", -expected.get("limit", 0.0));
    high = expected.get("maxval", expected.get("limit", 0.0));
    stddev = (high - low) / std::sqrt(12.0);
  } else if (kind == "truncated_normal") {
    low = mean - expected.at("limit").number();
    high = mean + expected.at("limit").number();
    stddev *= 0.87962566103423978;
  }
  const double slack = 1e-6 * (std::abs(low) + std::abs(high));
  EXPECT_GE(got.min, low - slack);
  EXPECT_LE(got.max, high + slack);
  const double n = static_cast<double>(values.size());
  if (n < 1000) return;
  const double middle = kind == "uniform" ? (low + high) / 2 : mean;
  EXPECT_NEAR(got.mean, middle, 5 * stddev / std::sqrt(n));
  EXPECT_NEAR(got.stddev / stddev, 1, 5 / std::sqrt(2 * n));
  if (kind == "uniform") {
    EXPECT_LT(got.min, low + (high - low) * 20 / n);
    EXPECT_GT(got.max, high - (high - low) * 20 / n);
  }
}

TEST(InitializersGolden, AsKerasMakesThem) {
  for (const golden::Case& c : golden::load("initializers")) {
    SCOPED_TRACE(c.name());
    const std::string& name = c.options().at("class_name").text();
    if (name == "Orthogonal") continue;  // not in the library yet
    const Shape shape{
        std::span<const int64_t>(c.options().at("shape").integers())};
    const Initializer initializer = make(c, 3);
    EXPECT_EQ(initializer.class_name(), name);
    const Array values = initializer(shape).numpy();
    ASSERT_EQ(values.shape(), shape);
    if (c.has_array("output")) {
      EXPECT_EQ(golden::difference(values, c.array("output"), {0, 0}), "");
    } else {
      check_distribution(c, values);
    }
  }
}

bool same(const Array& a, const Array& b) {
  return a.spec() == b.spec() && array_equal(a, b);
}

TEST(Initializers, SeedsDecideTheValues) {
  const Shape shape{20, 30};
  EXPECT_TRUE(same(HeNormal({.seed = 1})(shape).numpy(),
                   HeNormal({.seed = 1})(shape).numpy()));
  EXPECT_FALSE(same(HeNormal({.seed = 1})(shape).numpy(),
                    HeNormal({.seed = 2})(shape).numpy()));
  const GlorotUniform unseeded;
  EXPECT_TRUE(same(unseeded(shape).numpy(), unseeded(shape).numpy()));
  EXPECT_FALSE(same(unseeded(shape).numpy(), GlorotUniform()(shape).numpy()));
}

TEST(Initializers, ANameDrawsASeedForEachWeight) {
  const Shape shape{20, 30};
  set_random_seed(1);
  const Initializer named = "glorot_uniform";
  const Array first = named(shape).numpy();
  EXPECT_FALSE(same(first, named(shape).numpy()));
  set_random_seed(1);
  EXPECT_TRUE(same(first, named(shape).numpy()));
  const Initializer fixed = get(named);
  EXPECT_TRUE(same(fixed(shape).numpy(), fixed(shape).numpy()));
}

TEST(Initializers, EveryNameMakesEveryRealDtype) {
  for (const std::string_view name : names()) {
    for (const DType dtype :
         {DType::float32, DType::float64, DType::bfloat16, DType::float16}) {
      const Tensor value = Initializer(std::string(name))({4, 6}, dtype);
      EXPECT_EQ(value.numpy().spec(), (TensorSpec{dtype, {4, 6}})) << name;
    }
  }
  EXPECT_EQ(Ones()({3}, DType::int32).numpy().to_string(), "[1 1 1]");
}

TEST(Initializers, TakesFunctionsAndArrays) {
  const Initializer twos = [](const Shape& shape, DType dtype) {
    return cast(full(shape, 2), dtype);
  };
  EXPECT_EQ(twos({2}).numpy().to_string(), "[2. 2.]");
  const Initializer values = Array::from({1.f, 2.f});
  EXPECT_EQ(values({2}, DType::float64).dtype(), DType::float64);
  EXPECT_THROW(values({3}), ShapeError);
  try {
    values({3});
  } catch (const ShapeError& e) {
    EXPECT_STREQ(e.what(),
                 "Initializer array: expected a value of the weight's shape "
                 "(3,), got (2,)");
  }
  EXPECT_THROW(Identity()({3}), ShapeError);
}

}  // namespace
}  // namespace systolic::initializers
