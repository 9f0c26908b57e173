#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/context.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/step.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/test_options.h"
#include "systolic/ops/ops.h"
#include "systolic/runtime/client.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

using internal::text_of;

TEST(BatchNormalizationContract, Plain) {
  contracts::check_layer({.make =
                              [](DTypePolicy dtype) {
                                return BatchNormalization(
                                    {.momentum = 0.9, .dtype = dtype});
                              },
                          .input_shape = {3, 4},
                          .output_shape = {3, 4},
                          .weights = {{"gamma", {4}},
                                      {"beta", {4}},
                                      {"moving_mean", {4}, false},
                                      {"moving_variance", {4}, false}},
                          .differs_in_training = true});
}

TEST(BatchNormalizationGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_batch_normalization",
      [](const golden::Value& o) {
        return BatchNormalization({.axis = static_cast<int>(o.get("axis", -1)),
                                   .momentum = o.get("momentum", 0.99),
                                   .epsilon = o.get("epsilon", 1e-3),
                                   .center = o.get("center", true),
                                   .scale = o.get("scale", true),
                                   .dtype = dtype(o)});
      },
      {.output = {1e-5, 1e-5}, .gradients = {1e-4, 1e-5}});
}

TEST(BatchNormalization, ConstructorChecks) {
  EXPECT_TRUE(text_of<ValueError>([] { BatchNormalization({.momentum = 2}); })
                  .starts_with("BatchNormalization: expected momentum in 0 ... "
                               "1, got 2"));
  EXPECT_TRUE(text_of<ShapeError>([] {
                BatchNormalization({.axis = 3, .name = "b"})(zeros({2, 3}));
              })
                  .starts_with("BatchNormalization \"b\": expected an axis of "
                               "the channels that the input has, behind its "
                               "batch, got axis 3\n"));
}

// C113: wherever it stands, one step in training moves its statistics; frozen
// it does not.
TEST(BatchNormalization, StatisticsMoveInTrainingUnlessFrozen) {
  const BatchNormalization layer({.momentum = 0.5});
  const Tensor x = constant(Array::from({0.f, 4.f}, {2, 1}));
  layer(x, {.training = true});
  EXPECT_EQ(layer.get_weights()[2].to_string(), "[1.]");
  EXPECT_EQ(layer.get_weights()[3].to_string(), "[2.5]");
  layer(x);
  EXPECT_EQ(layer.get_weights()[2].to_string(), "[1.]");
  layer.set_trainable(false);
  layer(x, {.training = true});
  EXPECT_EQ(layer.get_weights()[2].to_string(), "[1.]");
}

TEST(BatchNormalization, VarianceKeepsItsDigitsOnceTheMeanIsNear) {
  BatchNormalization layer({.epsilon = 0});
  layer.build({-1, 1});
  layer.weights()[2].assign(constant({1000.0}));
  // 1001, 999, 1001 ...: a mean of squares has no digits for a variance of 1.
  const Tensor x = 1000 + 2 * (cast(arange(512), DType::float32) % 2) - 1;
  const Array y = layer(reshape(x, {512, 1}), {.training = true}).numpy();
  for (const float value : y.span<float>()) {
    EXPECT_NEAR(std::abs(value), 1, 1e-3);
  }
}

TEST(BatchNormalization, VarianceIsNotNegative) {
  const BatchNormalization layer({.epsilon = 0});
  const Tensor x = full({7, 1}, 0.1f);
  layer(x, {.training = true});
  EXPECT_GE(layer.get_weights()[3].item<float>(), 0.99f - 1e-6f);
}

// One batch on one device, or its rows on eight replicas: the outputs of the
// real rows, the gradient of gamma and the moving statistics.
struct Results {
  std::vector<float> outputs;
  Array gradient, mean, variance;
};

Array some_rows(int rows) {
  Array x = Array::zeros({rows, 3});
  int i = 0;
  for (float& value : x.mutable_span<float>()) {
    value = static_cast<float>((i++ * 29 % 127 - 40)) * 0.0625f;
  }
  return x;
}

Results on_one(const BatchNormalization& layer, const Array& x) {
  GradientTape tape;
  const Tensor y = layer(x, {.training = true});
  const Tensor gradient = tape.gradient(sum(y * y * y) / x.shape()[0],
                                        Sources(layer.weights()[0]))[0];
  const Array values = y.numpy();
  const std::span<const float> all = values.span<float>();
  return {{all.begin(), all.end()},
          gradient.numpy(),
          layer.weights()[2].numpy(),
          layer.weights()[3].numpy()};
}

Results on_eight(const BatchNormalization& layer, const Array& x) {
  using internal::graph::Placement;
  const Placement* eight = Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
  const auto rows = static_cast<int>(x.shape()[0]);
  const int share = (rows + 7) / 8;
  // What fills up is no number: it must not be seen.
  Array padded = Array::full({8, share, 3}, NAN, DType::float32);
  std::vector<int> counts;
  for (int i = 0; i < rows * 3; ++i) {
    padded.mutable_span<float>()[i] = x.span<float>()[i];
  }
  for (int r = 0; r < 8; ++r) {
    counts.push_back(std::clamp(rows - r * share, 0, share));
  }
  const internal::graph::VariablePlacementGuard guard(eight);
  layer.build({share, 3});
  std::vector<Tensor> results;
  {
    internal::graph::Step step(eight, "test");
    const Tensor replica = replica_id_in_sync_group();
    const Tensor valid = dynamic_index(constant(Array::from(counts)), replica);
    step.context().valid_rows = valid;
    GradientTape tape;
    const Tensor y =
        layer(dynamic_index(constant(padded), replica), {.training = true});
    const Tensor real = reshape(less(arange(share), valid), {share, 1});
    const Tensor kept = where(real, y, 0);
    Tensor gradient = tape.gradient(sum(kept * kept * kept) / rows,
                                    Sources(layer.weights()[0]))[0];
    const Tensor place =
        reshape(cast(equal(arange(8), replica), DType::float32), {8, 1, 1});
    results =
        all_reduce(ReduceOp::sum,
                   std::vector<Tensor>{place * expand_dims(kept, 0), gradient});
    step.commit(results);
  }
  const Array values = results[0].numpy();
  const auto end = static_cast<size_t>(rows) * 3;
  const std::span<const float> all = values.span<float>();
  return {{all.begin(), all.begin() + static_cast<ptrdiff_t>(end)},
          results[1].numpy(),
          layer.weights()[2].numpy(),
          layer.weights()[3].numpy()};
}

TEST(BatchNormalization, EightReplicasAreOneWhereSynchronized) {
  for (int rows = 1; rows <= 17; ++rows) {
    SCOPED_TRACE(rows);
    const BatchNormalizationOptions options{.momentum = 0.5,
                                            .synchronized = true};
    const Array x = some_rows(rows);
    const Results one = on_one(BatchNormalization(options), x);
    const BatchNormalization replicated(options);
    const Results eight = on_eight(replicated, x);
    ASSERT_EQ(one.outputs.size(), eight.outputs.size());
    for (size_t i = 0; i < one.outputs.size(); ++i) {
      EXPECT_NEAR(one.outputs[i], eight.outputs[i], 1e-5);
    }
    const AllcloseOptions near{.rtol = 1e-5, .atol = 2e-5};
    EXPECT_TRUE(allclose(one.gradient, eight.gradient, near))
        << one.gradient << eight.gradient;
    EXPECT_TRUE(allclose(one.mean, eight.mean, near));
    EXPECT_TRUE(allclose(one.variance, eight.variance, near));
    // C111: the same on all replicas.
    for (const Array& value : replicated.weights()[2].replica_values()) {
      EXPECT_TRUE(array_equal(value, eight.mean));
    }
  }
}

// C111: replicas count by their rows, also where each has its own statistics.
TEST(BatchNormalization, MovingStatisticsAreWeightedByRows) {
  const BatchNormalization layer({.momentum = 0});
  const Results eight = on_eight(layer, some_rows(9));  // 2 each, then 1, 0
  EXPECT_TRUE(allclose(eight.mean, mean(some_rows(9), {.axis = 0}),
                       {.rtol = 1e-5, .atol = 1e-5}));
  for (const Array& value : layer.weights()[3].replica_values()) {
    EXPECT_TRUE(array_equal(value, eight.variance));
  }
}

}  // namespace
}  // namespace systolic::layers
