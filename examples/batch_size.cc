// Batch size and learning rate scaled with the cores: as many examples a core,
// so more a step, fewer steps an epoch, and a rate that grows with the batch.
//
//   build/bin/batch_size
//
// Expected:
//   1 replica(s): batch 16, learning rate 0.002, 64 steps an epoch
//   accuracy after 5 epochs: 0.9...
//   8 replica(s): batch 128, learning rate 0.016, 8 steps an epoch
//   accuracy after 5 epochs: 0.9...
#include <systolic/systolic.h>

#include <cstdio>
#include <utility>
#include <vector>

using namespace systolic;

namespace {

// Points of a square, and the quadrant of each.
std::pair<Array, Array> quadrants(int64_t count) {
  const Array points = random::uniform({count, 2}, -1, 1).numpy();
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    const bool right = points[{i, 0}].item<float>() > 0;
    const bool top = points[{i, 1}].item<float>() > 0;
    labels.push_back((right ? 1 : 0) + (top ? 2 : 0));
  }
  return {points, Array::from(labels)};
}

void train(const distribute::Strategy& strategy) {
  set_random_seed(1);
  constexpr int64_t kExamples = 1024;
  const auto data = quadrants(kExamples);

  // [scaled]
  const int replicas = strategy.num_replicas_in_sync();
  const int64_t batch_size = 16 * replicas;
  const double learning_rate = 0.002 * replicas;
  // [scaled]
  std::printf("%d replica(s): batch %d, learning rate %g, %d steps an epoch\n",
              replicas, static_cast<int>(batch_size), learning_rate,
              static_cast<int>(kExamples / batch_size));

  auto scope = strategy.scope();
  models::Sequential model({
      layers::Dense(32, {.activation = "relu"}),
      layers::Dense(4),
  });
  model.compile(
      {.optimizer = optimizers::Adam(learning_rate),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
  const auto history = model.fit(data, {.batch_size = batch_size,
                                        .epochs = 5,
                                        .verbose = models::Verbose::silent});
  std::printf("accuracy after 5 epochs: %.3f\n", history["accuracy"].back());
}

}  // namespace

int main() {
  train(distribute::get_strategy());
  train(distribute::TPUStrategy(
      distribute::TPUClusterResolver::connect("virtual:v3-8")));
}
