// fit against what Keras computes, on one device and on eight: mixed
// precision, accumulated gradients, clipping.
#include <gtest/gtest.h>

#include "systolic/models/callbacks/callback.h"
#include "systolic/models/test_helpers.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

std::optional<double> number(const golden::Value& config,
                             std::string_view key) {
  if (!config.has(key)) return std::nullopt;
  return config[key].number();
}

std::optional<int64_t> count(const golden::Value& config,
                             std::string_view key) {
  if (!config.has(key)) return std::nullopt;
  return config[key].integer();
}

optimizers::Optimizer make_optimizer(const golden::Value& options) {
  const golden::Value& o = options["config"];
  const auto steps = count(o, "gradient_accumulation_steps");
  optimizers::Optimizer optimizer;
  if (options["optimizer"].text() == "Adam") {
    optimizer = optimizers::Adam({.learning_rate = o["learning_rate"].number(),
                                  .gradient_accumulation_steps = steps});
  } else {
    optimizer =
        optimizers::SGD({.learning_rate = o["learning_rate"].number(),
                         .global_clipnorm = number(o, "global_clipnorm")});
  }
  if (!options.has("loss_scale")) return optimizer;
  const golden::Value& scaling = options["loss_scale"];
  return optimizers::LossScaleOptimizer(
      optimizer,
      {.initial_scale = scaling["initial_scale"].number(),
       .dynamic_growth_steps = scaling.get("dynamic_growth_steps", 2000)});
}

// The scale of the loss after each step.
struct Scales : callbacks::CallbackBase {
  explicit Scales(std::vector<float>* scales) : scales(scales) {}
  void on_train_batch_end(int64_t, const callbacks::Logs&) override {
    float scale = 1;
    for (const Variable& v : model().optimizer().variables()) {
      if (v.name() == "dynamic_scale") scale = v.item<float>();
    }
    scales->push_back(scale);
  }
  std::vector<float>* scales;
};

// How near a loss of that policy is to Keras's: float16 and bfloat16 have 10
// and 7 bits behind the point, and Keras rounds in another order.
double nearness(const std::string& policy) {
  if (policy == "mixed_bfloat16") return 8e-3;
  return policy == "mixed_float16" ? 1e-3 : 2e-5;
}

void check(const golden::Case& c) {
  const golden::Value& options = c.options();
  const std::string policy = options["policy"].text();
  const double near = nearness(policy);
  clear_session();
  config::set_dtype_policy(policy);
  const Sequential model(
      {layers::Dense(8, {.activation = "relu", .input_shape = {6}}),
       layers::Dense(3)});
  config::set_dtype_policy("float32");
  std::vector<Array> start;
  for (const auto& [path, value] : c.group("weights")) start.push_back(value);
  model.set_weights(start);
  model.compile(
      {.optimizer = make_optimizer(options),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
  std::vector<float> scales;
  const callbacks::History history =
      model.fit(c.array("x"), c.array("y"),
                {.batch_size = options["batch_size"].integer(),
                 .epochs = static_cast<int>(options["epochs"].integer()),
                 .verbose = Verbose::silent,
                 .callbacks = {callbacks::make<Scales>(&scales)},
                 .shuffle = false});
  for (size_t epoch = 0; epoch < history["loss"].size(); ++epoch) {
    EXPECT_NEAR(history["loss"][epoch], c.array("losses").span<float>()[epoch],
                near)
        << epoch;
  }
  const golden::Arrays wanted = c.group("final");
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Array got = model.weights()[i].numpy();
    EXPECT_EQ(got.dtype(), DType::float32);
    EXPECT_EQ(golden::difference(got, wanted[i].second, {near, near}), "")
        << wanted[i].first;
  }
  EXPECT_EQ(golden::difference(Array::from(scales), c.array("scales"), {0, 0}),
            "");
}

class FitParityPlatformTest : public testing::TestWithParam<golden::Case> {};

TEST_P(FitParityPlatformTest, OneDeviceAndEightAreKerass) {
  for (const int devices : {1, 8}) {
    // The sums of a replica are smaller, and leave float16's range later.
    if (devices > 1 && GetParam().name() == "mixed_float16, overflows")
      continue;
    SCOPED_TRACE(devices);
    const distribute::Strategy strategy = replicas(devices);
    const auto scope = strategy.scope();
    check(GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Keras, FitParityPlatformTest,
                         testing::ValuesIn(golden::load("fit")));

// C118: an overflow that one row alone has is everybody's.
TEST(MixedPrecisionPlatformTest, AllReplicasSkipAStepTogether) {
  const distribute::Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  config::set_dtype_policy("mixed_float16");
  const Sequential model({layers::Dense(3, {.input_shape = {4}})});
  config::set_dtype_policy("float32");
  model.compile({.optimizer = optimizers::Adam(0.1), .loss = "mse"});
  auto [x, y] = labelled_rows(16);
  x.mutable_span<float>()[20] = 1e6f;  // infinite in float16
  const std::vector<Array> before = model.get_weights();
  const Array target = Array::zeros({16, 3});
  const FitOptions once{.batch_size = 16, .verbose = Verbose::silent};
  model.fit(x, target, once);
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 0);
  x.mutable_span<float>()[20] = 1.f;
  for (size_t i = 0; i < before.size(); ++i) {
    for (const Array& value : model.weights()[i].replica_values()) {
      EXPECT_TRUE(array_equal(value, before[i]));
    }
  }
  model.fit(x, target, once);
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 1);
  EXPECT_FALSE(array_equal(model.get_weights()[0], before[0]));
}

}  // namespace
}  // namespace systolic::models
