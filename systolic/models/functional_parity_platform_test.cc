// Functional models and a step of one's own against what Keras computes, on
// one device and on eight.
#include <gtest/gtest.h>

#include "systolic/graph/tape.h"
#include "systolic/models/model_base.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

std::vector<Array> arrays(const golden::Arrays& named) {
  std::vector<Array> all;
  for (const auto& [path, value] : named) all.push_back(value);
  return all;
}

// The logs of a step by name: Keras has those of several outputs elsewhere.
void expect_logs(const MetricValues& got, const golden::Arrays& wanted,
                 const std::string& what) {
  EXPECT_EQ(got.size(), wanted.size()) << what;
  for (const auto& [name, value] : wanted) {
    const auto found =
        std::ranges::find(got, name, &MetricValues::value_type::first);
    ASSERT_NE(found, got.end()) << what << ", " << name;
    EXPECT_NEAR(found->second, value.item<double>(), 2e-5)
        << what << ", " << name;
  }
}

void expect_weights(const Model& model, const golden::Case& c) {
  const golden::Arrays wanted = c.group("final");
  const std::vector<Variable> weights = model.weights();
  ASSERT_EQ(weights.size(), wanted.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i].path(), wanted[i].first);
    EXPECT_EQ(
        golden::difference(weights[i].numpy(), wanted[i].second, {1e-4, 1e-5}),
        "")
        << wanted[i].first;
  }
}

// The case on one device and on eight.
void on_replicas(const std::string& name,
                 const std::function<void(const golden::Case&)>& check) {
  for (const golden::Case& c : golden::load("functional")) {
    if (c.name() != name) continue;
    for (const int count : {1, 8}) {
      SCOPED_TRACE(count);
      const auto strategy = replicas(count);
      const auto scope = strategy.scope();
      check(c);
    }
    return;
  }
  FAIL() << "no recorded case " << name;
}

TEST(FunctionalParity, TwoInputsAndTwoOutputs) {
  on_replicas("two inputs, two outputs", [](const golden::Case& c) {
    const Tensor a = layers::Input({3}, {.name = "a"});
    const Tensor b = layers::Input({2}, {.name = "b"});
    const Tensor x = layers::Dense(
        4, {.activation = "relu", .name = "hidden"})(concatenate({a, b}));
    const Tensor price = layers::Dense(1, {.name = "price"})(x);
    const Tensor kind = layers::Dense(3, {.name = "kind"})(x);
    const Model model({a, b}, {price, kind});
    model.set_weights(arrays(c.group("weights")));
    model.compile({.optimizer = optimizers::SGD(0.1),
                   .loss = {{"price", "mse"},
                            {"kind", losses::SparseCategoricalCrossentropy(
                                         {.from_logits = true})}},
                   .loss_weights = {{"price", 0.5}, {"kind", 2.0}},
                   .metrics = {{"price", {"mae"}}, {"kind", {"accuracy"}}},
                   .weighted_metrics = {{"kind", {"accuracy"}}}});
    for (const std::string n : {"0", "1", "2"}) {
      const auto part = [&](const std::string& what) {
        return c.array(what + "/" + n);
      };
      expect_logs(model.train_on_batch(
                      {part("a"), part("b")}, {part("price"), part("kind")},
                      {part("price_weight"), part("kind_weight")}),
                  c.group("logs/" + n), "step " + n);
    }
    expect_weights(model, c);
  });
}

TEST(FunctionalParity, SharedLayerAndClassWeights) {
  on_replicas("shared layer, class weights", [](const golden::Case& c) {
    const Tensor a = layers::Input({3}, {.name = "a"});
    const Tensor b = layers::Input({3}, {.name = "b"});
    const layers::Dense shared(4, {.activation = "tanh", .name = "shared"});
    const Tensor x = shared(a), y = shared(b);
    const Model model({a, b}, layers::Dense(3, {.name = "out"})(x * y - x));
    model.set_weights(arrays(c.group("weights")));
    model.compile(
        {.optimizer = optimizers::Adam(0.01),
         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
         .metrics = {"accuracy"}});
    for (const std::string n : {"0", "1", "2"}) {
      const auto part = [&](const std::string& what) {
        return c.array(what + "/" + n);
      };
      expect_logs(model.train_on_batch({part("a"), part("b")}, part("y"), {},
                                       {{0, 1.0}, {1, 0.5}, {2, 3.0}}),
                  c.group("logs/" + n), "step " + n);
    }
    expect_weights(model, c);
  });
}

struct OwnStep : ModelBase {
  Tensor call(Tensor x, layers::CallContext context) override {
    return last_(first_(x, context), context);
  }
  // The replicas' losses add up to the batch's.
  void train_step(const StepBatch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x, true);
    Tensor loss = mean(losses::mean_squared_error(Tensor(batch.y), y_pred)) /
                  num_replicas_in_sync();
    loss = loss + 0.1 * sum(square(last_.kernel())) / num_replicas_in_sync();
    const std::vector<Variable> variables = handle().trainable_variables();
    optimizer().apply(tape.gradient(loss, variables), variables);
    loss_tracker_.update_state(loss * num_replicas_in_sync());
    mae_metric_.update_state(Tensor(batch.y), y_pred);
  }
  layers::Dense first_ =
      track("first", layers::Dense(4, {.activation = "relu", .name = "first"}));
  layers::Dense last_ = track("last", layers::Dense(1, {.name = "last"}));
  metrics::Metric loss_tracker_ = track_metric(metrics::Mean("loss"));
  metrics::Metric mae_metric_ =
      track_metric(metrics::MeanAbsoluteError({.name = "mae"}));
};

TEST(FunctionalParity, StepOfOnesOwn) {
  on_replicas("step of one's own", [](const golden::Case& c) {
    const Model model = make<OwnStep>();
    model.build({-1, 3});
    model.set_weights(arrays(c.group("weights")));
    model.compile({.optimizer = optimizers::SGD(0.1)});
    for (const std::string n : {"0", "1", "2"}) {
      expect_logs(model.train_on_batch(c.array("x/" + n), c.array("y/" + n)),
                  c.group("logs/" + n), "step " + n);
    }
  });
}

}  // namespace
}  // namespace systolic::models
