// Times one training task; peers.py runs the same in Keras, JAX and PyTorch.
//   train_steps --task cnn200 --spe 30 [--tpu virtual:v3-8] [--own-loop]
// Prints one JSON line: microseconds a step (the best of three passes), seconds
// from the start of the program to the end of its first step, megabytes that
// were resident at most, the last loss.
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "systolic/runtime/memory.h"

namespace {

using namespace systolic;
using Clock = std::chrono::steady_clock;

constexpr int kPasses = 3;

// A task: the model's name, its batch, and the steps of one pass.
struct Task {
  std::string name;
  std::string model;
  int64_t batch;
  int64_t steps;
};

const std::vector<Task>& tasks() {
  static const std::vector<Task> kTasks = {{"mlp32", "mlp", 32, 300},
                                           {"mlp200", "mlp", 200, 300},
                                           {"cnn200", "cnn", 200, 60},
                                           {"guide32", "guide", 32, 6},
                                           {"guide200", "guide", 200, 3}};
  return kTasks;
}

models::Sequential make_model(const std::string& model) {
  if (model == "mlp") {
    return models::Sequential(
        {layers::Dense(128, {.activation = "relu", .input_shape = {784}}),
         layers::Dense(10)});
  }
  if (model == "cnn") {
    return models::Sequential(
        {layers::Conv2D(32, 3,
                        {.activation = "relu", .input_shape = {28, 28, 1}}),
         layers::MaxPooling2D(), layers::Conv2D(64, 3, {.activation = "relu"}),
         layers::MaxPooling2D(), layers::Flatten(), layers::Dense(10)});
  }
  return models::Sequential(
      {layers::Conv2D(256, 3,
                      {.activation = "relu", .input_shape = {28, 28, 1}}),
       layers::Conv2D(256, 3, {.activation = "relu"}), layers::Flatten(),
       layers::Dense(256, {.activation = "relu"}),
       layers::Dense(128, {.activation = "relu"}), layers::Dense(10)});
}

// Fixed random batches, [steps, batch, ...], kept and seen again and again.
data::Dataset make_dataset(const Task& task, int64_t steps) {
  std::mt19937 random(0);
  std::uniform_real_distribution<float> pixel(0.f, 1.f);
  std::uniform_int_distribution<int32_t> label(0, 9);
  std::vector<float> x(static_cast<size_t>(steps * task.batch * 784));
  std::vector<int32_t> y(static_cast<size_t>(steps * task.batch));
  std::ranges::generate(x, [&] { return pixel(random); });
  std::ranges::generate(y, [&] { return label(random); });
  const Shape shape = task.model == "mlp" ? Shape{steps, task.batch, 784}
                                          : Shape{steps, task.batch, 28, 28, 1};
  return data::Dataset::from_tensor_slices(Array::from(x, shape),
                                           Array::from(y, {steps, task.batch}))
      .cache()
      .repeat()
      .prefetch(4);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What trains: some steps of a task, and the loss of the last of them.
struct Trainer {
  std::function<void(int64_t)> train;
  std::function<double(int64_t)> loss_after;
};

Trainer fit_trainer(const Task& task, int64_t spe,
                    const data::Dataset& dataset) {
  auto model = make_model(task.model);
  model.compile(
      {.optimizer = optimizers::Adam(),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"sparse_categorical_accuracy"},
       .steps_per_execution = spe});
  auto fit = [model, dataset](int64_t n) {
    return model.fit(
        dataset, {.verbose = models::Verbose::silent, .steps_per_epoch = n});
  };
  return {.train = fit,
          .loss_after = [fit](int64_t n) { return fit(n)["loss"].back(); }};
}

// The same in a loop of its own: a step through strategy.run, or `spe` of them
// through run_steps.
Trainer loop_trainer(const Task& task, int64_t spe,
                     const data::Dataset& dataset) {
  auto model = make_model(task.model);
  optimizers::Adam optimizer;
  metrics::Mean loss("loss");
  metrics::SparseCategoricalAccuracy accuracy;
  const int64_t batch = task.batch;
  auto step = [=](Tensor x, Tensor y) {
    GradientTape tape;
    const Tensor logits = model(x, {.training = true});
    const Tensor each = losses::sparse_categorical_crossentropy(
        y, logits, {.from_logits = true});
    const Tensor average =
        nn::compute_average_loss(each, {.global_batch_size = batch});
    const auto variables = model.trainable_variables();
    optimizer.apply(tape.gradient(average, variables), variables);
    loss.update_state(each);
    accuracy.update_state(y, logits);
  };
  const auto strategy = distribute::get_strategy();
  auto it = std::make_shared<distribute::DistributedIterator>(
      strategy.distribute_dataset(dataset).iterator());
  const auto train = [=](int64_t n) {
    if (spe > 1) {
      strategy.run_steps(step, *it, n);
    } else {
      for (int64_t i = 0; i < n; ++i) strategy.run(step, it->next());
    }
    // As fit does after an epoch: waits for the devices.
    static_cast<void>(loss.result().item<float>());
  };
  return {.train = train, .loss_after = [=](int64_t n) {
            loss.reset_state();
            train(n);
            return loss.result().item<double>();
          }};
}

void run(const Task& task, int64_t spe, bool own_loop,
         Clock::time_point start) {
  // Whole executions only, so that every step counted was a full one.
  const int64_t steps = std::max<int64_t>(task.steps / spe, 1) * spe;
  const auto dataset = make_dataset(task, steps);
  const Trainer trainer = own_loop ? loop_trainer(task, spe, dataset)
                                   : fit_trainer(task, spe, dataset);
  trainer.train(spe);
  const double first = seconds_since(start);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPasses; ++i) {
    const auto begin = Clock::now();
    trainer.train(steps);
    best = std::min(best, seconds_since(begin));
  }
  const double loss = trainer.loss_after(spe);
  std::printf(
      "{\"program\": \"systolic\", \"task\": \"%s\", \"spe\": %lld, "
      "\"us_per_step\": %.1f, \"start_to_first_step_s\": %.3f, "
      "\"resident_mb\": %.1f, \"loss\": %.4f}\n",
      task.name.c_str(), static_cast<long long>(spe),
      best / static_cast<double>(steps) * 1e6, first,
      static_cast<double>(
          internal::runtime::process_memory().peak_bytes.value_or(0)) /
          1e6,
      loss);
}

}  // namespace

int main(int argc, char** argv) {
  const auto start = Clock::now();
  CLI::App app("Times one training task of benchmarks/comparative.");
  std::string name;
  int64_t spe = 1;
  std::optional<std::string> tpu;
  bool own_loop = false;
  std::vector<std::string> names;
  for (const Task& task : tasks()) names.push_back(task.name);
  app.add_option("--task", name, "What to train")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("--spe", spe, "Steps per execution")
      ->check(CLI::PositiveNumber);
  app.add_option("--tpu", tpu, "Train on this TPU name (one CPU device)");
  app.add_flag("--own-loop", own_loop,
               "A loop of one's own through strategy.run, in place of fit");
  CLI11_PARSE(app, argc, argv);

  const Task& task = *std::ranges::find(tasks(), name, &Task::name);
  try {
    if (tpu) {
      distribute::TPUClusterResolver resolver(*tpu);
      distribute::connect_to_cluster(resolver);
      distribute::initialize_tpu_system(resolver);
      distribute::TPUStrategy strategy(resolver);
      auto scope = strategy.scope();
      run(task, spe, own_loop, start);
    } else {
      run(task, spe, own_loop, start);
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "train_steps: %s\n", e.what());
    return 1;
  }
  return 0;
}
