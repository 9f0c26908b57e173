// A decoder as Llama has it: RMS normalization, rotary positions, attention in
// which heads share keys, SwiGLU, no biases. It learns a rhyme by heart.
//
//   build/bin/llama [--tpu virtual:v3-2] [--width 64] [--layers 2] ...
//
// Llama 3.1 8B, 8,030,261,248 parameters:
//   build/bin/llama --tpu local --vocabulary 128256 --width 4096 --layers 32
//       --heads 32 --kv-heads 8 --mlp 14336 --length 8192 --recompute ...
//
// Expected:
//   115008 parameters
//   loss 1... -> 0.0..., accuracy 0.9...
//   How I wonder what you are! Up above the world so high, Like a di
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "examples/llama/model.h"

using namespace systolic;

namespace {

constexpr std::string_view kRhyme =
    "Twinkle, twinkle, little star, How I wonder what you are! Up above the "
    "world so high, Like a diamond in the sky. ";

// Pieces of the rhyme, each starting one letter further on.
Array pieces(int64_t length) {
  const auto letters = static_cast<int64_t>(kRhyme.size());
  Tensor rhyme = constant(std::vector<int32_t>(kRhyme.begin(), kRhyme.end()));
  Tensor place = expand_dims(arange(letters), -1) + arange(length);
  return take(rhyme, place % letters).numpy();
}

}  // namespace

int main(int argc, char** argv) {
  examples::LlamaOptions o;
  CLI::App app("Trains a small Llama to say a rhyme.");
  app.option_defaults()->always_capture_default();
  app.add_option("--tpu", o.tpu);
  app.add_option("--dtype-policy", o.dtype_policy);
  app.add_option("--vocabulary", o.vocabulary)->check(CLI::Range(128, 1 << 20));
  app.add_option("--width", o.width);
  app.add_option("--layers", o.layers);
  app.add_option("--heads", o.heads);
  app.add_option("--kv-heads", o.kv_heads);
  app.add_option("--mlp", o.mlp);
  app.add_flag("--recompute", o.recompute, "Less memory, more time");
  app.add_option("--length", o.length)->check(CLI::Range(8, 1 << 20));
  app.add_option("--batch-size", o.batch_size);
  app.add_option("--epochs", o.epochs)->check(CLI::PositiveNumber);
  app.add_option("--steps-per-epoch", o.steps_per_epoch);
  app.add_option("--steps-per-execution", o.steps_per_execution);
  CLI11_PARSE(app, argc, argv);

  set_random_seed(1);
  config::set_dtype_policy(o.dtype_policy);
  distribute::TPUStrategy strategy(
      distribute::TPUClusterResolver::connect(o.tpu));
  auto scope = strategy.scope();
  models::Model model = examples::make_llama(o);
  model.build({o.batch_size, o.length});
  std::cout << model.count_params() << " parameters\n";
  model.compile(
      {.optimizer = optimizers::AdamW(3e-3),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"},
       .steps_per_execution = o.steps_per_execution});
  const Array text = pieces(o.length + 1);
  auto dataset =
      data::Dataset::from_tensor_slices(text[{all, Slice(0, o.length)}],
                                        text[{all, Slice(1, o.length + 1)}])
          .shuffle(256)
          .repeat()
          .batch(o.batch_size, {.drop_remainder = true});
  auto history = model.fit(dataset, {.epochs = static_cast<int>(o.epochs),
                                     .verbose = models::Verbose::silent,
                                     .steps_per_epoch = o.steps_per_epoch});
  std::cout << "loss " << history["loss"].front() << " -> "
            << history["loss"].back() << ", accuracy "
            << history["accuracy"].back() << "\n";
  // [continue]
  std::vector<int32_t> said{'H', 'o', 'w'};
  const auto known = static_cast<int64_t>(said.size());
  said.resize(o.length);
  for (int64_t i = known; i < o.length; ++i) {
    const Array scores =
        model.predict_on_batch(Array::from(said, {1, o.length}));
    said[i] = argmax(scores[{0, i - 1}]).item<int32_t>();
  }
  // [continue]
  std::cout << std::string(said.begin(), said.end()) << "\n";
}
