// What mistakes leave behind: a model that is as it was, and can go on. All
// messages of users' mistakes are in tests/mistakes.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/models/test_texts.h"

namespace systolic::models {
namespace {

const FitOptions kQuiet{.verbose = Verbose::silent};

void expect_untouched(const Sequential& model) {
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 0);
  const std::vector<Array> weights = model.get_weights();
  const std::vector<Array> wanted = classifier().get_weights();
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(array_equal(weights[i], wanted[i])) << i;
  }
}

TEST(MistakesPlatformTest, LabelThatNoClassHasIsFoundBeforeTheStep) {
  const auto [x, y] = labelled_rows(8);
  Array wrong = y;
  wrong.mutable_span<int32_t>()[5] = 3;
  const Sequential model = classifier();
  EXPECT_EQ(rule_of<ValueError>([&, x = x] { model.train_on_batch(x, wrong); }),
            "SparseCategoricalCrossentropy: expected labels in 0 ... 2, one "
            "of 3 classes, got 3 at position (5,)\n"
            "  labels: int32[8]\n"
            "  hint: class numbers start at 0: subtract 1 where yours start "
            "at 1, or give the last layer one unit more");
  expect_untouched(model);
}

TEST(MistakesPlatformTest, LabelInALaterBatchIsNamedByItsRowInTheData) {
  const auto [x, y] = labelled_rows(8);
  Array wrong = y;
  wrong.mutable_span<int32_t>()[5] = -1;
  const data::Dataset dataset = batches(16, 8).concatenate(
      data::Dataset::from_tensor_slices(x, wrong).batch(8));
  // In one launch with the good ones before it, and in one of its own.
  for (const int64_t steps : {4, 1}) {
    const Sequential model = classifier({.steps_per_execution = steps});
    EXPECT_NE(rule_of<ValueError>([&] {
                model.fit(dataset, kQuiet);
              }).find("got -1 at position (21,)"),
              std::string::npos);
    const int done = steps == 4 ? 0 : 2;
    EXPECT_EQ(model.optimizer().iterations().item<int>(), done);
    if (done == 0) expect_untouched(model);
  }
}

TEST(MistakesPlatformTest, EvaluateWithoutLabelsSaysItsName) {
  const Sequential model = classifier();
  EXPECT_EQ(rule_of<ValueError>([&] {
              model.evaluate(labelled_rows(8).first,
                             {.verbose = Verbose::silent});
            }),
            "evaluate: expected data with labels, since the model has a "
            "loss, got inputs alone\n"
            "  hint: give pairs (x, y): Dataset::from_tensor_slices(x, y)");
  expect_untouched(model);
}

TEST(MistakesPlatformTest, InputsOfAnotherShapeLeaveTheModelAsItWas) {
  const auto [x, y] = labelled_rows(8);
  const Sequential model = classifier();
  for (const Shape& shape : {Shape{8, 5}, Shape{8}}) {
    EXPECT_THROW(model.fit(Array::zeros(shape), y, kQuiet), ShapeError);
  }
  EXPECT_THROW(model.fit(x, Array::zeros({8, 3}), kQuiet), ShapeError);
  expect_untouched(model);
  model.fit(x, y, kQuiet);
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 1);
}

TEST(MistakesPlatformTest, CompileThatFailsLeavesTheModelAsItWas) {
  const Sequential model = classifier();
  EXPECT_EQ(rule_of<ValueError>(
                [&] { model.compile({.optimizer = "adm", .loss = "mse"}); }),
            "optimizer: expected 'sgd', 'adam', 'adamw', 'rmsprop', "
            "'adagrad', 'adadelta', 'adamax', 'nadam', 'lion' or 'ftrl', got "
            "'adm'\n"
            "  hint: did you mean 'adam'?");
  const std::string loss = rule_of<ValueError>([&] {
    model.compile({.optimizer = "sgd", .loss = "mean_square_error"});
  });
  EXPECT_TRUE(loss.ends_with("hint: did you mean 'mean_squared_error'?"))
      << loss;
  const std::string metric = rule_of<ValueError>(
      [&] { model.compile({.loss = "mse", .metrics = {"acuracy"}}); });
  EXPECT_TRUE(metric.ends_with("hint: did you mean 'Accuracy'?")) << metric;
  EXPECT_EQ(rule_of<ValueError>([&] {
              model.compile({.loss = "mse", .steps_per_execution = 0});
            }),
            "compile: expected steps_per_execution of at least 1, got 0");
  EXPECT_EQ(model.optimizer().name(), "adam");
  EXPECT_EQ(model.loss().name(), "sparse_categorical_crossentropy");
  model.fit(batches(8, 8), kQuiet);
}

TEST(MistakesPlatformTest, LossMustBeOneNumber) {
  const Sequential model = classifier();
  model.compile({.loss = losses::MeanSquaredError(
                     {.reduction = losses::Reduction::none})});
  EXPECT_EQ(rule_of<ValueError>([&] {
              model.fit(labelled_rows(8).first, Array::zeros({8, 3}), kQuiet);
            }),
            "compile: expected a loss that gives one number, got float32[8] "
            "from mean_squared_error\n"
            "  hint: use a reduction other than none");
}

TEST(MistakesPlatformTest, DataThatTurnOutToBeEmpty) {
  const data::Dataset none =
      batches(8, 8).filter([](Array, Array) { return false; });
  const Sequential model = classifier();
  EXPECT_EQ(rule_of<ValueError>([&] { model.fit(none, kQuiet); }),
            "fit: expected at least one batch, got an empty data set\n"
            "  data set: filter\n"
            "  hint: with drop_remainder, a data set smaller than one batch "
            "is empty");
  EXPECT_THROW(model.evaluate(none, {.verbose = Verbose::silent}), ValueError);
  EXPECT_THROW(model.predict(none, {.verbose = Verbose::silent}), ValueError);
  // Without end there is nothing either.
  FitOptions steps = kQuiet;
  steps.steps_per_epoch = 3;
  EXPECT_THROW(model.fit(none.repeat(), steps), DataError);
  expect_untouched(model);
}

TEST(MistakesPlatformTest, ValidationDataAreLookedAtBeforeTraining) {
  const Sequential model = classifier();
  FitOptions options = kQuiet;
  const auto error = [&] {
    return rule_of<ValueError>([&] { model.fit(batches(8, 8), options); });
  };
  options.validation_data = batches(5, 8, {.drop_remainder = true});
  EXPECT_TRUE(error().starts_with(
      "fit (validation): expected at least one batch, got an empty data set"))
      << error();
  options.validation_data = batches(8, 8).repeat();
  EXPECT_EQ(error(),
            "fit (validation): expected validation_steps, since the data set "
            "has no end, got none\n"
            "  hint: give .validation_steps = N, or leave out repeat()");
  options.validation_data = batches(8, 8);
  options.validation_freq = 0;
  EXPECT_EQ(error(), "fit: expected validation_freq of at least 1, got 0");
  expect_untouched(model);
}

}  // namespace
}  // namespace systolic::models
