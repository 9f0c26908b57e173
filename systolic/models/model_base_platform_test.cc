// Training steps against Keras's, on one device and on eight; strategies'
// scopes; steps of one's own.
#include <gtest/gtest.h>

#include "systolic/models/model_base.h"
#include "systolic/models/test_helpers.h"
#include "systolic/models/test_texts.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/reductions.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

using golden::Value;

layers::Layer make_layer(const Value& o) {
  const std::string& kind = o["class_name"].text();
  const std::string activation = o.get("activation", "linear");
  if (kind == "Input") return layers::InputLayer(Shape(o["shape"].integers()));
  if (kind == "Dense") {
    return layers::Dense(o["units"].integer(), {.activation = activation});
  }
  if (kind == "Conv2D") {
    return layers::Conv2D(o["filters"].integer(), o["kernel_size"].integer(),
                          {.activation = activation});
  }
  return kind == "Flatten" ? layers::Layer(layers::Flatten())
                           : layers::Layer(layers::MaxPooling2D());
}

optimizers::Optimizer make_optimizer(const Value& o) {
  const Value& config = o["config"];
  const double rate = config["learning_rate"].number();
  if (o["class_name"].text() == "Adam") return optimizers::Adam(rate);
  return optimizers::SGD({.learning_rate = rate,
                          .momentum = config.get("momentum", 0.0),
                          .nesterov = config.get("nesterov", false)});
}

std::vector<Array> arrays(const golden::Arrays& named) {
  std::vector<Array> all;
  for (const auto& [path, value] : named) all.push_back(value);
  return all;
}

Sequential make_model(const golden::Case& c) {
  std::vector<layers::Layer> made;
  for (const Value& layer : c.options()["layers"].list()) {
    made.push_back(make_layer(layer));
  }
  const Sequential model(made);
  model.set_weights(arrays(c.group("weights")));
  std::vector<metrics::Identifier> weighted;
  if (c.options().get("weighted", false)) {
    weighted = {"sparse_categorical_accuracy"};
  }
  model.compile(
      {.optimizer = make_optimizer(c.options()["optimizer"]),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"sparse_categorical_accuracy"},
       .weighted_metrics = weighted});
  return model;
}

void expect_logs(const MetricValues& got, const golden::Arrays& wanted,
                 const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, wanted[i].first) << what;
    EXPECT_NEAR(got[i].second, wanted[i].second.item<double>(), 2e-5)
        << what << ", " << got[i].first;
  }
}

// Three steps, the last of a batch of five rows.
void check_training(const golden::Case& c) {
  const Sequential model = make_model(c);
  Array x, y, weight;
  for (int64_t step = 0; step < c.options()["steps"].integer(); ++step) {
    const std::string n = std::to_string(step);
    x = c.array("x/" + n);
    y = c.array("y/" + n);
    if (c.has_array("sample_weight/" + n)) {
      weight = c.array("sample_weight/" + n);
    }
    expect_logs(model.train_on_batch(x, y, weight), c.group("logs/" + n),
                "step " + n);
  }
  const golden::Arrays wanted = c.group("final");
  const std::vector<Array> weights = model.get_weights();
  ASSERT_EQ(weights.size(), wanted.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(golden::difference(weights[i], wanted[i].second, {1e-4, 1e-5}),
              "")
        << wanted[i].first;
  }
  expect_logs(model.test_on_batch(x, y, weight), c.group("test_logs"), "test");
  EXPECT_EQ(golden::difference(model.predict_on_batch(x), c.array("prediction"),
                               {1e-4, 1e-5}),
            "");
}

class TrainingParity : public ::testing::TestWithParam<const char*> {};

TEST_P(TrainingParity, ThreeStepsAsInKerasOnOneAndOnEight) {
  for (const golden::Case& c : golden::load("training")) {
    if (c.name() != GetParam()) continue;
    for (const int count : {1, 8}) {
      SCOPED_TRACE(count);
      const auto strategy = replicas(count);
      const auto scope = strategy.scope();
      check_training(c);
    }
    return;
  }
  FAIL() << "no recorded case " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Keras, TrainingParity,
                         ::testing::Values("dense, Adam", "dense, SGD",
                                           "dense, Adam, sample weights",
                                           "convolution, SGD nesterov"));

// Losses of two epochs of a model that is made and compiled in or out of a
// scope; the lazy one has its weights made by fit.
std::vector<double> losses_with(const distribute::Strategy& strategy,
                                bool compile_inside, bool train_inside,
                                bool lazy, metrics::Identifier metric) {
  std::optional<distribute::StrategyScope> scope;
  scope.emplace(strategy);
  set_random_seed(7);
  const layers::DenseOptions first{.activation = "relu",
                                   .input_shape = lazy ? Shape() : Shape{4}};
  const Sequential model({layers::Dense(8, first), layers::Dense(3)});
  if (!compile_inside) scope.reset();
  model.compile(
      {.optimizer = optimizers::SGD(0.1),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {metric}});
  if (!train_inside) scope.reset();
  const callbacks::History history =
      model.fit(batches(40, 8), {.epochs = 2, .verbose = Verbose::silent});
  EXPECT_EQ(model.weights()[0].replica_values().size(),
            strategy.num_replicas_in_sync());
  std::vector<double> all = history["loss"];
  for (const double value : history[model.metrics_names()[1]]) {
    all.push_back(value);
  }
  return all;
}

TEST(ModelBasePlatformTest, ScopesOfCompileAndFitDoNotMatter) {
  const distribute::Strategy eight = replicas(8);
  const std::vector<double> wanted =
      losses_with(eight, true, true, false, "accuracy");
  EXPECT_EQ(losses_with(eight, true, false, false, "accuracy"), wanted);
  EXPECT_EQ(losses_with(eight, false, false, false, "accuracy"), wanted);
  EXPECT_EQ(losses_with(eight, false, false, true, "accuracy"), wanted);
  // A metric that was made outside.
  const metrics::SparseCategoricalAccuracy outside;
  EXPECT_EQ(losses_with(eight, false, false, false, outside), wanted);
}

TEST(ModelBasePlatformTest, ModelMadeOutsideTrainsOnItsDeviceAndSaysSo) {
  const distribute::Strategy eight = replicas(8);
  const std::vector<double> wanted =
      losses_with(distribute::get_strategy(), true, true, false, "accuracy");
  const Sequential model = classifier();
  const LogCapture log;
  const auto scope = eight.scope();
  const auto history = model.fit(batches(16, 8), {.verbose = Verbose::silent});
  EXPECT_EQ(model.weights()[0].replica_values().size(), 1u);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_EQ(log.lines[0],
            "warning: fit: model \"" + model.name() +
                "\" was made outside of this strategy's scope, so it trains "
                "on 1 replica(s) and not on 8\n"
                "  hint: make the model inside of the scope");
}

TEST(ModelBasePlatformTest, ModelCanBeCalledAfterItsScope) {
  const auto [x, y] = labelled_rows(8);
  std::optional<distribute::StrategyScope> scope;
  const distribute::Strategy eight = replicas(8);
  scope.emplace(eight);
  const Sequential model = classifier();
  model.fit(batches(24, 8), {.verbose = Verbose::silent});
  scope.reset();
  EXPECT_TRUE(allclose(model(x).numpy(), model.predict_on_batch(x),
                       {.rtol = 1e-5, .atol = 1e-6}));
}

// A model of one's own: a step that also counts.
class Counting : public ModelBase {
 public:
  Counting() : dense_(track("dense", layers::Dense(3))) {}
  Tensor call(Tensor x, layers::CallContext) override { return dense_(x); }
  void train_step(const StepBatch& batch) override {
    ++recorded;
    ModelBase::train_step(batch);
  }
  int recorded = 0;

 private:
  layers::Layer dense_;
};

TEST(ModelBasePlatformTest, StepsOfOnesOwn) {
  const Model model = make<Counting>();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array x = labelled_rows(8).first;
  const MetricValues first = model.train_on_batch(x, Array::zeros({8, 3}));
  model.reset_metrics();
  const MetricValues second = model.train_on_batch(x, Array::zeros({8, 3}));
  EXPECT_LT(second[0].second, first[0].second);
  EXPECT_EQ(static_cast<Counting&>(model.base()).recorded, 2);
}

TEST(ModelBasePlatformTest, ClassOfOnesOwnGivesTheName) {
  clear_session();
  const Model model = make<Counting>();
  EXPECT_EQ(model.class_name(), "Counting");
  model.predict_on_batch(labelled_rows(2).first);
  EXPECT_EQ(model.name(), "counting");
  EXPECT_EQ(model.weights()[0].path(), "counting/dense/kernel");
}

TEST(ModelBasePlatformTest, PredictionsHaveARowForEachRow) {
  struct Total : ModelBase {
    Tensor call(Tensor x, layers::CallContext) override { return sum(x); }
  };
  struct Twice : ModelBase {
    Tensor call(Tensor x, layers::CallContext) override {
      return concatenate({x, x}, 0);
    }
  };
  const Array x = labelled_rows(3).first;
  EXPECT_EQ(rule_of<ShapeError>([&] { make<Total>().predict_on_batch(x); }),
            "predict: expected a value of the model with a row for each of "
            "the 3 rows of x, got float32[]");
  EXPECT_EQ(rule_of<ShapeError>([&] { make<Twice>().predict_on_batch(x); }),
            "predict: expected a value of the model with a row for each of "
            "the 3 rows of x, got float32[6, 4]");
}

TEST(ModelBasePlatformTest, SumsOfLossesAreTheSameOnReplicas) {
  // Ten rows in batches of four: the log weighs batches by their rows.
  const auto losses = [](const distribute::Strategy& strategy) {
    const auto scope = strategy.scope();
    const Sequential model = classifier();
    model.compile(
        {.optimizer = optimizers::SGD(0.01),
         .loss = losses::SparseCategoricalCrossentropy(
             {.from_logits = true, .reduction = losses::Reduction::sum})});
    return model.fit(batches(10, 4),
                     {.epochs = 3, .verbose = Verbose::silent})["loss_sum"];
  };
  const std::vector<double> one = losses(replicas(1));
  EXPECT_LT(relative_difference(one, losses(replicas(8))), 1e-5);
  EXPECT_GT(one[0], 2);
}

TEST(ModelBasePlatformTest, PenaltiesCountOnceOnReplicas) {
  // The penalty of a layer is part of the loss, on one device as on eight.
  const auto loss = [](const distribute::Strategy& strategy) {
    const auto scope = strategy.scope();
    set_random_seed(3);
    const Sequential model(
        {layers::Dense(3, {.kernel_regularizer = "l2", .input_shape = {4}})});
    model.compile({.optimizer = optimizers::SGD(0.1), .loss = "mse"});
    const Array x = labelled_rows(9).first;
    std::vector<double> all;
    for (int step = 0; step < 3; ++step) {
      all.push_back(model.train_on_batch(x, Array::zeros({9, 3}))[0].second);
    }
    return all;
  };
  EXPECT_LT(relative_difference(loss(replicas(1)), loss(replicas(8))), 1e-5);
}

}  // namespace
}  // namespace systolic::models
