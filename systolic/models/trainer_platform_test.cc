// The loops on devices: steps per execution, replicas, any number of rows,
// and how many programs are compiled.
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/models/test_helpers.h"
#include "systolic/models/trainer.h"
#include "systolic/pjrt/handle.h"
#include "systolic/runtime/memory.h"

namespace systolic::models {
namespace {

// Losses of single steps, as a callback sees them.
struct LossRecorder : callbacks::CallbackBase {
  explicit LossRecorder(std::vector<double>* losses) : losses(losses) {}
  void on_train_batch_end(int64_t, const callbacks::Logs& logs) override {
    losses->push_back(logs.at("loss"));
  }
  std::vector<double>* losses;
};

std::vector<double> step_losses(const Sequential& model,
                                const data::Dataset& dataset) {
  std::vector<double> losses;
  model.fit(dataset, {.verbose = Verbose::silent,
                      .callbacks = {callbacks::make<LossRecorder>(&losses)}});
  return losses;
}

struct Trained {
  callbacks::History history;
  std::vector<Array> weights;
  int64_t iterations;
};

Trained train(const ClassifierOptions& options, const data::Dataset& dataset,
              int epochs = 2) {
  const Sequential model = classifier(options);
  const callbacks::History history =
      model.fit(dataset, {.epochs = epochs, .verbose = Verbose::silent});
  return {history, model.get_weights(),
          model.optimizer().iterations().item<int64_t>()};
}

TEST(TrainerPlatformTest, StepsPerExecutionChangesNothing) {
  // 53 batches, and a last one that is shorter.
  const data::Dataset dataset = batches(53 * 8 + 3, 8);
  const Trained one = train({}, dataset);
  EXPECT_EQ(one.iterations, 108);
  for (const int64_t steps : {3, 7, 50}) {
    const Trained many = train({.steps_per_execution = steps}, dataset);
    EXPECT_EQ(many.iterations, one.iterations) << steps;
    for (const char* name : {"loss", "accuracy"}) {
      EXPECT_LT(relative_difference(many.history[name], one.history[name]),
                1e-4)
          << name << ", " << steps;
    }
  }
}

TEST(TrainerPlatformTest, StepsPerExecutionOnReplicas) {
  const auto scope = replicas(8).scope();
  const data::Dataset dataset = batches(12 * 16 + 5, 16);
  const Trained one = train({}, dataset);
  const Trained five = train({.steps_per_execution = 5}, dataset);
  EXPECT_EQ(five.iterations, 26);
  EXPECT_LT(relative_difference(five.history["loss"], one.history["loss"]),
            1e-4);
}

TEST(TrainerPlatformTest, ReplicasTrainAsOneDevice) {
  for (const double dropout : {0.0, 0.5}) {
    // The ninth batch is not a multiple of the replicas.
    const data::Dataset dataset =
        batches(20 * 24, 24).concatenate(batches(13, 13));
    const std::vector<double> one =
        step_losses(classifier({.dropout = dropout}), dataset);
    const auto scope = replicas(8).scope();
    const std::vector<double> eight =
        step_losses(classifier({.dropout = dropout}), dataset);
    ASSERT_EQ(eight.size(), 21u);
    EXPECT_LT(relative_difference(one, eight), 1e-4) << dropout;
  }
}

TEST(TrainerPlatformTest, ReplicasStayTheSameBitByBit) {
  const auto scope = replicas(8).scope();
  const Sequential model = classifier({.dropout = 0.3});
  model.fit(batches(100, 16), {.epochs = 2, .verbose = Verbose::silent});
  std::vector<Variable> state = model.weights();
  for (const Variable& variable : model.optimizer().variables()) {
    state.push_back(variable);
  }
  for (const Variable& variable : state) {
    const std::vector<Array> values = variable.replica_values();
    ASSERT_EQ(values.size(), 8u) << variable.path();
    for (const Array& value : values) {
      EXPECT_TRUE(array_equal(value, values[0])) << variable.path();
    }
  }
}

TEST(TrainerPlatformTest, SameSeedGivesTheSameHistoryToTheLastBit) {
  for (const int count : {1, 8}) {
    const auto strategy = replicas(count);
    const auto scope = strategy.scope();
    const auto [x, y] = labelled_rows(100);
    const auto run = [&, x = x, y = y] {
      const Sequential model = classifier({.dropout = 0.5});
      return model.fit(
          x, y, {.batch_size = 16, .epochs = 3, .verbose = Verbose::silent});
    };
    const callbacks::History first = run(), second = run();
    EXPECT_EQ(first["loss"], second["loss"]) << count;
    EXPECT_EQ(first["accuracy"], second["accuracy"]) << count;
  }
}

TEST(TrainerPlatformTest, AnyNumberOfRowsIsEvaluatedAndPredicted) {
  const Sequential single = classifier();
  const auto scope = replicas(8).scope();
  const Sequential model = classifier();
  for (const int64_t rows : {1, 7, 8, 9, 16, 17, 25}) {
    const auto [x, y] = labelled_rows(rows);
    const EvaluateOptions options{.verbose = Verbose::silent};
    EXPECT_LT(relative_difference(model.evaluate(x, y, options),
                                  single.evaluate(x, y, options)),
              1e-6)
        << rows;
    const Array got = model.predict(x, {.verbose = Verbose::silent});
    ASSERT_EQ(got.shape(), (Shape{rows, 3}));
    EXPECT_TRUE(allclose(got, single.predict(x, {.verbose = Verbose::silent}),
                         {.rtol = 1e-5, .atol = 1e-6}))
        << rows;
  }
}

TEST(TrainerPlatformTest, AnyNumberOfRowsTrains) {
  const auto strategy = replicas(8);
  for (const int64_t rows : {1, 7, 9, 25}) {
    const auto [x, y] = labelled_rows(rows);
    const FitOptions options{.batch_size = 8,
                             .epochs = 2,
                             .verbose = Verbose::silent,
                             .shuffle = false};
    const callbacks::History one = classifier().fit(x, y, options);
    const auto scope = strategy.scope();
    const Sequential model = classifier();
    const callbacks::History eight = model.fit(x, y, options);
    EXPECT_LT(relative_difference(one["loss"], eight["loss"]), 1e-4) << rows;
    for (const Array& weight : model.get_weights()) {
      for (const float value : weight.span<float>()) {
        EXPECT_TRUE(std::isfinite(value)) << rows;
      }
    }
  }
}

TEST(TrainerPlatformTest, PredictReturnsExactlyTheRowsInOrder) {
  // The model's value is its input.
  Array kernel = Array::from({1.f}, {1, 1});
  const auto scope = replicas(8).scope();
  Sequential model({layers::Dense(1, {.use_bias = false, .input_shape = {1}})});
  model.set_weights({kernel});
  for (int64_t rows = 1000; rows <= 1008; ++rows) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < rows; ++i) numbers.push_back(static_cast<float>(i));
    const Array x = Array::from(numbers, {rows, 1});
    const Array got =
        model.predict(x, {.batch_size = 100, .verbose = Verbose::silent});
    EXPECT_TRUE(array_equal(got, x)) << rows;
  }
}

TEST(TrainerPlatformTest, EvaluateHonoursStepsPerExecution) {
  const data::Dataset dataset = batches(10 * 8 + 3, 8);
  const std::vector<double> one =
      classifier().evaluate(dataset, {.verbose = Verbose::silent});
  for (const int64_t steps : {3, 7, 100}) {
    const Sequential model = classifier({.steps_per_execution = steps});
    EXPECT_LT(relative_difference(
                  model.evaluate(dataset, {.verbose = Verbose::silent}), one),
              1e-6)
        << steps;
    EXPECT_EQ(model.predict(dataset, {.verbose = Verbose::silent}).shape(),
              (Shape{83, 3}));
  }
}

// Compilations in each of five epochs with validation.
std::vector<uint64_t> compiles_by_epoch(int64_t steps_per_execution) {
  struct Counter : callbacks::CallbackBase {
    explicit Counter(std::vector<uint64_t>* counts) : counts(counts) {}
    void on_epoch_begin(int, const callbacks::Logs&) override {
      before = compiles();
    }
    void on_epoch_end(int, const callbacks::Logs&) override {
      counts->push_back(compiles() - before);
    }
    std::vector<uint64_t>* counts;
    uint64_t before = 0;
  };
  std::vector<uint64_t> counts;
  const Sequential model =
      classifier({.steps_per_execution = steps_per_execution});
  model.fit(batches(8 * 4 + 3, 8),
            {.epochs = 5,
             .verbose = Verbose::silent,
             .callbacks = {callbacks::make<Counter>(&counts)},
             .validation_data = batches(16, 8)});
  return counts;
}

TEST(TrainerPlatformTest, ProgramsAreCompiledOnce) {
  // Train, the ragged last batch, evaluate: one each; and the first values of
  // the weights, and the result of the metrics, one for all.
  const std::vector<uint64_t> single = compiles_by_epoch(1);
  EXPECT_LE(single[0], 5u);
  const std::vector<uint64_t> chunked = compiles_by_epoch(3);
  EXPECT_LE(chunked[0], 5u);
  const std::vector<uint64_t> none(4, 0);
  EXPECT_EQ(std::vector(single.begin() + 1, single.end()), none);
  EXPECT_EQ(std::vector(chunked.begin() + 1, chunked.end()), none);
}

TEST(TrainerPlatformTest, ProgramsAreCompiledOnceOnReplicas) {
  const auto scope = replicas(8).scope();
  const std::vector<uint64_t> counts = compiles_by_epoch(1);
  EXPECT_LE(counts[0], 5u);
  EXPECT_EQ(std::vector(counts.begin() + 1, counts.end()),
            std::vector<uint64_t>(4, 0));
}

TEST(TrainerPlatformTest, AnotherLearningRateNeedsNoOtherProgram) {
  const auto [x, y] = labelled_rows(8);
  const Sequential model = classifier();
  model.train_on_batch(x, y);
  const std::vector<Array> before = model.get_weights();
  model.optimizer().set_learning_rate(0.0);
  const uint64_t compiled = compiles();
  model.train_on_batch(x, y);
  EXPECT_EQ(compiles(), compiled);
  EXPECT_TRUE(array_equal(model.get_weights()[0], before[0]));
}

TEST(TrainerPlatformTest, DataErrorLeavesTheStepsBefore) {
  const auto [x, y] = labelled_rows(40);
  int row = 0;
  const data::Dataset failing =
      data::Dataset::from_tensor_slices(x, y)
          .map([&row](Array features, Array label) {
            if (++row > 20) throw std::runtime_error("a broken file");
            return std::pair(features, label);
          })
          .batch(8);
  const Sequential model = classifier();
  row = 0;
  const std::string message =
      text_of<Error>([&] { model.fit(failing, {.verbose = Verbose::silent}); });
  EXPECT_NE(message.find("a broken file"), std::string::npos) << message;
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 2);
}

TEST(TrainerPlatformTest, ModelsThatAreGoneLeaveNothingOnTheDevices) {
  const auto run = [] {
    classifier().fit(batches(16, 8), {.verbose = Verbose::silent,
                                      .validation_data = batches(8, 8)});
  };
  run();
  const int64_t before = internal::pjrt::live_handles().buffers;
  for (int i = 0; i < 20; ++i) run();
  EXPECT_EQ(internal::pjrt::live_handles().buffers, before);
}

TEST(TrainerPlatformTest, PredictingForLongTakesNoMoreMemory) {
  const Array x = labelled_rows(8).first;
  const Sequential model = classifier();
  const auto run = [&] {
    for (int i = 0; i < 1000; ++i) model.predict_on_batch(x);
    return internal::runtime::process_memory().bytes_in_use;
  };
  const int64_t before = run();
  EXPECT_LT(run() - before, 5 << 20);
}

// Counts how often it is recorded.
struct CallCounter : layers::LayerBase {
  explicit CallCounter(int* calls) : calls(calls) {}
  std::string_view class_name() const override { return "CallCounter"; }
  Tensor call(Tensor x, layers::CallContext) override {
    ++*calls;
    return x;
  }
  int* calls;
};

TEST(TrainerPlatformTest, StepsThatRepeatAreNotRecorded) {
  const data::Dataset dataset = batches(20 * 8, 8);
  for (const int64_t per_execution : {1, 4}) {
    int calls = 0;
    const Sequential repeated =
        classifier({.steps_per_execution = per_execution, .dropout = 0.5});
    repeated.add(layers::make<CallCounter>(&calls));
    repeated.fit(dataset, {.epochs = 3, .verbose = Verbose::silent});
    // Twice in each epoch, and for the shapes when the layer was added.
    EXPECT_LE(calls, 3 * 2 + 2);
    // One batch a call, so that each step is recorded.
    const Sequential recorded = classifier({.dropout = 0.5});
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (const data::Element& batch : dataset) {
        recorded.train_on_batch(batch[0].array(), batch[1].array());
      }
    }
    const std::vector<Array> weights = repeated.get_weights();
    for (size_t i = 0; i < weights.size(); ++i) {
      const Array error = max(abs(weights[i] - recorded.get_weights()[i]));
      // The compiler may add in another order inside a loop.
      EXPECT_LE(error.item<float>(), per_execution == 1 ? 0.f : 1e-4f)
          << per_execution << ", " << i;
    }
  }
}

}  // namespace
}  // namespace systolic::models
