// ResNet-50 with the functional API: the layers, names and weights of Keras
// Applications. It learns to tell four kinds of stripes.
//
//   build/bin/resnet50 [--tpu virtual:v3-2] [--image-size 32] ...
//   build/bin/resnet50 --tpu local --image-size 224 --batch-size 1024 ...
//
// Expected:
//   Model: "resnet50", 177 layers
//    Total params: 25,636,712 (97.80 MB)
//    Trainable params: 25,583,592 (97.59 MB)
//    Non-trainable params: 53,120 (207.50 KB)
//   epoch 1: loss ..., accuracy 0...
//   epoch 2: loss 0..., accuracy ...
//   epoch 3: loss 0..., accuracy ...
//   learned: the last loss is under a third of the first
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <cstdio>

using namespace systolic;

namespace {

struct Options {
  std::string tpu = "virtual:v3-2", dtype_policy = "float32";
  int64_t image_size = 32, batch_size = 16, classes = 1000;
  int64_t steps_per_epoch = 8, steps_per_execution = 8;
  int epochs = 3;
  bool v1 = false, no_bias = false;
};

// [block]
Tensor relu(Tensor x, const std::string& name) {
  return layers::Activation("relu", {.name = name})(x);
}

Tensor convolution(Tensor x, int64_t filters, int size, int strides,
                   const Options& o, const std::string& name,
                   const char* padding = "same") {
  x = layers::Conv2D(filters, size,
                     {.strides = strides,
                      .padding = padding,
                      .use_bias = !o.no_bias,
                      .name = name + "_conv"})(x);
  return layers::BatchNormalization(
      {.epsilon = 1.001e-5, .name = name + "_bn"})(x);
}

// Strides are in the second convolution (v1.5), or in the first (Keras's v1).
Tensor block(Tensor x, int64_t filters, int strides, bool is_first,
             const Options& o, const std::string& name) {
  Tensor shortcut = x;
  if (is_first) {
    shortcut = convolution(x, 4 * filters, 1, strides, o, name + "_0");
  }
  x = convolution(x, filters, 1, o.v1 ? strides : 1, o, name + "_1");
  x = relu(x, name + "_1_relu");
  x = convolution(x, filters, 3, o.v1 ? 1 : strides, o, name + "_2");
  x = relu(x, name + "_2_relu");
  x = convolution(x, 4 * filters, 1, 1, o, name + "_3");
  x = layers::Add({.name = name + "_add"})({shortcut, x});
  return relu(x, name + "_out");
}
// [block]

models::Model resnet50(const Options& options) {
  Tensor image = layers::Input({options.image_size, options.image_size, 3});
  Tensor x = layers::ZeroPadding2D(3, {.name = "conv1_pad"})(image);
  x = relu(convolution(x, 64, 7, 2, options, "conv1", "valid"), "conv1_relu");
  x = layers::ZeroPadding2D(1, {.name = "pool1_pad"})(x);
  x = layers::MaxPooling2D(3, {.strides = 2, .name = "pool1_pool"})(x);
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::string name =
          "conv" + std::to_string(stage + 2) + "_block" + std::to_string(i + 1);
      const int strides = i == 0 && stage > 0 ? 2 : 1;
      x = block(x, int64_t{64} << stage, strides, i == 0, options, name);
    }
  }
  x = layers::GlobalAveragePooling2D({.name = "avg_pool"})(x);
  Tensor classes = layers::Dense(
      options.classes,
      {.activation = "softmax", .dtype = "float32", .name = "predictions"})(x);
  return models::Model(image, classes, {.name = "resnet50"});
}

// Pictures of stripes that run in one of four directions, and which.
std::pair<Array, Array> stripes(int64_t count, int64_t size) {
  Tensor kind = arange(count) % 4, pixel = cast(arange(size), DType::float32);
  Tensor across = take(constant({1.0, 0.0, 0.7, 0.7}), kind);
  Tensor down = take(constant({0.0, 1.0, 0.7, -0.7}), kind);
  Tensor phase = random::uniform({count, 1, 1}, 0, 6);
  Tensor wave =
      sin(reshape(across, {count, 1, 1}) * pixel +
          reshape(down, {count, 1, 1}) * reshape(pixel, {size, 1}) + phase);
  Tensor noise = random::uniform({count, size, size, 3}, 0, 1);
  return {(expand_dims(wave, -1) + noise).numpy(), kind.numpy()};
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Trains ResNet-50 on pictures of stripes.");
  app.option_defaults()->always_capture_default();
  app.add_option("--tpu", o.tpu);
  app.add_option("--image-size", o.image_size)->check(CLI::Range(32, 1024));
  app.add_option("--batch-size", o.batch_size);
  app.add_option("--classes", o.classes)->check(CLI::Range(4, 100'000));
  app.add_option("--epochs", o.epochs)->check(CLI::PositiveNumber);
  app.add_option("--steps-per-epoch", o.steps_per_epoch);
  app.add_option("--steps-per-execution", o.steps_per_execution);
  app.add_option("--dtype-policy", o.dtype_policy);
  app.add_flag("--v1", o.v1, "Strides as Keras Applications has them");
  app.add_flag("--no-bias", o.no_bias, "Convolutions as MLPerf has them");
  CLI11_PARSE(app, argc, argv);

  set_random_seed(1);
  config::set_dtype_policy(o.dtype_policy);
  distribute::TPUStrategy strategy(
      distribute::TPUClusterResolver::connect(o.tpu));
  auto scope = strategy.scope();
  models::Model model = resnet50(o);
  const std::string summary = model.summary_text();
  std::printf("Model: \"%s\", %zu layers\n%s", model.name().c_str(),
              model.layers().size(),
              summary.substr(summary.find(" Total params")).c_str());

  const auto [x, y] = stripes(64, o.image_size);
  auto dataset = data::Dataset::from_tensor_slices(x, y).repeat().batch(
      o.batch_size, {.drop_remainder = true});
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.005, .momentum = 0.9}),
       .loss = "sparse_categorical_crossentropy",
       .metrics = {"accuracy"},
       .steps_per_execution = o.steps_per_execution});
  const auto history =
      model.fit(dataset, {.epochs = o.epochs,
                          .verbose = models::Verbose::silent,
                          .steps_per_epoch = o.steps_per_epoch});
  const auto &losses = history["loss"], &accuracies = history["accuracy"];
  for (size_t i = 0; i < losses.size(); ++i) {
    std::printf("epoch %zu: loss %.3f, accuracy %.3f\n", i + 1, losses[i],
                accuracies[i]);
  }
  std::printf("%s: the last loss is under a third of the first\n",
              losses.back() < losses.front() / 3 ? "learned" : "not learned");
}
