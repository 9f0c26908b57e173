// Steps in one launch: the same results for any number of them, the programs
// that they take, callbacks, and what ends an execution.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/runtime/counters.h"

namespace systolic::models {
namespace {

using callbacks::CallbackBase;
using callbacks::Logs;

const FitOptions kQuiet{.verbose = Verbose::silent};

// The batches that hooks were called with.
struct Hooks : CallbackBase {
  explicit Hooks(std::vector<std::string>* seen) : seen(seen) {}
  void on_train_batch_begin(int64_t batch, const Logs&) override {
    seen->push_back("begin " + std::to_string(batch));
  }
  void on_train_batch_end(int64_t batch, const Logs&) override {
    seen->push_back("end " + std::to_string(batch));
  }
  std::vector<std::string>* seen;
};

struct StopAtOnce : CallbackBase {
  void on_train_batch_end(int64_t, const Logs&) override {
    model().set_stop_training(true);
  }
};

int64_t iterations(const Sequential& model) {
  return model.optimizer().iterations().item<int64_t>();
}

TEST(StepsPerExecutionPlatformTest, AnyNumberOfStepsTakesTheSameProgram) {
  const data::Dataset endless = batches(8 * 8, 8).repeat();
  for (const int64_t steps : {1, 7, 50, 64, 100}) {
    const Sequential model = classifier({.steps_per_execution = steps});
    const auto fit = [&](int64_t count) {
      model.fit(endless,
                {.verbose = Verbose::silent, .steps_per_epoch = count});
    };
    const uint64_t before = compiles();
    fit(3);
    // First values and the step, where another model had none like it.
    EXPECT_LE(compiles() - before, 5u) << steps;
    const uint64_t first = compiles();
    for (const int64_t count : {1, 2, 8, 13, 70, 130}) fit(count);
    EXPECT_EQ(compiles(), first) << steps;
    EXPECT_EQ(iterations(model), 3 + 1 + 2 + 8 + 13 + 70 + 130) << steps;
  }
}

// Batches of sizes that no other test has: programs are shared by all models
// of a process.
TEST(StepsPerExecutionPlatformTest, RaggedLastBatchTakesOneProgramMore) {
  for (const int64_t steps : {1, 5}) {
    const Sequential model = classifier({.steps_per_execution = steps});
    model.fit(batches(4 * 26, 26), kQuiet);
    const uint64_t before = compiles();
    model.fit(batches(4 * 26 + 15, 26),
              {.epochs = 5, .verbose = Verbose::silent});
    EXPECT_EQ(compiles() - before, 1u) << steps;
  }
}

TEST(StepsPerExecutionPlatformTest, ValidationTakesOneProgramForAllEpochs) {
  for (const int64_t steps : {1, 5}) {
    const Sequential model = classifier({.steps_per_execution = steps});
    model.fit(batches(4 * 8, 8), kQuiet);
    const uint64_t before = compiles();
    model.fit(batches(4 * 8, 8), {.epochs = 10,
                                  .verbose = Verbose::silent,
                                  .validation_data = batches(3 * 22, 22)});
    EXPECT_EQ(compiles() - before, 1u) << steps;
  }
}

TEST(StepsPerExecutionPlatformTest, EvaluateAndPredictGiveTheSame) {
  for (const int count : {1, 8}) {
    const distribute::Strategy strategy = replicas(count);
    const auto scope = strategy.scope();
    const data::Dataset dataset = batches(10 * 8 + 3, 8);
    const Sequential single = classifier();
    const std::vector<double> values =
        single.evaluate(dataset, {.verbose = Verbose::silent});
    const Array predicted =
        single.predict(dataset, {.verbose = Verbose::silent});
    for (const int64_t steps : {3, 7, 11}) {
      const Sequential model = classifier({.steps_per_execution = steps});
      EXPECT_LT(
          relative_difference(
              model.evaluate(dataset, {.verbose = Verbose::silent}), values),
          1e-6)
          << steps;
      const Array got = model.predict(dataset, {.verbose = Verbose::silent});
      ASSERT_EQ(got.shape(), (Shape{83, 3}));
      EXPECT_TRUE(allclose(got, predicted, {.rtol = 1e-6, .atol = 1e-6}))
          << steps;
    }
  }
}

TEST(StepsPerExecutionPlatformTest, PredictTakesSeveralStepsInALaunch) {
  const auto launches = [](int64_t steps) {
    const Sequential model = classifier({.steps_per_execution = steps});
    const Array x = labelled_rows(12 * 8).first;
    const PredictOptions options{.batch_size = 8, .verbose = Verbose::silent};
    model.predict(x, options);
    const uint64_t before = internal::runtime::counters().launches;
    model.predict(x, options);
    return internal::runtime::counters().launches - before;
  };
  EXPECT_EQ(launches(1), 12u);
  EXPECT_EQ(launches(4), 3u);
}

TEST(StepsPerExecutionPlatformTest, ExecutionOfSeveralLaunchesHasOneHookEach) {
  std::vector<std::string> seen;
  const Sequential model = classifier({.steps_per_execution = 100});
  // 70 steps and one of another shape: three launches.
  model.fit(batches(70 * 8 + 3, 8),
            {.verbose = Verbose::silent,
             .callbacks = {callbacks::make<Hooks>(&seen)}});
  EXPECT_EQ(seen, (std::vector<std::string>{"begin 0", "end 70"}));
  EXPECT_EQ(iterations(model), 71);
}

TEST(StepsPerExecutionPlatformTest, StopTrainingEndsAfterTheExecution) {
  const Sequential model = classifier({.steps_per_execution = 3});
  model.fit(batches(10 * 8, 8), {.epochs = 3,
                                 .verbose = Verbose::silent,
                                 .callbacks = {callbacks::make<StopAtOnce>()}});
  EXPECT_EQ(iterations(model), 3);
}

// A pipeline that fails in the row of this number, in each pass.
data::Dataset failing_at(int* row, int bad) {
  const auto [x, y] = labelled_rows(80);
  return data::Dataset::from_tensor_slices(x, y)
      .map([row, bad](Array features, Array label) {
        if ((*row)++ == bad) throw std::runtime_error("a broken file");
        return std::pair(features, label);
      })
      .batch(8);
}

TEST(StepsPerExecutionPlatformTest, DataErrorLeavesTheStepsBeforeAndNamesIts) {
  for (const int64_t steps : {1, 3}) {
    int row = 0;
    std::vector<std::string> seen;
    // The sixth batch fails: the third of a chunk of three.
    const data::Dataset failing = failing_at(&row, 5 * 8 + 2);
    const Sequential model = classifier({.steps_per_execution = steps});
    row = 0;
    const std::string message = text_of<DataError>([&] {
      model.fit(failing, {.verbose = Verbose::silent,
                          .callbacks = {callbacks::make<Hooks>(&seen)}});
    });
    EXPECT_NE(message.find("a broken file"), std::string::npos) << message;
    EXPECT_NE(message.find("\n  in: fit, epoch 1, step 6"), std::string::npos)
        << message;
    EXPECT_EQ(iterations(model), 5) << steps;
    // What was begun has ended.
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back(), "end 4");
  }
}

TEST(StepsPerExecutionPlatformTest, DataErrorsOfEvaluateNameTheirStep) {
  int row = 0;
  const data::Dataset failing = failing_at(&row, 3 * 8);
  const Sequential model = classifier({.steps_per_execution = 2});
  row = 0;
  const std::string evaluated = text_of<DataError>(
      [&] { model.evaluate(failing, {.verbose = Verbose::silent}); });
  EXPECT_NE(evaluated.find("\n  in: evaluate, step 4"), std::string::npos)
      << evaluated;
  row = 0;
  const std::string predicted = text_of<DataError>(
      [&] { model.predict(failing, {.verbose = Verbose::silent}); });
  EXPECT_NE(predicted.find("\n  in: predict, step 4"), std::string::npos)
      << predicted;
}

TEST(StepsPerExecutionPlatformTest, AllFirstValuesAreOneProgram) {
  // The metrics' results are the same program for all models.
  classifier().fit(batches(8, 8), kQuiet);
  set_random_seed(7);
  clear_session();
  // Of shapes that no other test has, with slots and metrics.
  Sequential model({layers::Dense(13, {.input_shape = {4}}), layers::Dense(11),
                    layers::Dense(3)});
  model.compile(
      {.optimizer = optimizers::Adam(0.01),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
  const auto [x, y] = labelled_rows(8);
  const uint64_t before = compiles();
  model.fit(x, y, {.verbose = Verbose::silent});
  // First values of weights, slots and metrics; the step.
  EXPECT_EQ(compiles() - before, 2u);
}

}  // namespace
}  // namespace systolic::models
