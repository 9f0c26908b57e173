// What training leaves behind: resident memory and live PJRT handles after
// step 20,000 less those after step 1,000, of the task mlp32, by fit or in a
// loop of one's own.
// Prints one JSON line.
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "systolic/pjrt/handle.h"
#include "systolic/runtime/memory.h"

namespace {

using namespace systolic;

constexpr int64_t kFirst = 1'000;

int64_t handles() {
  const auto live = internal::pjrt::live_handles();
  return live.errors + live.events + live.buffers + live.executables +
         live.loaded_executables;
}

int64_t resident() { return internal::runtime::process_memory().bytes_in_use; }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Says what training leaves behind.");
  int64_t steps = 20'000;
  app.add_option("--steps", steps, "Steps in all (20000)")
      ->check(CLI::Range(kFirst + 1, int64_t{1} << 40));
  bool own_loop = false;
  app.add_flag("--own-loop", own_loop,
               "A loop of one's own through strategy.run, in place of fit");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto dataset = data::Dataset::from_tensor_slices(
                             std::pair(Array::ones({320, 784}),
                                       Array::zeros({320}, DType::int32)))
                             .batch(32)
                             .cache()
                             .repeat()
                             .prefetch(4);
    models::Sequential model(
        {layers::Dense(128, {.activation = "relu", .input_shape = {784}}),
         layers::Dense(10)});
    model.compile(
        {.optimizer = "adam",
         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
         .metrics = {"sparse_categorical_accuracy"}});
    const auto strategy = distribute::get_strategy();
    auto it = strategy.distribute_dataset(dataset).iterator();
    optimizers::Adam optimizer;
    metrics::Mean loss("loss");
    const auto step = [&](Tensor x, Tensor y) {
      GradientTape tape;
      const Tensor each = losses::sparse_categorical_crossentropy(
          y, model(x, {.training = true}), {.from_logits = true});
      const auto variables = model.trainable_variables();
      optimizer.apply(tape.gradient(nn::compute_average_loss(each), variables),
                      variables);
      loss.update_state(each);
    };
    const auto train = [&](int64_t n) {
      if (own_loop) {
        for (int64_t i = 0; i < n; ++i) strategy.run(step, it.next());
        static_cast<void>(loss.result().item<float>());
        return;
      }
      model.fit(dataset,
                {.verbose = models::Verbose::silent, .steps_per_epoch = n});
    };
    train(kFirst);
    const int64_t resident_before = resident();
    const int64_t handles_before = handles();
    train(steps - kFirst);
    std::printf("{\"resident_growth_mb\": %.2f, \"handle_growth\": %.1f}\n",
                static_cast<double>(resident() - resident_before) / 1e6,
                static_cast<double>(handles() - handles_before));
  } catch (const Error& e) {
    std::fprintf(stderr, "growth: %s\n", e.what());
    return 1;
  }
  return 0;
}
