// A training loop of one's own: real MNIST on eight virtual TPU cores.
//
//   build/bin/custom_training_loop
//
// Five epochs with a launch for each step, and a sixth whose loop runs on the
// devices. Printed as TensorFlow's guide to TPUs prints it:
//
//   Epoch: 0/5
//   Current step: 300, training loss: ..., accuracy: ...%
//   ...
//   Current step: 1800, training loss: ..., accuracy: ...%
//
// With this model the accuracy is 98.7% after five epochs, at a loss of 0.043:
// Keras reaches 98.75% and 0.042 (the means of six seeds).
#include <systolic/systolic.h>

#include <cmath>
#include <iostream>

using namespace systolic;

namespace {

constexpr int64_t kBatchSize = 200;
constexpr int64_t kStepsPerEpoch = 60'000 / kBatchSize;

// [model]
models::Sequential create_model() {
  return models::Sequential({
      layers::Conv2D(32, 3, {.activation = "relu", .input_shape = {28, 28, 1}}),
      layers::MaxPooling2D(),
      layers::Conv2D(64, 3, {.activation = "relu"}),
      layers::MaxPooling2D(),
      layers::Flatten(),
      layers::Dense(10),
  });
}
// [model]

// [dataset]
data::Dataset get_dataset(int64_t batch_size) {
  auto [train, test] = datasets::mnist::load_data();
  auto scale = [](Array image, Array label) {
    return std::pair(expand_dims(cast<float>(image) / 255.f, -1), label);
  };
  return data::Dataset::from_tensor_slices(train)
      .map(scale, {.num_parallel_calls = data::AUTOTUNE})
      .cache()
      .shuffle(60'000)
      .repeat()
      .batch(batch_size)
      .prefetch(data::AUTOTUNE);
}
// [dataset]

// As Python's round().
double rounded(double value, int digits) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}

}  // namespace

int main() try {
  set_random_seed(3);
  auto resolver = distribute::TPUClusterResolver::connect("virtual:v3-8");
  distribute::TPUStrategy strategy(resolver);

  // [state]
  auto scope = strategy.scope();
  auto model = create_model();
  optimizers::Adam optimizer;
  metrics::Mean training_loss("training_loss");
  metrics::SparseCategoricalAccuracy training_accuracy("training_accuracy");
  auto train_dataset = strategy.distribute_datasets_from_function(
      [](const InputContext& context) {
        return get_dataset(context.get_per_replica_batch_size(kBatchSize));
      });
  // [state]

  // [step]
  auto step_fn = [&](Tensor images, Tensor labels) {
    GradientTape tape;
    Tensor logits = model(images, {.training = true});
    Tensor per_example = losses::sparse_categorical_crossentropy(
        labels, logits, {.from_logits = true});
    Tensor loss = nn::compute_average_loss(per_example,
                                           {.global_batch_size = kBatchSize});
    auto variables = model.trainable_variables();
    optimizer.apply(tape.gradient(loss, variables), variables);
    training_loss.update_state(loss * strategy.num_replicas_in_sync());
    training_accuracy.update_state(labels, logits);
  };
  // [step]

  auto report = [&] {
    std::cout << "Current step: " << optimizer.iterations().item<int>()
              << ", training loss: "
              << rounded(training_loss.result().item<float>(), 4)
              << ", accuracy: "
              << rounded(training_accuracy.result().item<float>() * 100, 2)
              << "%" << std::endl;
    training_loss.reset_state();
    training_accuracy.reset_state();
  };

  // [loop]
  auto it = train_dataset.iterator();
  for (int epoch = 0; epoch < 5; ++epoch) {
    std::cout << "Epoch: " << epoch << "/5" << std::endl;
    for (int64_t step = 0; step < kStepsPerEpoch; ++step) {
      strategy.run(step_fn, it.next());
    }
    report();
  }
  // [loop]

  // [many_steps]
  strategy.run_steps(step_fn, it, kStepsPerEpoch);
  report();
  // [many_steps]
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
