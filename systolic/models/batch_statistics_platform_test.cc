// BatchNormalization inside fit: what replicas have in common, and what not.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

struct Outcome {
  std::vector<double> losses;
  std::vector<Array> weights;
};

Outcome fit(int replica_count, int64_t rows, bool synchronized,
            int64_t steps_per_execution = 1) {
  const distribute::Strategy strategy = replicas(replica_count);
  const auto scope = strategy.scope();
  set_random_seed(3);
  Sequential model({layers::Dense(5, {.input_shape = {4}}),
                    layers::BatchNormalization(
                        {.momentum = 0.5, .synchronized = synchronized}),
                    layers::Dense(3)});
  model.compile(
      {.optimizer = optimizers::SGD(0.1),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .steps_per_execution = steps_per_execution});
  const auto [x, y] = labelled_rows(rows);
  const callbacks::History history = model.fit(x, y,
                                               {.batch_size = 16,
                                                .epochs = 2,
                                                .verbose = Verbose::silent,
                                                .shuffle = false});
  return {history["loss"], model.get_weights()};
}

// Their updates are the same on all replicas, in a loop on the device, too.
TEST(BatchStatisticsPlatformTest, EightReplicasTrainAsOneWhereSynchronized) {
  for (const int64_t rows : {29, 35}) {
    SCOPED_TRACE(rows);
    const Outcome one = fit(1, rows, true);
    for (const int64_t steps : {1, 2}) {
      const Outcome eight = fit(8, rows, true, steps);
      EXPECT_LT(relative_difference(eight.losses, one.losses), 1e-5);
      for (size_t i = 0; i < one.weights.size(); ++i) {
        EXPECT_TRUE(allclose(eight.weights[i], one.weights[i],
                             {.rtol = 1e-4, .atol = 1e-5}))
            << i;
      }
    }
  }
}

// Two rows for each row of the batch, as a layer for each step makes them.
struct EachHalf : layers::LayerBase {
  Tensor call(Tensor x, layers::CallContext) override {
    const int64_t rows = x.shape()[0];
    return reshape(norm_(reshape(x, {rows * 2, 2})), {rows, 4});
  }
  layers::Layer norm_ = track(
      "norm",
      layers::BatchNormalization({.momentum = 0.5, .synchronized = true}));
};

TEST(BatchStatisticsPlatformTest, FillingIsLeftOutWhereTheBatchIsReshaped) {
  std::vector<std::vector<Array>> weights;
  for (const int devices : {1, 8}) {
    const distribute::Strategy strategy = replicas(devices);
    const auto scope = strategy.scope();
    set_random_seed(3);
    Sequential model(
        {layers::Input({4}), layers::make<EachHalf>(), layers::Dense(3)});
    model.compile(
        {.optimizer = optimizers::SGD(0.1),
         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    const auto [x, y] = labelled_rows(19);
    model.fit(x, y, {.batch_size = 19, .verbose = Verbose::silent});
    weights.push_back(model.get_weights());
  }
  for (size_t i = 0; i < weights[0].size(); ++i) {
    EXPECT_TRUE(
        allclose(weights[1][i], weights[0][i], {.rtol = 1e-4, .atol = 1e-5}))
        << i;
  }
}

struct OneRowMore : layers::LayerBase {
  Tensor call(Tensor x, layers::CallContext) override {
    const Tensor more = concatenate({x, ones({1, x.shape()[1]})}, 0);
    return norm_(more)[{Slice(1, x.shape()[0] + 1)}];
  }
  layers::Layer norm_ = track("norm", layers::BatchNormalization());
};

TEST(BatchStatisticsPlatformTest, OtherRowsThanTheBatchesAreRefused) {
  const distribute::Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  clear_session();
  Sequential model({layers::Input({4}), layers::make<OneRowMore>()});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string text = text_of<ShapeError>([&] {
    model.fit(Array::ones({19, 4}), Array::ones({19, 4}),
              {.batch_size = 19, .verbose = Verbose::silent});
  });
  EXPECT_TRUE(text.starts_with(
      "BatchNormalization \"one_row_more/batch_normalization\": expected the 3 "
      "rows of this replica along axis 0, or several for each, got 4\n"))
      << text;
}

TEST(BatchStatisticsPlatformTest, EachReplicaNormalizesItsOwnRowsElse) {
  const Outcome one = fit(1, 32, false);
  const Outcome eight = fit(8, 32, false, 2);
  EXPECT_GT(relative_difference(eight.losses, one.losses), 1e-3);
  for (const Array& weight : eight.weights) {
    for (const float value : weight.span<float>()) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace systolic::models
