// A layer of your own, and a training with it.
//
//   build/bin/custom_layer
//
// Expected:
//   loss 0... -> 0.0..., accuracy 0.9...
//   sequential/dense/kernel (2, 16)
//   sequential/dense/bias (16,)
//   sequential/residual/scale (1,)
//   sequential/residual/dense_1/kernel (16, 16)
//   sequential/residual/dense_1/bias (16,)
//   sequential/dense_2/kernel (16, 2)
//   sequential/dense_2/bias (2,)
#include <systolic/systolic.h>

#include <iostream>

using namespace systolic;

namespace {

// [layer]
// x + a weighted, activated x: a residual block with a weight of its own.
struct Residual : layers::LayerBase {
  explicit Residual(int64_t units)
      : dense_(track("dense", layers::Dense(units, {.activation = "relu"}))) {}

  void build(const Shape&) override {
    scale_ = add_weight({.name = "scale", .shape = {1}, .initializer = "ones"});
  }

  Tensor call(Tensor x, layers::CallContext context) override {
    return x + value(scale_) * dense_(x, context);
  }

  layers::Layer dense_;
  Variable scale_;
};
// [layer]

// [data]
// Points on the unit square, and whether they lie inside a circle.
std::pair<Array, Array> points(int64_t count) {
  const Array xy = random::uniform({count, 2}, -1, 1, {.seed = 7}).numpy();
  const Array inside = sum(square(xy), {.axis = -1}) < 0.6f;
  return {xy, cast<int>(inside)};
}
// [data]

}  // namespace

int main() {
  // [training]
  set_random_seed(1);
  const auto [x, y] = points(2000);
  models::Sequential model({
      layers::Dense(16, {.activation = "relu", .input_shape = {2}}),
      layers::make<Residual>(16),
      layers::Dense(2),
  });
  model.compile(
      {.optimizer = optimizers::Adam(1e-2),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"},
       .steps_per_execution = 20});
  const auto history = model.fit(
      x, y,
      {.batch_size = 50, .epochs = 10, .verbose = models::Verbose::silent});
  // [training]
  std::cout << "loss " << history["loss"].front() << " -> "
            << history["loss"].back() << ", accuracy "
            << history["accuracy"].back() << "\n";
  for (const Variable& weight : model.weights()) {
    std::cout << weight.path() << " " << weight.shape().to_string() << "\n";
  }
}
