// A Transformer of layers of one's own: a decoder that learns to sort digits,
// one token after the other.
//
//   build/bin/transformer [--tpu virtual:v3-8] [--width 32] [--blocks 2] ...
//   build/bin/transformer --tpu local --digits 512 --width 1024 --heads 16 ...
//
// Expected:
//   26571 parameters
//   loss 0... -> 0.00..., accuracy 0.99...
//   3 1 4 1 5 9 -> 1 1 3 4 5 9
//   2 7 1 8 2 8 -> 1 2 2 7 8 8
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <vector>

using namespace systolic;

namespace {

struct Options {
  std::string tpu = "virtual:v3-8", dtype_policy = "float32";
  int64_t digits = 6, width = 32, heads = 2, blocks = 2;
  int64_t batch_size = 128, steps_per_epoch = 100;
  int epochs = 4;
};

constexpr int64_t kSeparator = 10, kTokens = 11;

// [block]
// Attention to what was before, then two dense layers; each beside a shortcut.
struct Block : layers::LayerBase {
  Block(int64_t width, int64_t heads)
      : attention_(track("attention",
                         layers::MultiHeadAttention(heads, width / heads))),
        up_(track("up", layers::Dense(4 * width, {.activation = "gelu"}))),
        down_(track("down", layers::Dense(width))),
        norm_1_(track("norm_1", layers::LayerNormalization())),
        norm_2_(track("norm_2", layers::LayerNormalization())) {}

  Tensor call(Tensor x, layers::CallContext) override {
    Tensor y = norm_1_(x);
    x = x + attention_(y, y, {.use_causal_mask = true});
    return x + down_(up_(norm_2_(x)));
  }

  layers::MultiHeadAttention attention_;
  layers::Layer up_, down_, norm_1_, norm_2_;
};
// [block]

// [model]
struct Decoder : models::ModelBase {
  explicit Decoder(const Options& o)
      : words_(track("words", layers::Embedding(kTokens, o.width))),
        places_(track("places", layers::Embedding(2 * o.digits, o.width))),
        norm_(track("norm", layers::LayerNormalization())),
        logits_(track("logits", layers::Dense(kTokens, {.dtype = "float32"}))) {
    for (int64_t i = 0; i < o.blocks; ++i) {
      blocks_.push_back(track("block_" + std::to_string(i),
                              layers::make<Block>(o.width, o.heads)));
    }
  }

  Tensor call(Tensor tokens, layers::CallContext) override {
    Tensor x = words_(tokens) + places_(arange(tokens.shape()[1]));
    for (const layers::Layer& block : blocks_) x = block(x);
    return logits_(norm_(x));
  }

  layers::Layer words_, places_, norm_, logits_;
  std::vector<layers::Layer> blocks_;
};
// [model]

// Digits, a separator, the digits in order: each token is to tell the next,
// and only what is behind the separator counts.
std::tuple<Array, Array, Array> lesson(int64_t rows, int64_t digits) {
  Tensor unsorted = random::randint({rows, digits}, 0, 10);
  Tensor tokens =
      concatenate({unsorted, full({rows, 1}, kSeparator), sort(unsorted)}, 1);
  Tensor counts = concatenate({zeros({rows, digits}), ones({rows, digits})}, 1);
  return {tokens[{all, Slice(0, 2 * digits)}].numpy(),
          tokens[{all, Slice(1, 2 * digits + 1)}].numpy(), counts.numpy()};
}

// Prints what the model makes of digits.
void show(const models::Model& model, std::vector<int32_t> tokens) {
  const auto digits = static_cast<int64_t>(tokens.size());
  for (const int32_t token : tokens) std::cout << token << " ";
  std::cout << "->";
  tokens.resize(2 * tokens.size(), kSeparator);
  Array row = Array::from(tokens, {1, 2 * digits});
  for (int64_t i = digits; i < 2 * digits; ++i) {
    const Array best = argmax(model.predict_on_batch(row), {.axis = -1});
    const auto token = best[{0, i}].item<int32_t>();
    std::cout << " " << token;
    if (i + 1 < 2 * digits) row.mutable_span<int32_t>()[i + 1] = token;
  }
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a small Transformer to sort digits.");
  app.option_defaults()->always_capture_default();
  app.add_option("--digits", options.digits);
  app.add_option("--width", options.width);
  app.add_option("--heads", options.heads);
  app.add_option("--blocks", options.blocks);
  app.add_option("--batch-size", options.batch_size);
  app.add_option("--epochs", options.epochs);
  app.add_option("--steps-per-epoch", options.steps_per_epoch);
  app.add_option("--tpu", options.tpu);
  app.add_option("--dtype-policy", options.dtype_policy);
  CLI11_PARSE(app, argc, argv);

  // [training]
  set_random_seed(1);
  config::set_dtype_policy(options.dtype_policy);
  distribute::TPUStrategy strategy(
      distribute::TPUClusterResolver::connect(options.tpu));
  auto scope = strategy.scope();
  models::Model model = models::make<Decoder>(options);
  model.compile(
      {.optimizer = optimizers::AdamW(3e-3),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .weighted_metrics = {"accuracy"},
       .steps_per_execution = options.steps_per_epoch});
  const auto [x, y, weight] = lesson(8192, options.digits);
  auto dataset = data::Dataset::from_tensor_slices(x, y, weight)
                     .shuffle(8192)
                     .repeat()
                     .batch(options.batch_size);
  auto history =
      model.fit(dataset, {.epochs = options.epochs,
                          .verbose = models::Verbose::silent,
                          .steps_per_epoch = options.steps_per_epoch});
  // [training]
  std::cout << model.count_params() << " parameters\n";
  std::cout << "loss " << history["loss"].front() << " -> "
            << history["loss"].back() << ", accuracy "
            << history["accuracy"].back() << "\n";
  if (options.digits != 6) return 0;
  show(model, {3, 1, 4, 1, 5, 9});
  show(model, {2, 7, 1, 8, 2, 8});
}
