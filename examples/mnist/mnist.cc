// Trains a convnet on real MNIST, on eight virtual TPU cores by default.
//
//   mnist [--tpu virtual:v3-8] [--model small|guide] [--epochs 5] ...
//
// Expected with the small model after 5 epochs at batch 200: a validation
// accuracy of about 0.987.
#include <systolic/systolic.h>

#include <iostream>
#include <string>
#include <vector>

#include "examples/mnist/options.h"

using namespace systolic;

namespace {

// [model]
models::Sequential small_model() {
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

// The model of TensorFlow's guide to TPUs.
models::Sequential guide_model() {
  return models::Sequential({
      layers::Conv2D(256, 3,
                     {.activation = "relu", .input_shape = {28, 28, 1}}),
      layers::Conv2D(256, 3, {.activation = "relu"}),
      layers::Flatten(),
      layers::Dense(256, {.activation = "relu"}),
      layers::Dense(128, {.activation = "relu"}),
      layers::Dense(10),
  });
}

// Refuses the guide's model early where this machine is too small for it.
void check_memory(const examples::MnistOptions& options) {
  if (options.model != "guide" || !options.tpu.starts_with("virtual:")) return;
  const distribute::TPUClusterResolver resolver(options.tpu);
  examples::check_memory_for_guide(
      resolver.get_tpu_system_metadata().num_cores);
}

}  // namespace

int main(int argc, char** argv) try {
  const examples::MnistOptions options =
      examples::parse_mnist_options(argc, argv);
  set_random_seed(options.seed);
  check_memory(options);

  // [main]
  distribute::TPUClusterResolver resolver(options.tpu);
  distribute::connect_to_cluster(resolver);
  distribute::initialize_tpu_system(resolver);
  std::cout << "All devices: " << list_logical_devices("TPU") << "\n";

  distribute::TPUStrategy strategy(resolver);

  auto [train, test] = datasets::mnist::load_data();
  auto prepare = [](Array image, Array label) {
    return std::pair(expand_dims(cast<float>(image) / 255.f, -1), label);
  };
  auto train_ds = data::Dataset::from_tensor_slices(train)
                      .map(prepare, {.num_parallel_calls = data::AUTOTUNE})
                      .cache()
                      .shuffle(60'000)
                      .repeat()
                      .batch(options.batch_size, {.drop_remainder = true})
                      .prefetch(data::AUTOTUNE);
  auto test_ds = data::Dataset::from_tensor_slices(test)
                     .map(prepare)
                     .batch(options.batch_size)
                     .cache();

  auto scope = strategy.scope();
  models::Sequential model =
      options.model == "guide" ? guide_model() : small_model();
  model.compile(
      {.optimizer = optimizers::Adam(),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"sparse_categorical_accuracy"},
       .steps_per_execution = options.steps_per_execution});
  model.summary();
  std::vector<callbacks::Callback> callbacks;
  if (options.model == "guide") callbacks.push_back(examples::step_report());
  auto history =
      model.fit(train_ds, {.epochs = options.epochs,
                           .callbacks = callbacks,
                           .validation_data = test_ds,
                           .steps_per_epoch = options.steps_per_epoch});
  // [main]
  examples::report(history, model);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
