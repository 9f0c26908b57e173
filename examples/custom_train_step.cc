// A model of your own: a layer of your own in it, and a training step of your
// own, which fit runs.
//
//   build/bin/custom_train_step
//
// Expected:
//   loss: ... -> ..., mae: ... -> ...
//   trained: the loss is under a tenth of the first
//   penalised/scale/factor (1,) trained
//   penalised/scale/count () not trained
//   penalised/hidden/kernel (3, 16) trained
//   penalised/hidden/bias (16,) trained
//   penalised/out/kernel (16, 1) trained
//   penalised/out/bias (1,) trained
//   calls in training: 240
#include <systolic/systolic.h>

#include <iostream>
#include <random>
#include <vector>

using namespace systolic;

namespace {

// [layer]
// Scales its input, counts its calls in training, and adds to the loss.
struct Scale : layers::LayerBase {
  Scale() : LayerBase({.name = "scale"}) {}

  void build(const Shape&) override {
    factor_ =
        add_weight({.name = "factor", .shape = {1}, .initializer = "ones"});
    count_ = add_weight(
        {.name = "count", .dtype = DType::int32, .trainable = false});
  }

  Tensor call(Tensor x, layers::CallContext context) override {
    if (context.training) count_.assign_add(1);
    add_loss(0.01 * sum(square(value(factor_) - 1)));
    return x * value(factor_);
  }

  Variable factor_, count_;
};
// [layer]

// [model]
struct Penalised : models::ModelBase {
  Penalised() : ModelBase({.name = "penalised"}) {}

  Tensor call(Tensor x, layers::CallContext context) override {
    return out_(hidden_(scale_(x, context), context), context);
  }

  // As Keras's: the loss, its gradients, an update, the metrics.
  void train_step(const models::StepBatch& batch) override {
    GradientTape tape;
    Tensor y_pred = (*this)(batch.x, true);
    Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
    auto variables = handle().trainable_variables();
    auto gradients = tape.gradient(loss, variables);
    for (Tensor& gradient : gradients) gradient = clip(gradient, -1, 1);
    optimizer().apply(gradients, variables);
    track_loss(loss, batch);
    mae_.update_state(batch.y, y_pred);
  }

  layers::Layer scale_ = track("scale", layers::make<Scale>());
  layers::Layer hidden_ = track(
      "hidden", layers::Dense(16, {.activation = "tanh", .name = "hidden"}));
  layers::Layer out_ = track("out", layers::Dense(1, {.name = "out"}));
  metrics::Metric mae_ =
      track_metric(metrics::MeanAbsoluteError({.name = "mae"}));
};
// [model]

}  // namespace

int main() {
  set_random_seed(1);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> x, y;
  for (int i = 0; i < 256; ++i) {
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
      x.push_back(normal(random));
      sum += x.back() * static_cast<float>(k - 1);
    }
    y.push_back(sum);
  }

  // [fit]
  auto model = models::make<Penalised>();
  model.compile({.optimizer = optimizers::Adam(0.01), .loss = "mse"});
  auto history = model.fit(Array::from(x, {256, 3}), Array::from(y, {256, 1}),
                           {.epochs = 30, .verbose = models::Verbose::silent});
  // [fit]
  std::cout << "loss: " << history["loss"].front() << " -> "
            << history["loss"].back() << ", mae: " << history["mae"].front()
            << " -> " << history["mae"].back() << "\n";
  const bool trained = history["loss"].back() < history["loss"].front() / 10;
  std::cout << (trained ? "trained" : "not trained")
            << ": the loss is under a tenth of the first\n";
  for (const Variable& weight : model.weights()) {
    std::cout << weight.path() << " " << weight.shape()
              << (weight.trainable() ? " trained\n" : " not trained\n");
  }
  std::cout << "calls in training: " << model.weights()[1].item<int32_t>()
            << "\n";
  return trained ? 0 : 1;
}
