#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/out.h"
#include "systolic/models/callbacks/callback.h"
#include "systolic/models/callbacks/learning_rate.h"
#include "systolic/models/test_helpers.h"
#include "systolic/models/test_texts.h"

namespace systolic::callbacks {
namespace {

using data::text_of;
using models::Model;

Model small() {
  const models::Sequential model({layers::Input({1}), layers::Dense(1)});
  model.compile({.optimizer = optimizers::SGD(0.5), .loss = "mse"});
  return model;
}

// What fit logs of three epochs.
History fit(const Model& model, const Callback& callback) {
  return model.fit(Array::ones({4, 1}), Array::ones({4, 1}),
                   {.epochs = 3,
                    .verbose = models::Verbose::silent,
                    .callbacks = {callback}});
}

TEST(LearningRatePlatformTest, SchedulerSetsTheRateOfEachEpoch) {
  const Model model = small();
  std::ostringstream printed;
  const OutputGuard guard(printed);
  const auto history = fit(model, LearningRateScheduler(
                                      [](int epoch, double rate) {
                                        return epoch == 0 ? rate : rate / 2;
                                      },
                                      1));
  EXPECT_EQ(history["learning_rate"], (std::vector<double>{0.5, 0.25, 0.125}));
  EXPECT_EQ(printed.str(),
            "\nEpoch 1: LearningRateScheduler setting learning rate to 0.5.\n"
            "\nEpoch 2: LearningRateScheduler setting learning rate to 0.25.\n"
            "\nEpoch 3: LearningRateScheduler setting learning rate to "
            "0.125.\n");
}

// The bar comes last, so that its line has what the others have logged.
TEST(LearningRatePlatformTest, RateStandsInTheLineOfTheEpoch) {
  const Model model = small();
  std::ostringstream printed;
  const OutputGuard guard(printed);
  model.fit(Array::ones({4, 1}), Array::ones({4, 1}),
            {.verbose = models::Verbose::line,
             .callbacks = {LearningRateScheduler(
                 [](int, double rate) { return rate / 2; })}});
  EXPECT_TRUE(printed.str().find(" - learning_rate: 0.2500\n") !=
              std::string::npos)
      << printed.str();
}

// An epoch ramp for large batches: 1e-5, then up to 4e-4 at epoch 5.
TEST(LearningRatePlatformTest, RampReachesItsPeakAtItsEpoch) {
  const Model model = small();
  const auto history =
      model.fit(Array::ones({4, 1}), Array::ones({4, 1}),
                {.epochs = 7,
                 .verbose = models::Verbose::silent,
                 .callbacks = {LearningRateScheduler([](int epoch, double) {
                   return epoch < 5 ? 1e-5 + (4e-4 - 1e-5) * epoch / 5 : 4e-4;
                 })}});
  EXPECT_NEAR(history["learning_rate"][0], 1e-5, 1e-9);
  EXPECT_NEAR(history["learning_rate"][2], 1.66e-4, 1e-9);
  EXPECT_NEAR(history["learning_rate"][5], 4e-4, 1e-9);
}

TEST(LearningRatePlatformTest, PlateauLowersTheRate) {
  const Model model = small();
  const ReduceLROnPlateau plateau({.monitor = "loss",
                                   .factor = 0.5,
                                   .patience = 2,
                                   .verbose = 1,
                                   .cooldown = 1,
                                   .min_lr = 0.2});
  const CallbackList list({plateau}, model, {});
  CallbackBase& base = plateau.base();
  std::ostringstream printed;
  const OutputGuard guard(printed);
  base.on_train_begin({});
  std::vector<double> rates;
  int epoch = 0;
  for (const double loss : {2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}) {
    base.on_epoch_end(epoch++, Logs({{"loss", loss}}));
    rates.push_back(model.optimizer().learning_rate().item<float>());
  }
  EXPECT_EQ(rates[2], 0.5);
  EXPECT_EQ(rates[3], 0.25);
  EXPECT_EQ(rates[4], 0.25);
  EXPECT_NEAR(rates[8], 0.2, 1e-7);
  EXPECT_TRUE(printed.str().starts_with(
      "\nEpoch 4: ReduceLROnPlateau reducing learning rate to 0.25.\n"))
      << printed.str();
}

// C060: two would set the rate, and no step has been made.
TEST(LearningRatePlatformTest, ASchedulerBesideAScheduleIsRefusedAtTheStart) {
  const models::Sequential model({layers::Dense(1, {.input_shape = {2}})});
  model.compile({.optimizer = optimizers::SGD(
                     {.learning_rate =
                          optimizers::schedules::ExponentialDecay(0.1, 10, 0.9),
                      .name = "decaying"}),
                 .loss = "mse"});
  const LearningRateScheduler scheduler([](int, double rate) { return rate; });
  EXPECT_EQ(models::rule_of<TypeError>([&] {
              model.fit(Array::ones({4, 2}), Array::ones({4, 1}),
                        {.verbose = models::Verbose::silent,
                         .callbacks = {scheduler}});
            }),
            "SGD \"decaying\": its learning rate is a schedule and can not be "
            "set\n  hint: make the optimizer with a number as learning_rate");
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 0);
}

TEST(LearningRatePlatformTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { ReduceLROnPlateau({.factor = 1}); }),
            "ReduceLROnPlateau: expected factor < 1, got 1");
  EXPECT_EQ(text_of<ValueError>([] { LearningRateScheduler(nullptr); }),
            "LearningRateScheduler: expected a function of epoch and learning "
            "rate, got an empty one");
}

}  // namespace
}  // namespace systolic::callbacks
