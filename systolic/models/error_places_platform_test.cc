// What fails in a step says inside of which call, at which step, and where the
// call stands; and a step's inputs can not be looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "systolic/models/model_base.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const Verbose kSilent = Verbose::silent;

std::string line_of(int distance, const SourceLocation& from) {
  return "error_places_platform_test.cc:" +
         std::to_string(static_cast<int>(from.line()) + distance);
}

// A layer that does with its input what the test says.
class Doing : public layers::LayerBase {
 public:
  using Act = std::function<Tensor(const Tensor&)>;
  explicit Doing(Act act) : act_(std::move(act)) {}
  Tensor call(Tensor x, layers::CallContext) override { return act_(x); }

 private:
  Act act_;
};

Sequential model_that(const Doing::Act& act, int64_t steps_per_execution = 1) {
  clear_session();
  Sequential model({layers::make<Doing>(act), layers::Dense(3)});
  model.compile(
      {.optimizer = "sgd",
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .steps_per_execution = steps_per_execution});
  return model;
}

TEST(ErrorPlacesPlatformTest, StepOfFitIsNamedWithBothLines) {
  const SourceLocation here = SourceLocation::current();
  const Sequential model =
      model_that([](const Tensor& x) { return matmul(x, x); });
  const std::string text = text_of<ShapeError>(
      [&] { model.fit(batches(8, 2), {.verbose = kSilent}); });
  EXPECT_THAT(text, HasSubstr("\n  at: " + line_of(2, here) + "\n"));
  EXPECT_THAT(text, EndsWith("\n  in: fit, epoch 1, step 1\n  at: " +
                             line_of(4, here)));
}

TEST(ErrorPlacesPlatformTest, LaterStepIsNamed) {
  // A batch of another size is recorded anew.
  const auto act = [](const Tensor& x) {
    return x.shape()[0] == 1 ? matmul(x, x) : x;
  };
  EXPECT_THAT(text_of<ShapeError>([&] {
                model_that(act).fit(batches(7, 2), {.verbose = kSilent});
              }),
              HasSubstr("\n  in: fit, epoch 1, step 4\n"));
  // So is the loop of a launch: its steps fail together.
  EXPECT_THAT(text_of<ShapeError>([&] {
                model_that([](const Tensor& x) { return matmul(x, x); }, 3)
                    .fit(batches(12, 2), {.verbose = kSilent});
              }),
              HasSubstr("\n  in: fit, epoch 1, steps 1 to 3\n"));
}

// With steps_per_epoch an epoch's first batch is looked for when it begins.
TEST(ErrorPlacesPlatformTest, BatchThatCanNotBeReadIsOfTheEpochThatWantsIt) {
  int64_t batch = 0;
  const data::Dataset dataset = batches(20, 2).map([&batch](Array x, Array y) {
    if (++batch == 5) throw DataError("no batch");
    return std::pair(x, y);
  });
  EXPECT_THAT(
      text_of<DataError>([&] {
        model_that([](const Tensor& x) { return x; })
            .fit(dataset,
                 {.epochs = 3, .verbose = kSilent, .steps_per_epoch = 2});
      }),
      HasSubstr("\n  in: fit, epoch 3, step 1\n"));
}

TEST(ErrorPlacesPlatformTest, EvaluateAndPredictAreNamed) {
  const Sequential model =
      model_that([](const Tensor& x) { return matmul(x, x); });
  const SourceLocation here = SourceLocation::current();
  const std::string evaluated = text_of<ShapeError>(
      [&] { model.evaluate(batches(8, 2), {.verbose = kSilent}); });
  const std::string predicted = text_of<ShapeError>(
      [&] { model.predict(batches(8, 2), {.verbose = kSilent}); });
  const auto [x, y] = labelled_rows(2);
  const std::string trained =
      text_of<ShapeError>([&, x = x, y = y] { model.train_on_batch(x, y); });
  EXPECT_THAT(evaluated,
              EndsWith("\n  in: evaluate, step 1\n  at: " + line_of(2, here)));
  EXPECT_THAT(predicted,
              EndsWith("\n  in: predict, step 1\n  at: " + line_of(4, here)));
  EXPECT_THAT(trained,
              EndsWith("\n  in: train_on_batch\n  at: " + line_of(7, here)));
}

TEST(ErrorPlacesPlatformTest, WhatIsWrongBeforeAStepSaysWhereTheCallIs) {
  const Sequential model = model_that([](const Tensor& x) { return x; });
  const SourceLocation here = SourceLocation::current();
  const std::string text = text_of<ValueError>(
      [&] { model.fit(batches(8, 2), {.epochs = -1, .verbose = kSilent}); });
  EXPECT_EQ(text,
            "fit: expected epochs and initial_epoch of at least 0, got -1 and "
            "0\n  at: " +
                line_of(2, here));
}

// A training step of the user's own.
class OwnStep : public ModelBase {
 public:
  Tensor call(Tensor x, layers::CallContext) override { return dense_(x); }
  void train_step(const StepBatch& batch) override {
    here = SourceLocation::current();
    matmul(batch.x[0], batch.x[0]);
  }
  SourceLocation here;

 private:
  layers::Layer dense_ = track("dense", layers::Dense(3));
};

TEST(ErrorPlacesPlatformTest, TrainStepOfOnesOwnIsNamed) {
  clear_session();
  auto own = std::make_shared<OwnStep>();
  const Model model(own);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string text = text_of<ShapeError>(
      [&] { model.fit(batches(8, 2), {.verbose = kSilent}); });
  EXPECT_THAT(text, HasSubstr("\n  at: " + line_of(1, own->here) +
                              "\n  in: fit, epoch 1, step 1\n  at: "));
}

TEST(ErrorPlacesPlatformTest, InputOfAStepCanNotBeLookedAt) {
  for (const int64_t steps_per_execution : {1, 3}) {
    SourceLocation here;
    const Sequential model = model_that(
        [&](const Tensor& x) {
          here = SourceLocation::current();
          return x[{0, 0}].item<float>() > 0 || x.numpy().size() > 0 ? x : -x;
        },
        steps_per_execution);
    const std::string text = text_of<ValueError>(
        [&] { model.fit(batches(12, 2), {.verbose = kSilent}); });
    EXPECT_THAT(text, HasSubstr("can not be read inside "));
    EXPECT_THAT(text, HasSubstr("\n  at: " + line_of(1, here)));
  }
  // Not even the Tensor itself, of which nothing was computed.
  const Sequential model = model_that(
      [](const Tensor& x) { return x.numpy().shape()[0] > 0 ? x : -x; });
  EXPECT_THAT(text_of<ValueError>(
                  [&] { model.fit(batches(12, 2), {.verbose = kSilent}); }),
              HasSubstr("Tensor.numpy: a value can not be read inside "));
}

}  // namespace
}  // namespace systolic::models
