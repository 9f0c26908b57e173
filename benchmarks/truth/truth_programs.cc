// Published programs that no example is, for `systolic plan` to predict
// (benchmarks/truth/run). They are planned, and run only in small.
//
//   SYSTOLIC_PLAN=v6e-1 build/bin/truth_programs matmul --size 8192
//   SYSTOLIC_PLAN=v2-8 build/bin/truth_programs convnet
//   SYSTOLIC_PLAN=v3-8 build/bin/truth_programs bert
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

using namespace systolic;

namespace {

struct Options {
  std::string tpu = "virtual:v3-8";
  int64_t size = 1024, batch_size = 0, steps_per_execution = 1;
};

// One product of two square bfloat16 matrices into a third.
void matmul_step(const Options& o) {
  const Shape shape{o.size, o.size};
  Variable left(zeros(shape, DType::bfloat16)), out(left.value());
  Variable right(zeros(shape, DType::bfloat16)), steps(constant(0.0f));
  const auto step = function([&] {
    out.assign(matmul(left, right));
    steps.assign_add(1);  // which makes it a step of a training
  });
  step();
  std::cout << "steps " << steps.item<float>() << "\n";
}

// Of the notebook 01_MNIST_TPU_Keras: three convolutions with normalization.
models::Sequential convnet() {
  models::Sequential model;
  const auto add_normalized = [&](const layers::Layer& layer) {
    model.add(layer);
    model.add(layers::BatchNormalization({.scale = false}));
    model.add(layers::Activation("relu"));
  };
  model.add(layers::Reshape({28, 28, 1}, {.input_shape = {784}}));
  add_normalized(layers::Conv2D(12, 3, {.padding = "same", .use_bias = false}));
  for (const int64_t filters : {24, 32}) {
    add_normalized(layers::Conv2D(
        filters, 6, {.strides = 2, .padding = "same", .use_bias = false}));
  }
  model.add(layers::Flatten());
  add_normalized(layers::Dense(200, {.use_bias = false}));
  model.add(layers::Dropout(0.3));
  model.add(layers::Dense(10));
  return model;
}

// A block of BERT: normalization behind the sums.
struct BertBlock : layers::LayerBase {
  BertBlock()
      : attention_(track("attention",
                         layers::MultiHeadAttention(12, 64, {.dropout = 0.1}))),
        drop_(track("drop", layers::Dropout(0.1))),
        up_(track("up", layers::Dense(3072, {.activation = "gelu"}))),
        down_(track("down", layers::Dense(768))),
        norm_1_(track("norm_1", layers::LayerNormalization())),
        norm_2_(track("norm_2", layers::LayerNormalization())) {}

  Tensor call(Tensor x, layers::CallContext) override {
    x = norm_1_(x + drop_(attention_(x, x)));
    return norm_2_(x + drop_(down_(up_(x))));
  }

  layers::MultiHeadAttention attention_;
  layers::Layer drop_, up_, down_, norm_1_, norm_2_;
};

// BERT-base, cased, to tell three kinds of pairs of sentences apart.
struct Bert : models::ModelBase {
  Bert()
      : words_(track("words", layers::Embedding(28996, 768))),
        places_(track("places", layers::Embedding(512, 768))),
        norm_(track("norm", layers::LayerNormalization())),
        drop_(track("drop", layers::Dropout(0.1))),
        pool_(track("pool", layers::Dense(768, {.activation = "tanh"}))),
        kind_(track("kind", layers::Dense(3))) {
    for (int i = 0; i < 12; ++i) {
      blocks_.push_back(
          track("block_" + std::to_string(i), layers::make<BertBlock>()));
    }
  }

  Tensor call(Tensor tokens, layers::CallContext) override {
    Tensor x = words_(tokens) + places_(arange(tokens.shape()[1]));
    x = drop_(norm_(x));
    for (const layers::Layer& block : blocks_) x = block(x);
    return kind_(drop_(pool_(x[{all, 0}])));
  }

  layers::Layer words_, places_, norm_, drop_, pool_, kind_;
  std::vector<layers::Layer> blocks_;
};

// Some steps of `model` on zeros of that shape and dtype.
void fit(const models::Model& model, const Options& o, const Shape& shape,
         DType dtype) {
  Shape batch = shape;
  batch.insert(0, o.batch_size);
  const Array x = Array::zeros(batch, dtype);
  const Array y = Array::zeros({o.batch_size}, DType::int32);
  auto dataset = data::Dataset::from_tensor_slices(x, y).repeat().batch(
      o.batch_size, {.drop_remainder = true});
  model.compile(
      {.optimizer = optimizers::Adam(),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"},
       .steps_per_execution = o.steps_per_execution});
  model.fit(dataset, {.verbose = models::Verbose::silent,
                      .steps_per_epoch = o.steps_per_execution});
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Published programs, to be planned.");
  app.require_subcommand(1);
  CLI::App* product = app.add_subcommand("matmul", "one bfloat16 product");
  product->add_option("--size", o.size)->check(CLI::PositiveNumber);
  CLI::App* digits = app.add_subcommand("convnet", "01_MNIST_TPU_Keras");
  CLI::App* bert = app.add_subcommand("bert", "BERT-base, 128 tokens");
  for (CLI::App* command : {digits, bert}) {
    command->add_option("--tpu", o.tpu);
    command->add_option("--batch-size", o.batch_size)->required();
    command->add_option("--steps-per-execution", o.steps_per_execution);
  }
  CLI11_PARSE(app, argc, argv);

  if (product->parsed()) {
    matmul_step(o);
    return 0;
  }
  distribute::TPUStrategy strategy(
      distribute::TPUClusterResolver::connect(o.tpu));
  auto scope = strategy.scope();
  if (digits->parsed()) fit(convnet(), o, {784}, DType::float32);
  if (bert->parsed()) fit(models::make<Bert>(), o, {128}, DType::int32);
}
