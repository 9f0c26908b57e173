// A vision transformer with the functional API and a layer of one's own. It
// learns to tell which quarter of a picture is brighter.
//
//   build/bin/vit [--tpu virtual:v3-2] [--image-size 32] [--width 64] ...
//
// ViT-S/16 of google-research/big_vision, without its layer pre_logits:
//   build/bin/vit --tpu local --image-size 224 --patch-size 16 --width 384
//       --depth 12 --heads 6 --mlp 1536 --classes 1000 --batch-size 1024
//
// Expected:
//   80708 parameters
//   loss 0... -> 0.0..., accuracy 1
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

using namespace systolic;

namespace {

struct Options {
  std::string tpu = "virtual:v3-2", dtype_policy = "float32",
              position = "learn";
  int64_t image_size = 32, patch_size = 8, batch_size = 64, classes = 4;
  int64_t width = 64, depth = 2, heads = 4, mlp = 128;
  int64_t steps_per_epoch = 20, steps_per_execution = 20, epochs = 3;
};

// [position]
// Adds to each patch what tells where it is: a weight, or sines and cosines.
struct Position : layers::LayerBase {
  explicit Position(bool is_learned) : is_learned_(is_learned) {}

  void build(const Shape& input_shape) override {
    if (!is_learned_) return;
    const int64_t patches = input_shape[1], width = input_shape[2];
    const double stddev = 1 / std::sqrt(width);
    embedding_ = add_weight(
        {.name = "pos_embedding",
         .shape = {1, patches, width},
         .initializer = initializers::RandomNormal({.stddev = stddev})});
  }

  Tensor call(Tensor x, layers::CallContext) override {
    if (is_learned_) return x + value(embedding_);
    const int64_t patches = x.shape()[1], quarter = x.shape()[2] / 4;
    const auto side = static_cast<int64_t>(std::sqrt(patches));
    Tensor omega = pow(1e-4, linspace(0, 1, quarter));
    Tensor place = expand_dims(arange(patches, DType::float32), -1);
    Tensor right = place % side * omega,
           down = floor_divide(place, side) * omega;
    return x + cast(concatenate({sin(right), cos(right), sin(down), cos(down)}),
                    x.dtype());
  }

  bool is_learned_;
  Variable embedding_;
};
// [position]

// [block]
Tensor norm(Tensor x, const std::string& name) {
  return layers::LayerNormalization({.epsilon = 1e-6, .name = name})(x);
}

Tensor encoder_block(Tensor x, const Options& o, const std::string& name) {
  Tensor y = norm(x, name + "_norm_1");
  layers::MultiHeadAttention attention(o.heads, o.width / o.heads,
                                       {.name = name + "_attention"});
  x = layers::Add({.name = name + "_add_1"})({x, attention(y, y)});
  y = norm(x, name + "_norm_2");
  y = nn::gelu(layers::Dense(o.mlp, {.name = name + "_up"})(y));
  y = layers::Dense(o.width, {.name = name + "_down"})(y);
  return layers::Add({.name = name + "_add_2"})({x, y});
}
// [block]

models::Model vit(const Options& o) {
  Tensor image = layers::Input({o.image_size, o.image_size, 3});
  Tensor x =
      layers::Conv2D(o.width, o.patch_size,
                     {.strides = o.patch_size, .name = "embedding"})(image);
  const int64_t side = o.image_size / o.patch_size;
  x = layers::Reshape({side * side, o.width}, {.name = "patches"})(x);
  x = layers::make<Position>(o.position == "learn")(x);
  for (int64_t i = 0; i < o.depth; ++i) {
    x = encoder_block(x, o, "block_" + std::to_string(i));
  }
  x = layers::GlobalAveragePooling1D({.name = "pool"})(norm(x, "norm"));
  Tensor logits =
      layers::Dense(o.classes, {.dtype = "float32", .name = "head"})(x);
  return models::Model(image, logits, {.name = "vit"});
}

// Noise with one quarter brighter, and which one.
std::pair<Array, Array> pictures(int64_t count, int64_t size) {
  Tensor kind = arange(count) % 4, half = floor_divide(arange(size), size / 2);
  Tensor quarter = reshape(half, {size, 1}) * 2 + half;
  Tensor is_bright =
      equal(expand_dims(quarter, -1), reshape(kind, {count, 1, 1, 1}));
  Tensor noise = random::uniform({count, size, size, 3}, -1, 1);
  return {where(is_bright, noise + 0.3, noise).numpy(), kind.numpy()};
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Trains a vision transformer on pictures of noise.");
  app.option_defaults()->always_capture_default();
  app.add_option("--tpu", o.tpu);
  app.add_option("--dtype-policy", o.dtype_policy);
  app.add_option("--position", o.position, "learn or sincos2d");
  app.add_option("--image-size", o.image_size);
  app.add_option("--patch-size", o.patch_size);
  app.add_option("--width", o.width);
  app.add_option("--depth", o.depth);
  app.add_option("--heads", o.heads);
  app.add_option("--mlp", o.mlp);
  app.add_option("--classes", o.classes)->check(CLI::Range(4, 100'000));
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
  models::Model model = vit(o);
  std::cout << model.count_params() << " parameters\n";
  model.compile(
      {.optimizer = optimizers::AdamW({.weight_decay = 1e-4}),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"},
       .steps_per_execution = o.steps_per_execution});
  const auto [x, y] = pictures(64, o.image_size);
  auto dataset = data::Dataset::from_tensor_slices(x, y).repeat().batch(
      o.batch_size, {.drop_remainder = true});
  auto history = model.fit(dataset, {.epochs = static_cast<int>(o.epochs),
                                     .verbose = models::Verbose::silent,
                                     .steps_per_epoch = o.steps_per_epoch});
  std::cout << "loss " << history["loss"].front() << " -> "
            << history["loss"].back() << ", accuracy "
            << history["accuracy"].back() << "\n";
}
