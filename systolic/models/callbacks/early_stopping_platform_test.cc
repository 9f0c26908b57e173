#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/out.h"
#include "systolic/models/callbacks/callback.h"
#include "systolic/models/callbacks/early_stopping.h"
#include "systolic/models/test_helpers.h"

namespace systolic::callbacks {
namespace {

using data::text_of;
using models::Model;

// Tells a callback of epochs with these values; the model's only weight is
// the epoch's number. Returns how many epochs ran.
int run(const Callback& callback, const Model& model, const std::string& name,
        const std::vector<double>& values) {
  const CallbackList list({callback}, model, {});
  CallbackBase& base = callback.base();
  model.set_stop_training(false);
  base.on_train_begin({});
  int epoch = 0;
  for (const double value : values) {
    model.set_weights({Array::full({1, 1}, epoch, DType::float32)});
    base.on_epoch_end(epoch++, Logs({{name, value}}));
    if (model.stop_training()) break;
  }
  base.on_train_end({});
  return epoch;
}

Model one_weight() {
  const models::Sequential model(
      {layers::Input({1}), layers::Dense(1, {.use_bias = false})});
  model.compile({.loss = "mse", .metrics = {"accuracy"}});
  model.train_on_batch(Array::ones({1, 1}), Array::ones({1, 1}));
  return model;
}

TEST(EarlyStoppingPlatformTest, StopsAndPutsTheBestWeightsBack) {
  const Model model = one_weight();
  const EarlyStopping stop(
      {.patience = 2, .verbose = 1, .restore_best_weights = true});
  std::ostringstream printed;
  const OutputGuard guard(printed);
  EXPECT_EQ(run(stop, model, "val_loss", {5, 3, 2, 4, 2, 1}), 5);
  EXPECT_EQ(stop.stopped_epoch(), 4);
  EXPECT_EQ(stop.best_epoch(), 2);
  EXPECT_EQ(stop.best(), 2);
  EXPECT_EQ(model.get_weights()[0].item<float>(), 2);
  EXPECT_EQ(printed.str(),
            "Epoch 5: early stopping\n"
            "Restoring model weights from the end of the best epoch: 3.\n");
}

TEST(EarlyStoppingPlatformTest, OptionsAreKeras) {
  const Model model = one_weight();
  // A change of min_delta or less is none.
  EXPECT_EQ(
      run(EarlyStopping({.min_delta = 0.5}), model, "val_loss", {5, 4, 3.6, 1}),
      3);
  // Accuracy is better when it is greater.
  EXPECT_EQ(run(EarlyStopping({.monitor = "accuracy", .patience = 1}), model,
                "accuracy", {0.1, 0.2, 0.3, 0.3, 0.2}),
            4);
  EXPECT_EQ(run(EarlyStopping({.monitor = "rate", .mode = "max"}), model,
                "rate", {1, 2, 1}),
            3);
  // Better values that do not reach the baseline do not help.
  EXPECT_EQ(run(EarlyStopping({.patience = 3, .baseline = 1.0}), model,
                "val_loss", {5, 4, 3, 2, 6}),
            5);
  EXPECT_EQ(run(EarlyStopping({.start_from_epoch = 3}), model, "val_loss",
                {1, 2, 3, 4, 5, 6}),
            5);
}

TEST(EarlyStoppingPlatformTest, MistakesAreNamed) {
  const Model model = one_weight();
  EXPECT_EQ(text_of<ValueError>([] { EarlyStopping({.mode = "best"}); }),
            "EarlyStopping: expected mode \"auto\", \"min\" or \"max\", got "
            "\"best\"");
  EXPECT_EQ(text_of<ValueError>([&] {
              run(EarlyStopping({.monitor = "rate"}), model, "rate", {1});
            }),
            "EarlyStopping: whether \"rate\" is better when it is less or "
            "greater is not known\n"
            "  hint: give .mode = \"max\" or .mode = \"min\"");
  const data::LogCapture warnings;
  EXPECT_EQ(run(EarlyStopping(), model, "loss", {1, 2}), 2);
}

TEST(EarlyStoppingPlatformTest, EndsAFit) {
  const Model model = one_weight();
  const EarlyStopping stop({.monitor = "loss", .mode = "max"});
  const auto history = model.fit(
      Array::ones({4, 1}), Array::ones({4, 1}),
      {.epochs = 20, .verbose = models::Verbose::silent, .callbacks = {stop}});
  EXPECT_EQ(history.epoch().size(), 2U);
}

}  // namespace
}  // namespace systolic::callbacks
