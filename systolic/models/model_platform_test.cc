// Single batches, names of values, and what a model without compile says.
#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/out.h"
#include "systolic/models/model.h"
#include "systolic/models/test_helpers.h"
#include "systolic/models/test_texts.h"

namespace systolic::models {
namespace {

std::vector<std::string> names(const MetricValues& values) {
  std::vector<std::string> all;
  for (const auto& [name, value] : values) all.push_back(name);
  return all;
}

TEST(ModelPlatformTest, OneBatchAtATime) {
  const auto [x, y] = labelled_rows(8);
  const Sequential model = classifier();
  const MetricValues first = model.train_on_batch(x, y);
  EXPECT_EQ(names(first), (std::vector<std::string>{"loss", "accuracy"}));
  EXPECT_EQ(model.metrics_names(), names(first));
  // The metrics are those of the batch alone, as in Keras.
  const MetricValues both = model.train_on_batch(x, y);
  model.reset_metrics();
  const MetricValues third = model.test_on_batch(x, y);
  EXPECT_LT(both[0].second, first[0].second);
  EXPECT_LT(third[0].second, both[0].second);
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 2);
  EXPECT_EQ(model.predict_on_batch(x).shape(), (Shape{8, 3}));
}

TEST(ModelPlatformTest, MetricsOfOneNameAreToldApart) {
  const auto [x, y] = labelled_rows(8);
  const Sequential model = classifier();
  model.compile(
      {.optimizer = "sgd",
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"sparse_categorical_accuracy", "accuracy"},
       .weighted_metrics = {"sparse_categorical_accuracy", "accuracy",
                            "sparse_categorical_accuracy"}});
  const std::vector<std::string> wanted = {
      "loss",
      "sparse_categorical_accuracy",
      "accuracy",
      "weighted_sparse_categorical_accuracy",
      "weighted_accuracy",
      "weighted_sparse_categorical_accuracy_1"};
  std::vector<float> weights(8, 0.f);
  weights[2] = 1;
  const MetricValues values = model.test_on_batch(x, y, Array::from(weights));
  EXPECT_EQ(names(values), wanted);
  EXPECT_TRUE(values[3].second == 0 || values[3].second == 1);
}

TEST(ModelPlatformTest, EvaluateGivesValuesInTheOrderOfTheirNames) {
  const Sequential model = classifier();
  const EvaluateOptions options{.verbose = Verbose::silent};
  const std::vector<double> values = model.evaluate(batches(20, 8), options);
  const MetricValues named = model.evaluate_dict(batches(20, 8), options);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(named,
            (MetricValues{{"loss", values[0]}, {"accuracy", values[1]}}));
  // What evaluate gathered does not count in what follows.
  const auto [x, y] = labelled_rows(8);
  const MetricValues after = model.test_on_batch(x, y);
  EXPECT_EQ(after, classifier().test_on_batch(x, y));
}

TEST(ModelPlatformTest, CompileIsNeeded) {
  const auto [x, y] = labelled_rows(8);
  const Sequential model({layers::Dense(3, {.input_shape = {4}})},
                         {.name = "net"});
  const auto wanted = [](const std::string& who) {
    return who +
           ": model \"net\" is not compiled\n"
           "  hint: call model.compile({.optimizer = ..., .loss = ...}) first";
  };
  const DataSource data(x, y);
  EXPECT_EQ(rule_of<ValueError>([&] { model.fit(data); }), wanted("fit"));
  EXPECT_EQ(rule_of<ValueError>([&] { model.evaluate(data); }),
            wanted("evaluate"));
  EXPECT_EQ(rule_of<ValueError>([&] { model.train_on_batch(x, x); }),
            wanted("train_on_batch"));
  EXPECT_EQ(rule_of<ValueError>([&] { model.optimizer(); }),
            wanted("Model.optimizer"));
  // Predictions need none.
  EXPECT_EQ(model.predict(data, {.verbose = Verbose::silent}).shape(),
            (Shape{8, 3}));
  EXPECT_TRUE(model.metrics_names().empty());
}

TEST(ModelPlatformTest, CompileAgainStartsTheOptimizerAnew) {
  const Sequential model = classifier();
  model.fit(batches(16, 8), {.verbose = Verbose::silent});
  const std::vector<Array> weights = model.get_weights();
  model.compile({.optimizer = optimizers::SGD(0.0), .loss = "mse"});
  EXPECT_EQ(model.optimizer().iterations().item<int>(), 0);
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss"}));
  const auto [x, y] = labelled_rows(8);
  model.train_on_batch(x, Array::zeros({8, 3}));
  EXPECT_TRUE(array_equal(model.get_weights()[0], weights[0]));
}

TEST(ModelPlatformTest, FloatsOfAnySizeAndBytesAreTaken) {
  const auto [x, y] = labelled_rows(8);
  const Sequential model = classifier();
  const MetricValues wanted = model.test_on_batch(x, y);
  for (const DType dtype : {DType::float64, DType::float16, DType::uint8}) {
    for (const DType labels : {DType::int64, DType::uint8, DType::float32}) {
      model.reset_metrics();
      const MetricValues got =
          model.test_on_batch(cast(x, dtype), cast(y, labels));
      if (dtype == DType::uint8) {
        EXPECT_TRUE(std::isfinite(got[0].second));
      } else {
        EXPECT_NEAR(got[0].second, wanted[0].second, 1e-2)
            << name(dtype) << ", " << name(labels);
      }
    }
  }
}

TEST(ModelPlatformTest, PrintsAPlainLineForEachEpoch) {
  std::ostringstream text;
  {
    const OutputGuard guard(text);
    const Sequential model = classifier();
    model.fit(batches(22, 11), {.epochs = 2,
                                .verbose = Verbose::line,
                                .validation_data = batches(11, 11)});
    model.evaluate(batches(11, 11), {.verbose = Verbose::line});
    model.predict(batches(11, 11), {.verbose = Verbose::silent});
  }
  std::vector<std::string> lines;
  std::istringstream stream(text.str());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 8u) << text.str();
  EXPECT_EQ(lines[0], "Epoch 1/2");
  EXPECT_EQ(lines[1], "Compiling the step ...");
  EXPECT_TRUE(lines[2].starts_with("2/2 - ")) << lines[2];
  EXPECT_NE(lines[2].find(" - val_accuracy: "), std::string::npos);
  EXPECT_EQ(lines[3], "Epoch 2/2");
  EXPECT_TRUE(lines[5].starts_with("utilization: ")) << lines[5];
  EXPECT_TRUE(lines[6].starts_with("bottleneck: ")) << lines[6];
  EXPECT_TRUE(lines[7].starts_with("1/1 - ")) << lines[7];
}

TEST(ModelPlatformTest, ALoggerOfOnesOwnTakesThePlaceOfFits) {
  std::ostringstream text;
  const OutputGuard guard(text);
  const callbacks::History history;
  const Sequential model = classifier();
  const callbacks::History got = model.fit(
      batches(16, 8), {.verbose = Verbose::line, .callbacks = {history}});
  EXPECT_EQ(got.pointer(), history.pointer());
  EXPECT_EQ(history["loss"].size(), 1u);
}

}  // namespace
}  // namespace systolic::models
