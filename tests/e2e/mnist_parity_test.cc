// The steps of training on real MNIST beside Keras's: the same weights, the
// same rows in the same order, the loss of each step. On one device and on
// eight virtual cores, by train_on_batch and by a loop of one's own.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

#include <cmath>
#include <vector>

#include "systolic/testing/golden.h"

namespace systolic {
namespace {

using distribute::Strategy;

const golden::Case& in_order() {
  static const golden::Case found = [] {
    for (const golden::Case& c : golden::load("mnist_small")) {
      if (c.name() == "in order") return c;
    }
    throw NotFoundError("mnist_small: no case \"in order\"");
  }();
  return found;
}

// Each weight is a fraction of Glorot's limit that its place gives, as
// families/mnist_small.py has it.
std::vector<Array> placed_weights(const models::Model& model) {
  std::vector<Array> weights;
  uint64_t place = 1;
  for (const Array& weight : model.get_weights()) {
    const Shape& shape = weight.shape();
    double limit = 0;
    if (shape.rank() > 1) {
      double field = 1;
      for (int i = 0; i < shape.rank() - 2; ++i) {
        field *= static_cast<double>(shape[i]);
      }
      limit =
          std::sqrt(6 / (field * static_cast<double>(shape[-2] + shape[-1])));
    }
    std::vector<float> values;
    for (int64_t i = 0; i < weight.size(); ++i, ++place) {
      const auto scrambled = static_cast<uint32_t>(place * 2654435761u);
      const double fraction = static_cast<double>(scrambled) / 2147483648. - 1;
      values.push_back(static_cast<float>(limit * fraction));
    }
    weights.push_back(Array::from(values, shape));
  }
  return weights;
}

models::Sequential small_model() {
  models::Sequential model({
      layers::Conv2D(32, 3, {.activation = "relu", .input_shape = {28, 28, 1}}),
      layers::MaxPooling2D(),
      layers::Conv2D(64, 3, {.activation = "relu"}),
      layers::MaxPooling2D(),
      layers::Flatten(),
      layers::Dense(10),
  });
  model.set_weights(placed_weights(model));
  return model;
}

struct Step {
  double loss, accuracy;
};

void expect_kerass(const std::vector<Step>& steps) {
  const auto& losses = in_order().expected().at("losses").list();
  const auto& accuracies = in_order().expected().at("accuracies").list();
  ASSERT_EQ(steps.size(), losses.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(steps[i].loss, losses[i].number(), 1e-3) << "step " << i;
    // One of the 200 rows may be on the edge.
    EXPECT_NEAR(steps[i].accuracy, accuracies[i].number(), 0.0051)
        << "step " << i;
  }
}

Strategy eight() {
  return distribute::TPUStrategy(
      distribute::TPUClusterResolver::connect("virtual:v3-8"));
}

// The rows of the steps, images between 0 and 1.
std::pair<Array, Array> rows(int64_t count) {
  const auto [train, test] = datasets::mnist::load_data();
  const Array images = train.first.slice({Slice(0, count)});
  return {expand_dims(cast<float>(images) / 255.f, -1),
          train.second.slice({Slice(0, count)})};
}

int64_t number_of_steps() { return in_order().options().at("steps").integer(); }
int64_t batch_size() { return in_order().options().at("batch_size").integer(); }

void check_fit(const Strategy& strategy) {
  const auto scope = strategy.scope();
  const auto model = small_model();
  model.compile(
      {.optimizer = optimizers::Adam(),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"sparse_categorical_accuracy"}});
  const auto [x, y] = rows(number_of_steps() * batch_size());
  std::vector<Step> steps;
  for (int64_t i = 0; i < number_of_steps(); ++i) {
    const Slice batch(i * batch_size(), (i + 1) * batch_size());
    const auto values =
        model.train_on_batch(x.slice({batch}), y.slice({batch}));
    steps.push_back({values[0].second, values[1].second});
  }
  expect_kerass(steps);
}

void check_loop(const Strategy& strategy) {
  const auto scope = strategy.scope();
  const auto model = small_model();
  const optimizers::Adam optimizer;
  const metrics::Mean loss_of_step("loss");
  const metrics::SparseCategoricalAccuracy accuracy("accuracy");
  const auto [x, y] = rows(number_of_steps() * batch_size());
  const auto step = [&](Tensor images, Tensor labels) {
    GradientTape tape;
    const Tensor logits = model(images, {.training = true});
    const Tensor each = losses::sparse_categorical_crossentropy(
        labels, logits, {.from_logits = true});
    const Tensor loss =
        nn::compute_average_loss(each, {.global_batch_size = batch_size()});
    const auto variables = model.trainable_variables();
    optimizer.apply(tape.gradient(loss, variables), variables);
    loss_of_step.update_state(loss * strategy.num_replicas_in_sync());
    accuracy.update_state(labels, logits);
  };
  std::vector<Step> steps;
  const auto batches =
      data::Dataset::from_tensor_slices(x, y).batch(batch_size());
  for (auto batch : strategy.distribute_dataset(batches)) {
    strategy.run(step, batch);
    steps.push_back(
        {loss_of_step.result().item<float>(), accuracy.result().item<float>()});
    loss_of_step.reset_state();
    accuracy.reset_state();
  }
  expect_kerass(steps);
}

TEST(MnistParityTest, FitOnOneDevice) { check_fit(distribute::get_strategy()); }

TEST(MnistParityTest, FitOnEightReplicas) { check_fit(eight()); }

TEST(MnistParityTest, LoopOnOneDevice) {
  check_loop(distribute::get_strategy());
}

TEST(MnistParityTest, LoopOnEightReplicas) { check_loop(eight()); }

}  // namespace
}  // namespace systolic
