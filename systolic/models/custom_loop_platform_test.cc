// Training loops of one's own, whole: losses and gradients as on one replica
// for batches of any size, how often they compile, and as fit trains.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/distribute/distribute.h"
#include "systolic/graph/tape.h"
#include "systolic/losses/losses.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

using distribute::Strategy;

data::Dataset rows_of(int64_t rows) {
  const auto [x, y] = labelled_rows(rows);
  return data::Dataset::from_tensor_slices(x, y);
}

// A small model with its optimizer and metrics, and one step of its training.
struct Loop {
  explicit Loop(const Strategy& of) : strategy(of) {
    set_random_seed(7);
    clear_session();
    const auto scope = strategy.scope();
    model = Sequential(
        {layers::Dense(5, {.activation = "tanh", .input_shape = {4}}),
         layers::Dense(3)});
    optimizer = optimizers::SGD(0.1);
    loss = metrics::Mean("loss");
    accuracy = metrics::SparseCategoricalAccuracy("accuracy");
    start = model.get_weights();
  }

  auto step() {
    return [this](Tensor x, Tensor y) {
      GradientTape tape;
      const Tensor logits = model(x, {.training = true});
      const Tensor each = losses::sparse_categorical_crossentropy(
          y, logits, {.from_logits = true});
      const Tensor average = nn::compute_average_loss(each);
      const auto variables = model.trainable_variables();
      optimizer.apply(tape.gradient(average, variables), variables);
      loss.update_state(each);
      accuracy.update_state(y, logits);
    };
  }

  // The loss, the accuracy and all weights after a pass.
  std::vector<double> pass(const data::Dataset& batches) {
    model.set_weights(start);
    loss.reset_state();
    accuracy.reset_state();
    for (auto batch : strategy.distribute_dataset(batches)) {
      strategy.run(step(), batch);
    }
    std::vector<double> values{loss.result().item<float>(),
                               accuracy.result().item<float>()};
    for (const Array& weight : model.get_weights()) {
      for (const float value : weight.span<float>()) values.push_back(value);
    }
    return values;
  }

  Strategy strategy;
  Sequential model;
  optimizers::Optimizer optimizer;
  metrics::Metric loss, accuracy;
  std::vector<Array> start;
};

TEST(CustomLoopPlatformTest, AnyBatchSizeIsAsOnOneReplica) {
  const Strategy eight = replicas(8);  // before the other's variables
  Loop one(distribute::get_strategy()), many(eight);
  for (int64_t batch = 1; batch <= 17; ++batch) {
    // A whole batch and, but for the size 1, a shorter one.
    const data::Dataset batches = rows_of(batch + batch / 2).batch(batch);
    const std::vector<double> wanted = one.pass(batches);
    const std::vector<double> got = many.pass(batches);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(std::isfinite(got[i])) << batch;
      // The weights differ from the first ones by the gradients.
      EXPECT_NEAR(got[i], wanted[i], 1e-5) << batch << ": " << i;
    }
  }
}

TEST(CustomLoopPlatformTest, LoopOfManyStepsCompilesOnce) {
  Loop loop(replicas(8));
  const auto dataset =
      loop.strategy.distribute_dataset(rows_of(16).batch(16).repeat());
  auto it = dataset.iterator();
  const auto step = loop.step();
  // The first call makes the variables of the optimizer, and their values.
  loop.strategy.run(step, it.next());
  const uint64_t before = compiles();
  for (int i = 0; i < 1'500; ++i) loop.strategy.run(step, it.next());
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(loop.optimizer.iterations().item<int32_t>(), 1'501);
}

TEST(CustomLoopPlatformTest, FiveEpochsWithAShortLastBatchCompileTwice) {
  Loop loop(replicas(8));
  const auto dataset = loop.strategy.distribute_dataset(rows_of(205).batch(80));
  const auto step = loop.step();
  // Values that are read outside, and first values, have programs as well.
  loop.pass(rows_of(32).batch(32));
  const uint64_t before = compiles();
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (auto batch : dataset) loop.strategy.run(step, batch);
  }
  EXPECT_EQ(compiles() - before, 2u);
}

TEST(CustomLoopPlatformTest, LoopOnTheDevicesTrainsAlike) {
  Loop loop(replicas(8));
  const data::Dataset batches = rows_of(93).batch(16);
  const std::vector<double> wanted = loop.pass(batches);
  loop.model.set_weights(loop.start);
  auto it = loop.strategy.distribute_dataset(batches).iterator();
  EXPECT_EQ(loop.strategy.run_steps(loop.step(), it, 100), 6);
  size_t i = 2;
  for (const Array& weight : loop.model.get_weights()) {
    for (const float value : weight.span<float>()) {
      EXPECT_NEAR(value, wanted[i++], 1e-6);
    }
  }
}

// fit, a loop of one's own, one replica and several: one loss.
TEST(CustomLoopPlatformTest, FitAndLoopAgree) {
  const data::Dataset batches = rows_of(48).batch(16);
  for (const int count : {1, 2, 4, 8}) {
    Loop loop(count == 1 ? distribute::get_strategy() : replicas(count));
    const std::vector<double> own = loop.pass(batches);
    loop.model.set_weights(loop.start);
    loop.model.compile(
        {.optimizer = optimizers::SGD(0.1),
         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
         .metrics = {"accuracy"}});
    const auto history = loop.model.fit(batches, {.verbose = Verbose::silent});
    EXPECT_NEAR(history["loss"][0], own[0], 1e-6) << count;
    EXPECT_NEAR(history["accuracy"][0], own[1], 1e-6) << count;
  }
}

}  // namespace
}  // namespace systolic::models
