// Functional models: several inputs and outputs, shared layers, operations,
// nested models; fit, evaluate and predict with them.
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/base/auto_name.h"
#include "systolic/graph/step.h"
#include "systolic/layers/layers.h"
#include "systolic/losses/losses.h"
#include "systolic/models/callbacks/history.h"
#include "systolic/models/model_base.h"
#include "systolic/models/sequential.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

using internal::text_of;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Array rows(int64_t n, int64_t m, float first = 0) {
  std::vector<float> values(static_cast<size_t>(n * m));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = first + 0.1f * static_cast<float>(i % 7);
  }
  return Array::from(values, {n, m});
}

TEST(FunctionalPlatformTest, ComputesWhatItsLayersAndOperationsDo) {
  const layers::Dense shared(4, {.name = "shared"});
  const Tensor a = layers::Input({3}, {.name = "a"});
  const Tensor b = layers::Input({3}, {.name = "b"});
  const Tensor x = shared(a), y = shared(b);
  const Tensor joined = concatenate({x * 2.f, reshape(y, {-1, 4})});
  const layers::Dense head(2, {.name = "head"});
  const Model model({a, b}, head(joined));
  for (const int64_t n : {1, 5}) {
    const Tensor p = constant(rows(n, 3)), q = constant(rows(n, 3, 1));
    const Tensor wanted = head(concatenate({shared(p) * 2.f, shared(q)}));
    EXPECT_TRUE(
        allclose(model({p, q}).numpy(), wanted.numpy(), {.atol = 1e-6}));
  }
  EXPECT_EQ(model.weights().size(), 4U);
  EXPECT_EQ(model.weights()[0].path(), "shared/kernel");
  EXPECT_EQ(model.count_params(), 3 * 4 + 4 + 8 * 2 + 2);
  EXPECT_EQ(model.input_names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(model.output_names(), std::vector<std::string>{"head"});
  EXPECT_EQ(model.get_layer("shared"), layers::Layer(shared));
  EXPECT_EQ(model.get_layer(-1), layers::Layer(head));
}

TEST(FunctionalPlatformTest, RowsThatAreCountedAreThoseOfTheBatch) {
  const Tensor x = layers::Input({2});
  const Tensor centred = x - mean(x, {.axis = 0, .keepdims = true});
  const Model model(x, centred + zeros({x.shape()[0], 2}));
  const Tensor data = constant({{1.0, 2.0}, {3.0, 6.0}});
  EXPECT_EQ(model(data).numpy().to_string(), "[[-1. -2.]\n [ 1.  2.]]");
}

TEST(FunctionalPlatformTest, ModelsAreLayersAndTheirMiddleIsAnInput) {
  const Tensor x = layers::Input({3});
  const Tensor hidden = layers::Dense(4, {.name = "hidden"})(x);
  const Model encoder(x, hidden, {.name = "encoder"});
  const Sequential decoder({layers::Input({4}), layers::Dense(3)},
                           {.name = "decoder"});
  const Tensor z = layers::Input({3});
  const Model whole(z, decoder(encoder(z)));
  const Tensor data = constant(rows(2, 3));
  EXPECT_TRUE(allclose(whole(data).numpy(), decoder(encoder(data)).numpy()));
  EXPECT_EQ(whole.weights().size(), 4U);
  // What a layer in the middle gives, and a model from there on.
  const Model features(whole.input(), whole.get_layer("encoder").output());
  EXPECT_TRUE(allclose(features(data).numpy(), encoder(data).numpy()));
  const Model rest(whole.get_layer("encoder").output(), whole.output());
  EXPECT_TRUE(allclose(rest(encoder(data)).numpy(), whole(data).numpy()));
  const Model inner(decoder.input(), decoder.get_layer(-1).output());
  EXPECT_EQ(inner(ones({2, 4})).shape(), (Shape{2, 3}));
}

TEST(FunctionalPlatformTest, CallsThatSaySoTrain) {
  const Tensor x = layers::Input({100});
  const layers::Dropout dropout(0.5);
  const Model model(x, dropout(x)), always(x, dropout(x, {.training = true}));
  const Tensor data = ones({1, 100});
  EXPECT_EQ(sum(model(data)).item<float>(), 100);
  EXPECT_EQ(min(model(data, {.training = true})).item<float>(), 0);
  EXPECT_EQ(min(always(data)).item<float>(), 0);
}

TEST(FunctionalPlatformTest, SummaryConnectsAsKerasDoes) {
  clear_session();
  const Tensor a = layers::Input({8}, {.name = "left"});
  const Tensor b = layers::Input({8}, {.name = "right"});
  const layers::Dense shared(4, {.name = "shared"});
  const Tensor x = shared(a), y = shared(b);
  const Model model({a, b}, layers::Dense(1, {.name = "out"})(x + y));
  const std::string wanted = golden::load("functional").front().text("summary");
  EXPECT_EQ(model.summary_text({.line_length = 76}), wanted);
}

TEST(FunctionalPlatformTest, MistakesAreNamed) {
  const Tensor a = layers::Input({3}, {.name = "a1"});
  const Tensor b = layers::Input({3}, {.name = "b1"});
  const Tensor sum_of =
      layers::Dense(2, {.name = "d1"})(a) + layers::Dense(2, {.name = "d2"})(b);
  EXPECT_EQ(first_line(text_of<ValueError>([&] { Model(a, sum_of); })),
            "Model: graph disconnected: \"b1\" is none of the model's inputs");
  EXPECT_EQ(first_line(text_of<ValueError>([&] { Model(ones({2}), a); })),
            "Model: expected symbolic Tensors as inputs, got float32[2] with "
            "a value");
  EXPECT_EQ(first_line(text_of<ValueError>([&] {
              const Tensor x = layers::Dense(2, {.name = "same"})(a);
              Model(a, layers::Dense(2, {.name = "same"})(x));
            })),
            "Model: expected layers with different names, got \"same\" twice");
  const Model model({a, b}, sum_of, {.name = "m"});
  EXPECT_EQ(first_line(text_of<ValueError>([&] {
              model(ones({2, 3}));
            })),
            "Functional \"m\": expected 2 inputs: a1, b1, got 1");
  EXPECT_EQ(first_line(text_of<ShapeError>([&] {
              model({ones({2, 3}), ones({2, 4})});
            })),
            "Functional \"m\": expected shape (None, 3) as input \"b1\", got "
            "(2, 4)");
  EXPECT_EQ(text_of<ValueError>([&] { model.get_layer("d3"); }),
            "get_layer: expected one of: a1, b1, d1, d2, got \"d3\"");
}

// Two inputs, two outputs.
Model two_by_two() {
  clear_session();
  const Tensor a = layers::Input({3}, {.name = "a"});
  const Tensor b = layers::Input({2}, {.name = "b"});
  const Tensor x =
      layers::Dense(4, {.kernel_initializer = "ones"})(concatenate({a, b}));
  const Tensor price =
      layers::Dense(1, {.kernel_initializer = "ones", .name = "price"})(x);
  const Tensor kind =
      layers::Dense(3, {.kernel_initializer = "ones", .name = "kind"})(x);
  return Model({a, b}, {price, kind});
}

TEST(FunctionalPlatformTest, TrainsWithSeveralInputsAndOutputs) {
  const Array a = rows(10, 3), b = rows(10, 2, -1), price = rows(10, 1, 2);
  const Array kind = Array::from({0, 1, 2, 0, 1, 2, 0, 1, 2, 0});
  const CompileOptions options{
      .optimizer = "sgd",
      .loss = {{"price", "mse"},
               {"kind",
                losses::SparseCategoricalCrossentropy({.from_logits = true})}},
      .loss_weights = {{"price", 0.5}, {"kind", 2.0}},
      .metrics = {{"kind", {"accuracy"}}, {"price", "mae"}}};
  const FitOptions fit{.batch_size = 4,
                       .epochs = 2,
                       .verbose = Verbose::silent,
                       .shuffle = false};
  const Model by_place = two_by_two();
  by_place.compile(options);
  const auto first = by_place.fit({a, b}, {price, kind}, fit);
  const Model by_name = two_by_two();
  by_name.compile(options);
  const auto dataset =
      data::Dataset::from_tensor_slices(
          data::Element::tuple(
              {data::Element::dict({{"a", a}, {"b", b}}),
               data::Element::dict({{"kind", kind}, {"price", price}})}))
          .batch(4);
  const auto second =
      by_name.fit(dataset, {.epochs = 2, .verbose = Verbose::silent});
  EXPECT_EQ(first.history(), second.history());
  std::vector<std::string> names;
  for (const auto& [name, values] : first.history()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "price_loss", "kind_loss",
                                             "kind_accuracy", "price_mae"}));
  EXPECT_NEAR(first["loss"][1],
              0.5 * first["price_loss"][1] + 2 * first["kind_loss"][1], 1e-4);
  EXPECT_LT(first["loss"][1], first["loss"][0]);
  const Arrays predicted = by_name.predict_all(Arrays({{"b", b}, {"a", a}}),
                                               {.verbose = Verbose::silent});
  EXPECT_EQ(predicted["kind"].shape(), (Shape{10, 3}));
  EXPECT_TRUE(array_equal(
      predicted["price"],
      by_place.predict_all(Arrays{a, b}, {.verbose = Verbose::silent})[0]));
  EXPECT_EQ(
      by_name.evaluate({{a, b}, {price, kind}}, {.verbose = Verbose::silent})
          .size(),
      5U);
  EXPECT_EQ(by_name.train_on_batch({a, b}, {price, kind}).size(), 5U);
  EXPECT_EQ(first_line(text_of<ValueError>([&] {
              by_name.predict(Arrays{a, b}, {.verbose = Verbose::silent});
            })),
            "predict: expected a model with one output, got 2");
}

TEST(FunctionalPlatformTest, StepsPerExecutionChangesNothing) {
  const Array a = rows(10, 3), b = rows(10, 2, -1), price = rows(10, 1, 2);
  const Array kind = rows(10, 3);
  std::vector<std::vector<double>> losses;
  for (const int64_t steps : {1, 3}) {
    const Model model = two_by_two();
    model.compile(
        {.optimizer = "sgd", .loss = "mse", .steps_per_execution = steps});
    losses.push_back(model.fit({a, b}, {price, kind},
                               {.batch_size = 4,
                                .epochs = 2,
                                .verbose = Verbose::silent,
                                .shuffle = false})["loss"]);
    EXPECT_EQ(
        model
            .predict_all(Arrays{a, b},
                         {.batch_size = 4, .verbose = Verbose::silent})["kind"]
            .shape(),
        (Shape{10, 3}));
  }
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(losses[0][i], losses[1][i], 1e-5);
}

// Weights of (rows, places), on one device and on eight with a short batch.
TEST(FunctionalPlatformTest, WeightsOfPlacesLeaveOutWhatWeighsNothing) {
  const Array x = rows(5, 6).reshaped({5, 2, 3});
  const Array weight =
      Array::from({1.f, 0.f, 2.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 3.f}, {5, 2});
  Array y = Array::zeros({5, 2, 1}), other = Array::zeros({5, 2, 1});
  // What weighs nothing may be anything.
  for (const int place : {1, 4, 5, 8}) {
    other.mutable_span<float>()[static_cast<size_t>(place)] = 100;
  }
  std::vector<MetricValues> logs;
  std::vector<Array> kernels;
  for (const int count : {1, 8}) {
    const auto scope = replicas(count).scope();
    for (const Array& labels : {y, other}) {
      const Sequential model(
          {layers::Input({2, 3}),
           layers::Dense(1, {.kernel_initializer = "ones"})});
      model.compile(
          {.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"mae"}});
      logs.push_back(model.train_on_batch(x, labels, weight));
      kernels.push_back(model.get_weights()[0]);
    }
  }
  for (size_t i = 1; i < logs.size(); ++i) {
    EXPECT_NEAR(logs[i][0].second, logs[0][0].second, 1e-5) << i;
    EXPECT_NEAR(logs[i][1].second, logs[0][1].second, 1e-5) << i;
    EXPECT_TRUE(allclose(kernels[i], kernels[0], {.atol = 1e-5})) << i;
  }
}

TEST(FunctionalPlatformTest, MistakesOfCompileAreNamed) {
  const Model model = two_by_two();
  const auto text = [&](const CompileOptions& options) {
    return first_line(text_of<ValueError>([&] { model.compile(options); }));
  };
  EXPECT_EQ(text({.loss = {{"prize", "mse"}}}),
            "compile: expected names of outputs in loss: price, kind, got "
            "\"prize\"");
  EXPECT_EQ(text({.loss = {"mse", "mse", "mse"}}),
            "compile: expected one of losses for each of the 2 outputs, got 3");
  EXPECT_EQ(text({.loss = "mse", .loss_weights = {1.0, 2.0, 3.0}}),
            "compile: expected one of loss_weights for each of the 2 outputs, "
            "got 3");
  EXPECT_EQ(text({.loss = "mse", .metrics = {"mae"}}),
            "compile: expected one of metrics for each of the 2 outputs, got "
            "1");
  model.compile({.loss = "mse"});
  EXPECT_EQ(first_line(text_of<ValueError>([&] {
              model.train_on_batch({rows(2, 3), rows(2, 2)},
                                   Arrays({{"cost", rows(2, 1)}}));
            })),
            "fit: expected y under the names price, kind, got \"cost\"");
}

}  // namespace
}  // namespace systolic::models
