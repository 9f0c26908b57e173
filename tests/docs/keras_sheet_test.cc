// The C++ column of docs/guides/coming-from-keras.md: it compiles, and what
// needs no device does what the sheet says.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

namespace systolic {
namespace {

struct MyLayer : layers::LayerBase {
  MyLayer() : dense_(track("dense", layers::Dense(4))) {}
  void build(const Shape&) override {
    weight_ = add_weight({.name = "w", .shape = {4}, .initializer = "zeros"});
  }
  Tensor call(Tensor x, layers::CallContext context) override {
    return dense_(x, context) + value(weight_);
  }
  layers::Layer dense_;
  Variable weight_;
};

struct MyModel : models::ModelBase {
  Tensor call(Tensor x, layers::CallContext) override { return x; }
};

struct MyCallback : callbacks::CallbackBase {};

// Compiled, never called: these rows need a device or files.
[[maybe_unused]] void values() {
  Tensor x = constant({{1.0, 2.0}});
  x[{1, all, -1}];
  x[{ellipsis, newaxis}];
  x[Slice(2, 8, 2)];
  matmul(x, x);
  x* x;
  x < x;
  equal(x, x);
  sum(x, {.axis = -1, .keepdims = true});
  x.numpy();
  x.item<float>();
  where(x < 0, x, 0);
  for_loop(3, [](const Tensor&) {});
  Variable w(constant(0.0)), b(constant(1.0));
  w.assign_add(1);
  GradientTape tape;
  tape.gradient(w * b, {w, b});
}

[[maybe_unused]] void training(const Array& x, const Array& y) {
  layers::Dense(64, {.activation = "relu"});
  layers::Conv2D(32, {3, 5}, {.strides = 2});
  models::Sequential model(
      {layers::Input({28, 28, 1}), layers::Flatten(), layers::make<MyLayer>()});
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  model.compile({.optimizer = optimizers::Adam(1e-3), .loss = "mse"});
  optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9});
  model.fit(x, y, {.batch_size = 32, .epochs = 5});
  const auto dataset = data::Dataset::from_tensor_slices(x, y), val = dataset;
  auto history =
      model.fit(dataset, {.callbacks = {callbacks::make<MyCallback>()},
                          .validation_data = val,
                          .steps_per_epoch = 300});
  EXPECT_GT(history["val_loss"].back(), 0);
  model.fit(x, y, {.verbose = models::Verbose::line});
  model.evaluate({x, y});
  model.evaluate_dict({x, y}, {});
  model.predict(x);
  models::make<MyModel>();
}

[[maybe_unused]] void functional(const Array& a, const Array& b, const Array& y,
                                 const Array& z) {
  Tensor x = layers::Input({784});
  models::Model single(x, layers::Dense(64)(x));
  Tensor left = layers::Input({4}), right = layers::Input({4});
  Tensor p = layers::Dense(1, {.name = "p"})(left);
  Tensor q = layers::Dense(1, {.name = "q"})(right);
  models::Model model({left, right}, {p, q});
  model.call_all({left, right});
  model.get_layer("p").output();
  model.compile({.loss = {{"p", "mse"}, {"q", "mae"}},
                 .loss_weights = {1.0, 0.2},
                 .metrics = {{"p", {"mae"}}}});
  model.fit({a, b}, {{"p", y}, {"q", z}}, {});
  single.fit(a, y,
             {.callbacks = {callbacks::EarlyStopping(
                                {.patience = 3, .restore_best_weights = true}),
                            callbacks::LearningRateScheduler(
                                [](int, double lr) { return lr * 0.9; }),
                            callbacks::ReduceLROnPlateau({.factor = 0.5}),
                            callbacks::CSVLogger("a.csv")},
              .class_weight = {{0, 1.0}, {1, 5.0}}});
}

[[maybe_unused]] void machines() {
  auto [train, test] = datasets::mnist::load_data();
  distribute::TPUClusterResolver resolver("local");
  auto scope = distribute::TPUStrategy(resolver).scope();
}

TEST(KerasSheet, ArraysFromLists) {
  EXPECT_EQ(to_array({{1.0, 2.0}}).spec().to_string(), "float32[1, 2]");
  EXPECT_EQ(Array::from(std::vector<float>{1, 2}, {1, 2}).to_string(),
            to_array({{1.0, 2.0}}).to_string());
}

TEST(KerasSheet, DataSetsAreRead) {
  const Array x = to_array({{1.0, 2.0}, {3.0, 4.0}}), y = to_array({0, 1});
  const auto dataset = data::Dataset::from_tensor_slices(x, y).map(
      [](Array image, Array label) { return std::pair(image * 2, label); },
      {.num_parallel_calls = data::AUTOTUNE});
  float total = 0;
  for (auto [image, label] : dataset.as<Array, Array>()) {
    total += sum(image).item<float>() * label.item<float>();
  }
  EXPECT_EQ(total, 14);
}

TEST(KerasSheet, SeedsAndSessions) {
  set_random_seed(1);
  clear_session();
  EXPECT_EQ(layers::Dense(4).name(), "dense");
}

}  // namespace
}  // namespace systolic
