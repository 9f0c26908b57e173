// Values that a step of one's own logs, and what the log calls a loss that is
// a sum.
#include <gtest/gtest.h>

#include "systolic/models/model_base.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

// Logs each replica's sum of its rows, divided by four, in all ways there are.
struct Logging : ModelBase {
  Tensor call(Tensor x, layers::CallContext) override { return x; }
  void train_step(const StepBatch& batch) override {
    const Tensor part = sum(batch.x[0]) / 4;
    log_value("sum", part);
    log_value("mean", part, LogReduction::mean);
    log_value("first", part, LogReduction::first);
  }
};

// C028: on two replicas the rows 2, 3 and 4, 5 give 1.25 and 2.25.
TEST(LoggedValuePlatformTest, ReplicasNumbersBecomeOneAsAskedFor) {
  const distribute::Strategy strategy = replicas(2);
  const auto scope = strategy.scope();
  const Model model = make<Logging>();
  model.compile({.optimizer = "sgd"});
  const Array x = Array::from({0.f, 0.f, 0.f, 0.f, 2.f, 3.f, 4.f, 5.f}, {8, 1});
  const callbacks::History history = model.fit(
      x, Array::zeros({8, 1}),
      {.batch_size = 4, .verbose = Verbose::silent, .shuffle = false});
  // Those of the last step; what is logged is all that there is.
  EXPECT_EQ(history["sum"], std::vector<double>{3.5});
  EXPECT_EQ(history["mean"], std::vector<double>{1.75});
  EXPECT_EQ(history["first"], std::vector<double>{1.25});
  EXPECT_EQ(history.history().size(), 3u);
}

struct NotANumber : Logging {
  void train_step(const StepBatch& batch) override {
    log_value("rows", batch.x[0]);
  }
};

TEST(LoggedValuePlatformTest, OnlyNumbersAreLogged) {
  const Model model = make<NotANumber>();
  model.compile({.optimizer = "sgd"});
  const std::string text = text_of<ShapeError>([&] {
    model.train_on_batch(Array::zeros({2, 1}), Array::zeros({2, 1}));
  });
  EXPECT_NE(
      text.find("expected a number to log as \"rows\", got float32[2, 1]"),
      std::string::npos)
      << text;
}

// C032: with N = 10 and batches of 4 the last one's sum is half of the others'.
TEST(LoggedValuePlatformTest, TheKeyOfALossThatIsASumSaysSo) {
  clear_session();
  Sequential model({layers::Flatten({.input_shape = {1}})});
  model.compile({.optimizer = optimizers::SGD(0.0),
                 .loss = losses::MeanAbsoluteError(
                     {.reduction = losses::Reduction::sum})});
  const Array x = Array::ones({10, 1}), y = Array::zeros({10, 1});
  const callbacks::History history = model.fit(
      x, y,
      {.batch_size = 4, .verbose = Verbose::silent, .validation_data = {x, y}});
  ASSERT_EQ(history.history().size(), 2u);
  // As Keras: batches count by their rows, (4 * 4 + 4 * 4 + 2 * 2) / 10.
  EXPECT_NEAR(history["loss_sum"][0], 3.6, 1e-6);
  EXPECT_NEAR(history["val_loss_sum"][0], 3.6, 1e-6);
  EXPECT_EQ(model.metrics_names(), std::vector<std::string>{"loss_sum"});
}

}  // namespace
}  // namespace systolic::models
