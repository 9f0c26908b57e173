// A functional model: two inputs that share a layer, and two outputs with a
// loss each.
//
//   build/bin/functional
//
// Expected:
//   left, right -> same, distance
//   encoder/kernel (4, 8)
//   encoder/bias (8,)
//   same/kernel (8, 1)
//   same/bias (1,)
//   distance/kernel (8, 1)
//   distance/bias (1,)
//   loss: ... -> ...
//   distance_loss: ... -> ...
//   same_loss: ... -> ...
//   same_accuracy: ... -> ...
//   trained: same_accuracy above 0.9, loss under a quarter of the first
//   predict_all: same (256, 1), distance (256, 1)
//   encoder of its own: (None, 4) -> (None, 8)
#include <systolic/systolic.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <string>

using namespace systolic;

namespace {

// [model]
// Which of two points are near each other, and how far they are apart: both
// go through the same encoder.
models::Model near_or_far() {
  Tensor left = layers::Input({4}, {.name = "left"});
  Tensor right = layers::Input({4}, {.name = "right"});
  layers::Dense encoder(8, {.activation = "tanh", .name = "encoder"});
  Tensor a = encoder(left), b = encoder(right);
  Tensor apart = square(a - b);  // operations make a model, too
  Tensor same =
      layers::Dense(1, {.activation = "sigmoid", .name = "same"})(apart);
  Tensor distance = layers::Dense(1, {.name = "distance"})(apart);
  return models::Model({left, right}, {same, distance});
}
// [model]

struct Pairs {
  Array left, right, same, distance;
};

Pairs make_pairs(int64_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> point;
  std::vector<float> left, right, same, distance;
  for (int64_t i = 0; i < count; ++i) {
    const float scale = i % 2 == 0 ? 0.1f : 2.0f;
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      const float step = scale * point(random);
      left.push_back(point(random));
      right.push_back(left.back() + step);
      sum += step * step;
    }
    same.push_back(i % 2 == 0 ? 1.f : 0.f);
    distance.push_back(std::min(sum, 4.f) / 4);
  }
  return {Array::from(left, {count, 4}), Array::from(right, {count, 4}),
          Array::from(same, {count, 1}), Array::from(distance, {count, 1})};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

int main() {
  set_random_seed(1);
  const models::Model model = near_or_far();
  std::cout << joined(model.input_names()) << " -> "
            << joined(model.output_names()) << "\n";
  for (const Variable& weight : model.weights()) {
    std::cout << weight.path() << " " << weight.shape() << "\n";
  }

  // [fit]
  model.compile({.optimizer = optimizers::Adam(0.02),
                 .loss = {{"same", "binary_crossentropy"}, {"distance", "mse"}},
                 .loss_weights = {{"same", 1.0}, {"distance", 2.0}},
                 .metrics = {{"same", {"accuracy"}}}});
  const Pairs data = make_pairs(256);
  auto history = model.fit(
      {data.left, data.right},
      {{"same", data.same}, {"distance", data.distance}},
      {.batch_size = 32, .epochs = 40, .verbose = models::Verbose::silent});
  // [fit]
  for (const char* name :
       {"loss", "distance_loss", "same_loss", "same_accuracy"}) {
    std::cout << name << ": " << history[name].front() << " -> "
              << history[name].back() << "\n";
  }
  const bool trained = history["same_accuracy"].back() > 0.9 &&
                       history["loss"].back() < history["loss"].front() / 4;
  std::cout << (trained ? "trained" : "not trained")
            << ": same_accuracy above 0.9, loss under a quarter of the first\n";

  const models::Arrays all =
      model.predict_all(models::Arrays{data.left, data.right},
                        {.verbose = models::Verbose::silent});
  std::cout << "predict_all: same " << all["same"].shape() << ", distance "
            << all["distance"].shape() << "\n";
  // [middle]
  // What a layer gives is the output of a model, too.
  const models::Model encoder(model.inputs()[0],
                              model.get_layer("encoder").output());
  // [middle]
  std::cout << "encoder of its own: " << encoder.input().shape() << " -> "
            << encoder.output().shape() << "\n";
  return trained ? 0 : 1;
}
