// Trains a convnet on photographs of flowers: JPEG in TFRecord files, decoded,
// cropped and flipped in parallel, on eight virtual TPU cores by default.
//
//   scripts/make-flowers flowers            # pictures that are drawn
//   flowers --data flowers
//   flowers --data gs://flowers-public/tfrecords-jpeg-331x331   # the real ones
//
// Expected on the drawn ones: a validation accuracy of 0.95, as Keras has it
// (tests/parity/goldens/flowers.json).
#include <fmt/format.h>
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <iostream>
#include <string>
#include <vector>

using namespace systolic;

namespace {

constexpr int64_t kSide = 192;

struct Options {
  std::string data;
  std::string tpu = "virtual:v3-8";
  int epochs = 8;
  int64_t batch_size = 32;
  int64_t steps_per_execution = 1;
  uint64_t seed = 0;
};

// [dataset]
enum class Use { training, validation };

// Pairs of a picture, float32 (side, side, 3) from 0 to 1, and its class.
data::Dataset pictures(const std::vector<std::string>& files, Use use,
                       std::atomic<int64_t>& decoded) {
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {"class", data::FixedLenFeature({}, DType::int64)}};
  auto parse = [features, use, &decoded](std::string_view record) {
    ++decoded;
    auto example = data::parse_single_example(record, features);
    Array picture = image::decode_jpeg(example["image"], {.channels = 3});
    if (use == Use::training) {
      picture = image::random_flip_left_right(
          image::random_crop(picture, {kSide, kSide, 3}));
    } else {
      picture = image::resize_with_crop_or_pad(picture, {kSide, kSide});
    }
    return std::pair(cast<float>(picture) / 255.f, example["class"]);
  };
  return data::TFRecordDataset(files, {.num_parallel_reads = data::AUTOTUNE})
      .with_options({.deterministic = use == Use::validation})
      .map(parse, {.num_parallel_calls = data::AUTOTUNE});
}
// [dataset]

models::Sequential convnet() {
  return models::Sequential({
      layers::Conv2D(16, 5,
                     {.strides = 4,
                      .activation = "relu",
                      .input_shape = {kSide, kSide, 3}}),
      layers::Conv2D(32, 3, {.strides = 2, .activation = "relu"}),
      layers::Conv2D(64, 3, {.strides = 2, .activation = "relu"}),
      layers::GlobalAveragePooling2D(),
      layers::Dense(64, {.activation = "relu"}),
      layers::Dense(5),
  });
}

void train(const Options& options) {
  distribute::TPUStrategy strategy(
      distribute::TPUClusterResolver::connect(options.tpu));
  // [main]
  auto files = io::glob(options.data + "/*.tfrec");
  if (files.size() < 4) {
    throw ValueError("--data: expected four .tfrec files or more in " +
                     options.data + ", found " + std::to_string(files.size()));
  }
  const auto held_back =
      files.begin() + static_cast<std::ptrdiff_t>(files.size() / 4);
  std::atomic<int64_t> decoded = 0;
  auto train_ds = pictures({held_back, files.end()}, Use::training, decoded)
                      .shuffle(512)
                      .batch(options.batch_size, {.drop_remainder = true})
                      .prefetch(data::AUTOTUNE);
  auto validation_ds =
      pictures({files.begin(), held_back}, Use::validation, decoded)
          .batch(options.batch_size)
          .prefetch(data::AUTOTUNE);

  auto scope = strategy.scope();
  models::Sequential model = convnet();
  model.compile(
      {.optimizer = optimizers::Adam(
           {.learning_rate = optimizers::schedules::ExponentialDecay(
                3e-3, /*decay_steps=*/100, /*decay_rate=*/0.5)}),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"},
       .steps_per_execution = options.steps_per_execution});
  const runtime::UtilizationWindow window;
  auto history = model.fit(
      train_ds, {.epochs = options.epochs, .validation_data = validation_ds});
  // [main]
  const runtime::Utilization used = window.read();
  std::cout << fmt::format(
      "{:.0f} images/s, devices idle {:.1f} %, for input {:.1f} %\n"
      "validation accuracy {:.4f}\n",
      static_cast<double>(decoded) / used.wall_seconds,
      100 * used.idle_fraction, 100 * used.input_idle_fraction,
      history["val_accuracy"].back());
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("Trains a convnet on flowers in TFRecord files.");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "Folder of .tfrec files, or gs://...")
      ->required();
  app.add_option("--tpu", options.tpu);
  app.add_option("--epochs", options.epochs)->check(CLI::PositiveNumber);
  app.add_option("--batch-size", options.batch_size);
  app.add_option("--steps-per-execution", options.steps_per_execution);
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  set_random_seed(options.seed);
  train(options);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
