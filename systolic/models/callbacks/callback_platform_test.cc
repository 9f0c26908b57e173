// The hooks in Keras's order with Keras's arguments, and what they may do.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/runtime/counters.h"

namespace systolic::models {
namespace {

using callbacks::CallbackBase;
using callbacks::Logs;

// Writes each hook down, with its argument and the names in its logs.
struct Recorder : CallbackBase {
  explicit Recorder(std::vector<std::string>* calls) : calls(calls) {}
  void add(const std::string& hook, const Logs& logs) {
    std::string text = hook;
    for (const auto& [name, value] : logs) text += " " + name;
    calls->push_back(text);
  }
  void add(const std::string& hook, int64_t index, const Logs& logs) {
    add(hook + " " + std::to_string(index), logs);
  }
  void on_train_begin(const Logs& l) override { add("train begin", l); }
  void on_train_end(const Logs& l) override { add("train end", l); }
  void on_test_begin(const Logs& l) override { add("test begin", l); }
  void on_test_end(const Logs& l) override { add("test end", l); }
  void on_predict_begin(const Logs& l) override { add("predict begin", l); }
  void on_predict_end(const Logs& l) override { add("predict end", l); }
  void on_epoch_begin(int i, const Logs& l) override {
    add("epoch begin", i, l);
  }
  void on_epoch_end(int i, const Logs& l) override { add("epoch end", i, l); }
  void on_batch_begin(int64_t i, const Logs& l) override {
    add("batch begin", i, l);
  }
  void on_batch_end(int64_t i, const Logs& l) override {
    add("batch end", i, l);
  }
  void on_test_batch_begin(int64_t i, const Logs& l) override {
    add("test batch begin", i, l);
  }
  void on_test_batch_end(int64_t i, const Logs& l) override {
    add("test batch end", i, l);
  }
  void on_predict_batch_begin(int64_t i, const Logs& l) override {
    add("predict batch begin", i, l);
  }
  void on_predict_batch_end(int64_t i, const Logs& l) override {
    add("predict batch end", i, l);
  }
  std::vector<std::string>* calls;
};

using Calls = std::vector<std::string>;

TEST(CallbackPlatformTest, FitWithValidationCallsTheHooksInKerasOrder) {
  Calls calls;
  classifier().fit(batches(16, 8),
                   {.epochs = 2,
                    .verbose = Verbose::silent,
                    .callbacks = {callbacks::make<Recorder>(&calls)},
                    .validation_data = batches(8, 8)});
  const Calls epoch = {"batch begin 0",
                       "batch end 0 loss accuracy",
                       "batch begin 1",
                       "batch end 1 loss accuracy",
                       "test begin",
                       "test batch begin 0",
                       "test batch end 0 loss accuracy",
                       "test end loss accuracy"};
  const std::string values = " loss accuracy val_loss val_accuracy";
  Calls wanted = {"train begin"};
  for (const char* index : {"0", "1"}) {
    wanted.push_back(std::string("epoch begin ") + index);
    wanted.insert(wanted.end(), epoch.begin(), epoch.end());
    wanted.push_back(std::string("epoch end ") + index + values);
  }
  wanted.push_back("train end" + values);
  EXPECT_EQ(calls, wanted);
}

TEST(CallbackPlatformTest, EvaluateAndPredictCallTheirHooks) {
  Calls calls;
  const Sequential model = classifier();
  const callbacks::Callback recorder = callbacks::make<Recorder>(&calls);
  model.evaluate(batches(12, 8),
                 {.verbose = Verbose::silent, .callbacks = {recorder}});
  model.predict(batches(12, 8),
                {.verbose = Verbose::silent, .callbacks = {recorder}});
  EXPECT_EQ(
      calls,
      (Calls{"test begin", "test batch begin 0",
             "test batch end 0 loss accuracy", "test batch begin 1",
             "test batch end 1 loss accuracy", "test end loss accuracy",
             "predict begin", "predict batch begin 0", "predict batch end 0",
             "predict batch begin 1", "predict batch end 1", "predict end"}));
}

TEST(CallbackPlatformTest,
     AnExecutionBeginsWithItsFirstStepAndEndsWithItsLast) {
  Calls calls;
  const callbacks::Callback recorder = callbacks::make<Recorder>(&calls);
  const Sequential model = classifier({.steps_per_execution = 3});
  // Five steps: three and two.
  model.fit(batches(40, 8),
            {.verbose = Verbose::silent, .callbacks = {recorder}});
  EXPECT_EQ(calls,
            (Calls{"train begin", "epoch begin 0", "batch begin 0",
                   "batch end 2 loss accuracy", "batch begin 3",
                   "batch end 4 loss accuracy", "epoch end 0 loss accuracy",
                   "train end loss accuracy"}));
  calls.clear();
  model.evaluate(batches(40, 8),
                 {.verbose = Verbose::silent, .callbacks = {recorder}});
  model.predict(batches(40, 8),
                {.verbose = Verbose::silent, .callbacks = {recorder}});
  EXPECT_EQ(
      calls,
      (Calls{"test begin", "test batch begin 0",
             "test batch end 2 loss accuracy", "test batch begin 3",
             "test batch end 4 loss accuracy", "test end loss accuracy",
             "predict begin", "predict batch begin 0", "predict batch end 2",
             "predict batch begin 3", "predict batch end 4", "predict end"}));
}

// Reads device memory from its own hooks on only if told to.
struct Reader : CallbackBase {
  explicit Reader(bool looks) : looks(looks) {}
  void on_epoch_begin(int, const Logs&) override { start = transfers(); }
  void on_train_batch_end(int64_t, const Logs& logs) override {
    if (looks) values.push_back(logs.at("loss"));
    read = transfers() - start;
  }
  static uint64_t transfers() {
    return internal::runtime::counters().device_to_host_transfers;
  }
  bool looks;
  uint64_t start = 0, read = 0;
  std::vector<double> values;
};

TEST(CallbackPlatformTest, NothingIsReadUnlessSomebodyLooks) {
  for (const bool looks : {false, true}) {
    const auto reader = std::make_shared<Reader>(looks);
    const Sequential model = classifier();
    model.fit(batches(80, 8), {.epochs = 2,
                               .verbose = Verbose::silent,
                               .callbacks = {callbacks::Callback(reader)}});
    EXPECT_EQ(reader->read > 0, looks);
  }
}

TEST(CallbackPlatformTest, LossOfABatchIsTheMeanSinceTheEpochBegan) {
  const auto [x, y] = labelled_rows(24);
  const auto reader = std::make_shared<Reader>(true);
  const Sequential model = classifier();
  const auto part = [](const Array& array, int64_t i) {
    return array.slice({Slice(8 * i, 8 * i + 8)});
  };
  model.fit(batches(24, 8), {.verbose = Verbose::silent,
                             .callbacks = {callbacks::Callback(reader)}});
  // The same steps with the losses by themselves.
  const Sequential same = classifier();
  double sum = 0;
  for (int64_t i = 0; i < 3; ++i) {
    same.reset_metrics();
    sum += same.train_on_batch(part(x, i), part(y, i))[0].second;
    EXPECT_NEAR(reader->values[i], sum / static_cast<double>(i + 1), 1e-5);
  }
}

TEST(CallbackPlatformTest, NestedEvaluateLeavesTheTrainingMetricsAlone) {
  struct Nested : CallbackBase {
    void on_train_batch_end(int64_t, const Logs&) override {
      values = model().evaluate(batches(8, 8), {.verbose = Verbose::silent});
    }
    std::vector<double> values;
  };
  for (const int count : {1, 8}) {
    const auto strategy = replicas(count);
    const auto scope = strategy.scope();
    const FitOptions plain{.epochs = 2, .verbose = Verbose::silent};
    FitOptions nested = plain;
    const auto callback = std::make_shared<Nested>();
    nested.callbacks = {callbacks::Callback(callback)};
    const auto without = classifier().fit(batches(40, 8), plain);
    const auto with = classifier().fit(batches(40, 8), nested);
    EXPECT_EQ(with["loss"], without["loss"]) << count;
    EXPECT_EQ(with["accuracy"], without["accuracy"]) << count;
    EXPECT_EQ(callback->values.size(), 2u);
  }
}

TEST(CallbackPlatformTest, ExceptionLeavesTheWeightsOfTheLastStep) {
  struct Failing : CallbackBase {
    void on_train_batch_end(int64_t batch, const Logs&) override {
      if (batch == 1) throw std::runtime_error("enough");
    }
  };
  const Sequential model = classifier();
  EXPECT_THROW(
      model.fit(batches(40, 8), {.verbose = Verbose::silent,
                                 .callbacks = {callbacks::make<Failing>()}}),
      std::runtime_error);
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 2);
  const Sequential same = classifier();
  same.fit(batches(16, 8), {.verbose = Verbose::silent});
  const std::vector<Array> weights = same.get_weights();
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(array_equal(model.get_weights()[i], weights[i]));
  }
  // The model trains on.
  model.fit(batches(8, 8), {.verbose = Verbose::silent});
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 3);
}

TEST(CallbackPlatformTest, ModelAndParametersAreKnown) {
  struct Looker : CallbackBase {
    void on_train_begin(const Logs&) override { seen = params(); }
    void on_epoch_end(int, const Logs&) override {
      model().optimizer().set_learning_rate(0.5);
    }
    callbacks::Params seen;
  };
  const auto looker = std::make_shared<Looker>();
  const Sequential model = classifier();
  model.fit(batches(24, 8), {.epochs = 2,
                             .verbose = Verbose::silent,
                             .callbacks = {callbacks::Callback(looker)}});
  EXPECT_EQ(looker->seen.epochs, 2);
  EXPECT_EQ(looker->seen.steps, 3);
  EXPECT_EQ(looker->seen.verbose, 0);
  EXPECT_EQ(model.optimizer().learning_rate().item<float>(), 0.5f);
}

}  // namespace
}  // namespace systolic::models
