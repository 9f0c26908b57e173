// Three training steps of small models against Keras: the losses and metrics
// of each step, the weights after them, evaluation and predictions.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "systolic/systolic.h"
#include "systolic/testing/golden.h"

namespace systolic {
namespace {

using golden::Value;

layers::Layer make_layer(const Value& o) {
  const std::string& kind = o["class_name"].text();
  const std::string activation = o.get("activation", "linear");
  if (kind == "Input") {
    return layers::InputLayer(Shape(o["shape"].integers()));
  }
  if (kind == "Dense") {
    return layers::Dense(o["units"].integer(), {.activation = activation});
  }
  if (kind == "Conv2D") {
    return layers::Conv2D(o["filters"].integer(), o["kernel_size"].integer(),
                          {.activation = activation});
  }
  if (kind == "MaxPooling2D") return layers::MaxPooling2D();
  if (kind == "Flatten") return layers::Flatten();
  throw NotFoundError("no layer is made here from " + kind);
}

std::optional<double> optional_number(const Value& o, const char* key) {
  if (!o.has(key)) return std::nullopt;
  return o[key].number();
}

optimizers::Optimizer make_optimizer(const Value& o) {
  const std::string& kind = o["class_name"].text();
  const Value& config = o["config"];
  const double rate = config["learning_rate"].number();
  const auto global_clipnorm = optional_number(config, "global_clipnorm");
  if (kind == "Adam") {
    return optimizers::Adam(
        {.learning_rate = rate, .global_clipnorm = global_clipnorm});
  }
  if (kind == "AdamW") {
    return optimizers::AdamW({.learning_rate = rate,
                              .weight_decay = config["weight_decay"].number(),
                              .global_clipnorm = global_clipnorm});
  }
  if (kind == "RMSprop") return optimizers::RMSprop({.learning_rate = rate});
  if (kind == "SGD") {
    return optimizers::SGD({.learning_rate = rate,
                            .momentum = config.get("momentum", 0.0),
                            .nesterov = config.get("nesterov", false)});
  }
  throw NotFoundError("no optimizer is made here from " + kind);
}

losses::Loss make_loss(const Value& o) {
  if (o["class_name"].text() == "MeanSquaredError") {
    return losses::MeanSquaredError();
  }
  return losses::SparseCategoricalCrossentropy(
      {.from_logits = o["config"].get("from_logits", false)});
}

std::vector<metrics::Identifier> metric_names(const Value& list) {
  std::vector<metrics::Identifier> out;
  for (const std::string& name : list.texts()) out.emplace_back(name);
  return out;
}

models::Sequential make_model(const golden::Case& c) {
  std::vector<layers::Layer> made;
  for (const Value& layer : c.options()["layers"].list()) {
    made.push_back(make_layer(layer));
  }
  models::Sequential model(made);
  std::vector<Array> weights;
  for (const auto& [path, value] : c.group("weights")) {
    weights.push_back(value);
  }
  model.set_weights(weights);
  const bool weighted = c.options().get("weighted", false);
  std::vector<metrics::Identifier> weighted_metrics;
  if (weighted) weighted_metrics = {"sparse_categorical_accuracy"};
  model.compile({.optimizer = make_optimizer(c.options()["optimizer"]),
                 .loss = make_loss(c.options()["loss"]),
                 .metrics = metric_names(c.options()["metrics"]),
                 .weighted_metrics = weighted_metrics});
  return model;
}

// Keras numbers the second metric of one name; ours are compared in order.
void expect_logs(const models::MetricValues& got, const golden::Arrays& wanted,
                 const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (const auto& [name, value] : wanted) {
    bool found = false;
    for (const auto& [our_name, our_value] : got) {
      if (our_name != name) continue;
      found = true;
      EXPECT_NEAR(our_value, value.item<double>(), 2e-5)
          << what << ", " << name;
    }
    EXPECT_TRUE(found) << what << " has no " << name;
  }
}

class TrainingParity : public ::testing::TestWithParam<golden::Case> {};

TEST_P(TrainingParity, ThreeStepsAsInKeras) {
  const golden::Case& c = GetParam();
  const models::Sequential model = make_model(c);
  const int64_t steps = c.options()["steps"].integer();
  Array x;
  Array y;
  Array weight;
  for (int64_t step = 0; step < steps; ++step) {
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

INSTANTIATE_TEST_SUITE_P(Keras, TrainingParity,
                         ::testing::ValuesIn(golden::load("training")),
                         [](const auto& info) {
                           std::string out;
                           for (char ch : info.param.name()) {
                             if (std::isalnum(static_cast<unsigned char>(ch)) !=
                                 0)
                               out += ch;
                           }
                           return out;
                         });

}  // namespace
}  // namespace systolic
