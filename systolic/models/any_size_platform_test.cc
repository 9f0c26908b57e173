// A data set of any size: nothing is trimmed, no number is wrong, rows stay in
// order, on one device and on eight replicas, in launches of one step and of
// several. No program is compiled but one for each shape of a batch.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"

namespace systolic::models {
namespace {

constexpr int64_t kBatch = 16;

// 1 ... 3 * replicas + 1, and 1,000 and what is above it.
std::vector<int64_t> sizes() {
  std::vector<int64_t> rows;
  for (int64_t n = 1; n <= 25; ++n) rows.push_back(n);
  for (int64_t n = 1000; n <= 1008; ++n) rows.push_back(n);
  return rows;
}

// Weights after a fit, the values of it and of evaluate, and predictions.
struct Outcome {
  std::vector<double> fitted, evaluated;
  std::vector<Array> weights;
  Array predicted;
};

// A model that always starts with the same weights.
struct Subject {
  explicit Subject(int64_t steps_per_execution) {
    set_random_seed(7);
    clear_session();
    model.add(layers::Dense(3, {.input_shape = {4}}));
    model.compile(
        {.optimizer = optimizers::SGD(0.1),
         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
         .metrics = {"accuracy"},
         .steps_per_execution = steps_per_execution});
    start = model.get_weights();
  }

  Outcome run(int64_t rows) const {
    const auto [x, y] = labelled_rows(rows);
    model.set_weights(start);
    Outcome outcome;
    const EvaluateOptions options{.batch_size = kBatch,
                                  .verbose = Verbose::silent};
    outcome.evaluated = model.evaluate(x, y, options);
    outcome.predicted =
        model.predict(x, {.batch_size = kBatch, .verbose = Verbose::silent});
    const callbacks::History history = model.fit(
        x, y,
        {.batch_size = kBatch, .verbose = Verbose::silent, .shuffle = false});
    outcome.fitted = {history["loss"][0], history["accuracy"][0]};
    outcome.weights = model.get_weights();
    return outcome;
  }

  Sequential model;
  std::vector<Array> start;
};

const std::vector<Outcome>& one_device() {
  static const auto* outcomes = [] {
    const Subject subject(1);
    auto* all = new std::vector<Outcome>;
    for (const int64_t rows : sizes()) all->push_back(subject.run(rows));
    return all;
  }();
  return *outcomes;
}

void expect_same(const Outcome& got, const Outcome& wanted, int64_t rows) {
  SCOPED_TRACE(rows);
  EXPECT_LT(relative_difference(got.evaluated, wanted.evaluated), 1e-6);
  EXPECT_LT(relative_difference(got.fitted, wanted.fitted), 1e-6);
  ASSERT_EQ(got.predicted.shape(), (Shape{rows, 3}));
  EXPECT_TRUE(
      allclose(got.predicted, wanted.predicted, {.rtol = 1e-5, .atol = 1e-6}));
  for (size_t i = 0; i < got.weights.size(); ++i) {
    EXPECT_TRUE(allclose(got.weights[i], wanted.weights[i],
                         {.rtol = 1e-4, .atol = 1e-6}));
  }
}

// Compilations of a walk through all sizes, which a second walk must not have.
uint64_t walk(int replica_count, int64_t steps_per_execution) {
  const std::vector<Outcome>& wanted = one_device();  // outside of the scope
  const distribute::Strategy strategy = replicas(replica_count);
  const auto scope = strategy.scope();
  const Subject subject(steps_per_execution);
  // The programs of first values and of metrics' results do not count: a batch
  // of another shape makes them.
  const auto [x, y] = labelled_rows(32);
  subject.model.fit(x, y, {.batch_size = 32, .verbose = Verbose::silent});
  const uint64_t before = compiles();
  for (size_t i = 0; i < sizes().size(); ++i) {
    expect_same(subject.run(sizes()[i]), wanted[i], sizes()[i]);
  }
  const uint64_t compiled = compiles() - before;
  for (const int64_t rows : {3, 13, 16, 25, 1001}) subject.run(rows);
  EXPECT_EQ(compiles() - before, compiled);
  return compiled;
}

TEST(AnySizePlatformTest, OneDeviceInLaunchesOfSeveralSteps) {
  // Each of the sixteen shapes of a batch, for fit, evaluate and predict.
  EXPECT_EQ(walk(1, 4), 48u);
}

// A replica has one row or two, all of them real or not, for fit and evaluate;
// predict does not ask which are real.
constexpr uint64_t kReplicatedPrograms = 4 + 4 + 2;

TEST(AnySizePlatformTest, EightReplicas) {
  EXPECT_EQ(walk(8, 1), kReplicatedPrograms);
}

TEST(AnySizePlatformTest, EightReplicasInLaunchesOfSeveralSteps) {
  EXPECT_EQ(walk(8, 4), kReplicatedPrograms);
}

TEST(AnySizePlatformTest, PredictionsAreTheRowsInTheirOrder) {
  // The model's value is its input.
  const distribute::Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  for (const int64_t steps : {1, 3}) {
    Sequential model({layers::Flatten({.input_shape = {1}})});
    model.compile(
        {.optimizer = "sgd", .loss = "mse", .steps_per_execution = steps});
    for (int64_t rows = 1000; rows <= 1008; ++rows) {
      std::vector<float> numbers;
      for (int64_t i = 0; i < rows; ++i) {
        numbers.push_back(static_cast<float>(i));
      }
      const Array x = Array::from(numbers, {rows, 1});
      EXPECT_TRUE(array_equal(
          model.predict(x, {.batch_size = 100, .verbose = Verbose::silent}), x))
          << rows << ", " << steps;
    }
  }
}

}  // namespace
}  // namespace systolic::models
