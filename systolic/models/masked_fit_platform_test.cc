// Steps that a mask leaves out do not count in fit's loss and metrics, on one
// device and on eight.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

void check(const golden::Case& c) {
  clear_session();
  const bool weighted = c.options().get("weighted", false);
  const Sequential model({layers::Input({6}, {.dtype = "int32"}),
                          layers::Embedding(9, 4, {.mask_zero = true}),
                          layers::Dense(3)});
  std::vector<Array> start;
  for (const auto& [path, value] : c.group("weights")) start.push_back(value);
  model.set_weights(start);
  CompileOptions options{
      .optimizer = optimizers::SGD(0.1),
      .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
      .metrics = {"accuracy"}};
  if (weighted) options.weighted_metrics = {"accuracy"};
  model.compile(options);
  for (const std::string step : {"0", "1", "2"}) {
    const MetricValues got = model.train_on_batch(
        c.array("x/" + step), c.array("y/" + step),
        weighted ? Arrays(c.array("sample_weight/" + step)) : Arrays());
    for (const auto& [name, value] : got) {
      EXPECT_NEAR(value, c.array("logs/" + step + "/" + name).item<double>(),
                  1e-5)
          << step << ", " << name;
    }
  }
  const golden::Arrays wanted = c.group("final");
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(golden::difference(model.weights()[i].numpy(), wanted[i].second),
              "")
        << wanted[i].first;
  }
}

TEST(MaskedFitPlatformTest, LossesAndMetricsAreKerass) {
  for (const golden::Case& c : golden::load("masked_fit")) {
    for (const int devices : {1, 8}) {
      SCOPED_TRACE(c.name() + ", devices: " + std::to_string(devices));
      const distribute::Strategy strategy = replicas(devices);
      const auto scope = strategy.scope();
      check(c);
    }
  }
}

// A functional model calls its layers again, with masks.
TEST(MaskedFitPlatformTest, FunctionalModelsPassMasksOn) {
  const Tensor tokens = layers::Input({4}, {.dtype = "int32"});
  const layers::Embedding embedding(5, 3, {.mask_zero = true});
  const layers::MultiHeadAttention attention(1, 2);
  const layers::GlobalAveragePooling1D pooling;
  const Tensor x = embedding(tokens);
  const Model model(tokens, pooling(attention(x, x)));
  const Array padded = Array::from({1, 3, 0, 0}, {1, 4});
  const Array alone = Array::from({1, 3}, {1, 2});
  const Tensor y = embedding(constant(alone));
  EXPECT_TRUE(allclose(model.predict_on_batch(padded),
                       pooling(attention(y, y)).numpy(),
                       {.rtol = 1e-5, .atol = 1e-6}));
}

}  // namespace
}  // namespace systolic::models
