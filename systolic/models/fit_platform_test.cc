// fit, evaluate and predict: epochs, steps, validation.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"

namespace systolic::models {
namespace {

using callbacks::History;
using callbacks::Logs;

// What the callback below saw.
struct Seen {
  std::vector<int> steps;           // of each epoch
  std::vector<int64_t> test_steps;  // of each evaluation
};

struct StepCounter : callbacks::CallbackBase {
  explicit StepCounter(Seen* seen) : seen(seen) {}
  void on_epoch_begin(int, const Logs&) override { seen->steps.push_back(0); }
  void on_train_batch_begin(int64_t, const Logs&) override {
    ++seen->steps.back();
  }
  void on_test_begin(const Logs&) override { seen->test_steps.push_back(0); }
  void on_test_batch_begin(int64_t, const Logs&) override {
    ++seen->test_steps.back();
  }
  Seen* seen;
};

struct StopAt : callbacks::CallbackBase {
  explicit StopAt(int64_t batch) : batch(batch) {}
  void on_train_batch_end(int64_t b, const Logs&) override {
    if (b == batch) model().set_stop_training(true);
  }
  int64_t batch;
};

// Data that end where only reading shows it.
data::Dataset unknown_length(const data::Dataset& dataset) {
  return dataset.filter([](Array, Array) { return true; });
}

TEST(FitPlatformTest, HistoryHasTheEpochsOfLossesAndMetrics) {
  const Sequential model = classifier();
  const History history =
      model.fit(batches(40, 8), {.epochs = 4,
                                 .verbose = Verbose::line,
                                 .validation_data = batches(16, 8),
                                 .initial_epoch = 1});
  EXPECT_EQ(history.epoch(), (std::vector<int>{1, 2, 3}));
  std::vector<std::string> names;
  for (const auto& [name, values] : history.history()) {
    names.push_back(name);
    EXPECT_EQ(values.size(), 3u) << name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "accuracy", "val_loss",
                                             "val_accuracy"}));
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_EQ(history.params().epochs, 4);
  EXPECT_EQ(history.params().steps, 5);
  EXPECT_EQ(history.params().verbose, 2);
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 15);
}

TEST(FitPlatformTest, ArraysAreShuffledUnlessTold) {
  const auto [x, y] = labelled_rows(70);
  const Sequential model = classifier();
  const History history = model.fit(x, y, {.verbose = Verbose::silent});
  EXPECT_EQ(history.params().steps, 3);
  const FitOptions in_order{.verbose = Verbose::silent, .shuffle = false};
  const History ordered = classifier().fit(x, y, in_order);
  const History dataset =
      classifier().fit(batches(70, 32), {.verbose = Verbose::silent});
  EXPECT_EQ(ordered["loss"], dataset["loss"]);
  EXPECT_NE(ordered["loss"], history["loss"]);
  const History pair = classifier().fit(std::pair(x, y), in_order);
  EXPECT_EQ(pair["loss"], dataset["loss"]);
}

TEST(FitPlatformTest, WeightsCountInLossButNotInPlainMetrics) {
  const auto [x, y] = labelled_rows(16);
  std::vector<float> first_half(16, 0.f);
  std::fill_n(first_half.begin(), 8, 1.f);
  const Array weights = Array::from(first_half);
  const auto evaluate = [&, x = x, y = y](const DataSource& data,
                                          const Array& sample_weight) {
    return classifier().evaluate(
        data, {.verbose = Verbose::silent, .sample_weight = sample_weight});
  };
  const std::vector<double> weighted = evaluate({x, y}, weights);
  const auto [half_x, half_y] = labelled_rows(8);
  const std::vector<double> half = evaluate({half_x, half_y}, {});
  // Keras divides by the rows, those of weight 0 included.
  EXPECT_NEAR(weighted[0], half[0] / 2, 1e-6);
  EXPECT_NEAR(weighted[1], evaluate({x, y}, {})[1], 1e-6);
  const History history = classifier().fit(
      x, y, {.verbose = Verbose::silent, .sample_weight = weights});
  EXPECT_NEAR(history["loss"][0], weighted[0], 1e-6);
}

TEST(FitPlatformTest, ValidationSplitKeepsTheLastRows) {
  const auto [x, y] = labelled_rows(40);
  const FitOptions split{.epochs = 1,
                         .verbose = Verbose::silent,
                         .validation_split = 0.25,
                         .shuffle = false};
  const Sequential model = classifier();
  const History history = model.fit(x, y, split);
  EXPECT_EQ(history.params().steps, 1);
  const Sequential same = classifier();
  same.fit(x.slice({Slice(0, 30)}), y.slice({Slice(0, 30)}),
           {.verbose = Verbose::silent, .shuffle = false});
  EXPECT_NEAR(history["val_loss"][0],
              same.evaluate(x.slice({Slice(30, 40)}), y.slice({Slice(30, 40)}),
                            {.verbose = Verbose::silent})[0],
              1e-6);
}

TEST(FitPlatformTest, StepsPerEpochGoOnInTheData) {
  Seen seen;
  const callbacks::Callback counter = callbacks::make<StepCounter>(&seen);
  const LogCapture log;
  classifier().fit(batches(32, 8).repeat(), {.epochs = 3,
                                             .verbose = Verbose::silent,
                                             .callbacks = {counter},
                                             .steps_per_epoch = 3});
  EXPECT_EQ(seen.steps, (std::vector<int>{3, 3, 3}));
  // Four batches are just enough for two epochs of two, then they start anew.
  for (const data::Dataset& four :
       {batches(32, 8), unknown_length(batches(32, 8))}) {
    seen = {};
    classifier().fit(four, {.epochs = 3,
                            .verbose = Verbose::silent,
                            .callbacks = {counter},
                            .steps_per_epoch = 2});
    EXPECT_EQ(seen.steps, (std::vector<int>{2, 2, 2}));
  }
  EXPECT_EQ(log.lines, std::vector<std::string>());
}

TEST(FitPlatformTest, DataThatEndInAnEpochEndTheTraining) {
  for (const data::Dataset& four :
       {batches(32, 8), unknown_length(batches(32, 8))}) {
    Seen seen;
    const LogCapture log;
    const History history = classifier().fit(
        four, {.epochs = 5,
               .verbose = Verbose::silent,
               .callbacks = {callbacks::make<StepCounter>(&seen)},
               .steps_per_epoch = 3});
    EXPECT_EQ(seen.steps, (std::vector<int>{3, 1}));
    EXPECT_EQ(history["loss"].size(), 2u);
    ASSERT_EQ(log.lines.size(), 1u);
    EXPECT_EQ(log.lines[0],
              "warning: fit: the data ended in epoch 2 of 5, after 1 of 3 "
              "steps\n"
              "  hint: use repeat(), or fewer steps or epochs");
  }
}

TEST(FitPlatformTest, FiniteDataNeedNoSteps) {
  Seen seen;
  const LogCapture log;
  const History history =
      classifier().fit(unknown_length(batches(20, 8)),
                       {.epochs = 2,
                        .verbose = Verbose::silent,
                        .callbacks = {callbacks::make<StepCounter>(&seen)},
                        .validation_data = unknown_length(batches(9, 8))});
  EXPECT_EQ(seen.steps, (std::vector<int>{3, 3}));
  EXPECT_EQ(seen.test_steps, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(history.params().steps, std::nullopt);
  EXPECT_EQ(log.lines, std::vector<std::string>());
}

TEST(FitPlatformTest, ValidationStartsAnewEachTime) {
  Seen seen;
  const data::Dataset validation = batches(40, 8);
  const Sequential model = classifier();
  const History history = model.fit(
      batches(16, 8), {.epochs = 4,
                       .verbose = Verbose::silent,
                       .callbacks = {callbacks::make<StepCounter>(&seen)},
                       .validation_data = validation,
                       .validation_steps = 2,
                       .validation_freq = 2});
  EXPECT_EQ(seen.test_steps, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(history["val_loss"].size(), 2u);
  EXPECT_EQ(history["loss"].size(), 4u);
  // The first two batches, both times.
  EXPECT_NEAR(
      history["val_loss"][1],
      model.evaluate(validation.take(2), {.verbose = Verbose::silent})[0],
      1e-6);
}

TEST(FitPlatformTest, MoreValidationStepsThanDataUseWhatThereIs) {
  Seen seen;
  const History history = classifier().fit(
      batches(16, 8), {.epochs = 3,
                       .verbose = Verbose::silent,
                       .callbacks = {callbacks::make<StepCounter>(&seen)},
                       .validation_data = batches(16, 8),
                       .validation_steps = 9});
  EXPECT_EQ(seen.test_steps, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(history["val_loss"].size(), 3u);
}

TEST(FitPlatformTest, EvaluateSaysWhenTheDataEndEarly) {
  const LogCapture log;
  classifier().evaluate(batches(16, 8),
                        {.verbose = Verbose::silent, .steps = 5});
  classifier().predict(batches(16, 8),
                       {.verbose = Verbose::silent, .steps = 2});
  EXPECT_EQ(log.lines,
            (std::vector<std::string>{
                "warning: evaluate: the data ended after 2 of 5 steps\n"
                "  hint: use repeat(), or ask for fewer steps"}));
}

TEST(FitPlatformTest, DroppedRemainderIsNotEvaluated) {
  const auto strategy = replicas(8);
  const auto scope = strategy.scope();
  const Sequential model = classifier();
  const EvaluateOptions options{.verbose = Verbose::silent};
  const std::vector<double> whole = model.evaluate(batches(16, 8), options);
  const std::vector<double> dropped =
      model.evaluate(batches(19, 8, {.drop_remainder = true}), options);
  EXPECT_EQ(whole, dropped);
  const std::string text = text_of<ValueError>([&] {
    model.evaluate(batches(5, 8, {.drop_remainder = true}), options);
  });
  EXPECT_TRUE(text.starts_with(
      "evaluate: expected at least one batch, got an empty data set\n"
      "  data set: batch\n"
      "  hint: with drop_remainder, a data set smaller than one batch is "
      "empty\n"
      "  at: fit_platform_test.cc:"))
      << text;
}

TEST(FitPlatformTest, StopTrainingEndsAfterTheBatch) {
  Seen seen;
  const Sequential model = classifier();
  const History history = model.fit(
      batches(40, 8), {.epochs = 3,
                       .verbose = Verbose::silent,
                       .callbacks = {callbacks::make<StepCounter>(&seen),
                                     callbacks::make<StopAt>(1)},
                       .validation_data = batches(24, 8)});
  EXPECT_EQ(seen.steps, (std::vector<int>{2}));
  // The evaluation is a whole one all the same.
  EXPECT_EQ(seen.test_steps, (std::vector<int64_t>{3}));
  EXPECT_EQ(history["val_loss"].size(), 1u);
  EXPECT_TRUE(model.stop_training());
  model.evaluate(batches(24, 8),
                 {.verbose = Verbose::silent,
                  .callbacks = {callbacks::make<StepCounter>(&seen)}});
  EXPECT_EQ(seen.test_steps, (std::vector<int64_t>{3, 3}));
  // The next fit starts without it.
  model.fit(batches(40, 8),
            {.verbose = Verbose::silent,
             .callbacks = {callbacks::make<StepCounter>(&seen)}});
  EXPECT_EQ(seen.steps, (std::vector<int>{2, 5}));
}

TEST(FitPlatformTest, PredictLooksAtInputsAlone) {
  const auto [x, y] = labelled_rows(3);
  const data::Dataset named = data::Dataset::from_tensor_slices(
                                  x, Array::from_strings({"a", "b", "c"}, {3}))
                                  .batch(2);
  const Sequential model = classifier();
  const PredictOptions options{.verbose = Verbose::silent};
  EXPECT_TRUE(
      array_equal(model.predict(named, options), model.predict(x, options)));
}

TEST(FitPlatformTest, EpochsOfZeroDoNothing) {
  const Sequential model = classifier();
  const std::vector<Array> before = model.get_weights();
  const History history =
      model.fit(batches(8, 8), {.epochs = 0, .verbose = Verbose::silent});
  EXPECT_TRUE(history.epoch().empty());
  EXPECT_TRUE(array_equal(model.get_weights()[0], before[0]));
}

}  // namespace
}  // namespace systolic::models
