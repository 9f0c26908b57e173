// MirroredStrategy over virtual devices of the CPU, as a whole: fit, evaluate,
// predict and loops of one's own train as on one device.
#include <gtest/gtest.h>

#include <string>

#include "systolic/array/array.h"
#include "systolic/distribute/distribute.h"
#include "systolic/graph/function.h"
#include "systolic/graph/tape.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

using distribute::Strategy;

const Verbose kSilent = Verbose::silent;

Strategy mirrored(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("CPU:" + std::to_string(i));
  return distribute::MirroredStrategy(names);
}

// A model with dropout's seeds, batch statistics over all replicas, and state.
Sequential model_of_all() {
  set_random_seed(7);
  clear_session();
  Sequential model(
      {layers::Dense(8, {.activation = "relu", .input_shape = {4}}),
       layers::BatchNormalization({.synchronized = true}), layers::Dense(3)});
  model.compile(
      {.optimizer = optimizers::Adam(0.01),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
  return model;
}

// The history, an evaluation, a prediction and all weights, as numbers.
std::vector<double> whole(const Strategy& strategy) {
  const auto scope = strategy.scope();
  const Sequential model = model_of_all();
  const auto history = model.fit(
      batches(45, 16),
      {.epochs = 3, .verbose = kSilent, .validation_data = batches(21, 8)});
  std::vector<double> all;
  for (const char* name : {"loss", "accuracy", "val_loss", "val_accuracy"}) {
    for (const double value : history[name]) all.push_back(value);
  }
  for (const double value :
       model.evaluate(batches(19, 8), {.verbose = kSilent})) {
    all.push_back(value);
  }
  const Array predicted = model.predict(batches(11, 4), {.verbose = kSilent});
  for (const float value : predicted.span<float>()) all.push_back(value);
  for (const Array& weight : model.get_weights()) {
    for (const float value : weight.span<float>()) all.push_back(value);
  }
  return all;
}

void expect_near(const std::vector<double>& got,
                 const std::vector<double>& wanted, int replicas) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], 2e-4) << replicas << ": " << i;
  }
}

TEST(MirroredPlatformTest, FitEvaluateAndPredictAreAsOnOneDevice) {
  const std::vector<double> wanted = whole(distribute::get_strategy());
  for (const int count : {1, 2, 3, 4}) {
    expect_near(whole(mirrored(count)), wanted, count);
  }
}

// The losses of a loop's steps, recorded at each call or once.
std::vector<double> loop(const Strategy& strategy, bool is_function) {
  const auto scope = strategy.scope();
  set_random_seed(7);
  clear_session();
  const Sequential model(
      {layers::Dense(5, {.activation = "tanh", .input_shape = {4}}),
       layers::Dense(3)});
  const optimizers::SGD optimizer(0.1);
  const auto code = [&](Tensor x, Tensor y) {
    GradientTape tape;
    const Tensor logits = model(x, {.training = true});
    const Tensor loss =
        nn::compute_average_loss(losses::sparse_categorical_crossentropy(
            y, logits, {.from_logits = true}));
    const auto variables = model.trainable_variables();
    optimizer.apply(tape.gradient(loss, variables), variables);
    return loss;
  };
  const auto recorded = function(code);
  std::vector<double> losses;
  const auto dataset = strategy.distribute_dataset(batches(45, 16));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto batch : dataset) {
      const PerReplica loss = is_function ? strategy.run(recorded, batch)
                                          : strategy.run(code, batch);
      losses.push_back(strategy.reduce(ReduceOp::sum, loss).item<float>());
    }
  }
  for (const Array& weight : model.get_weights()) {
    for (const float value : weight.span<float>()) losses.push_back(value);
  }
  return losses;
}

TEST(MirroredPlatformTest, LoopsOfOnesOwnAreAsOnOneDevice) {
  const std::vector<double> wanted = loop(distribute::get_strategy(), false);
  for (const int count : {1, 2, 3, 4}) {
    expect_near(loop(mirrored(count), false), wanted, count);
    expect_near(loop(mirrored(count), true), wanted, count);
  }
}

TEST(MirroredPlatformTest, VariablesOfAnotherStrategyAreRefused) {
  const Strategy two = mirrored(2), four = mirrored(4);
  const auto scope = two.scope();
  Variable v(constant(1.0), {.aggregation = VariableAggregation::sum});
  const std::string text = text_of<ValueError>(
      [&] { four.run([&] { v.assign_add(constant(1.0)); }); });
  EXPECT_NE(text.find("MirroredStrategy"), std::string::npos) << text;
}

}  // namespace
}  // namespace systolic::models
