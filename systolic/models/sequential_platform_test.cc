#include <gtest/gtest.h>

#include "systolic/base/auto_name.h"
#include "systolic/models/sequential.h"
#include "systolic/models/test_helpers.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

std::vector<std::string> paths(const std::vector<Variable>& variables) {
  std::vector<std::string> all;
  for (const Variable& variable : variables) all.push_back(variable.path());
  return all;
}

Sequential small_model() {
  return Sequential(
      {layers::Conv2D(32, 3,
                      {.activation = "relu", .input_shape = {28, 28, 1}}),
       layers::MaxPooling2D(), layers::Conv2D(64, 3, {.activation = "relu"}),
       layers::MaxPooling2D(), layers::Flatten(), layers::Dense(10)});
}

void expect_variables(const std::vector<Variable>& got,
                      const golden::Value& wanted) {
  ASSERT_EQ(got.size(), wanted.map().size());
  for (size_t i = 0; i < got.size(); ++i) {
    const auto& [path, shape] = wanted.map()[i];
    EXPECT_EQ(got[i].path(), path);
    EXPECT_EQ(got[i].shape().to_string(), Shape(shape.integers()).to_string())
        << path;
  }
}

TEST(SequentialPlatformTest, VariablesAreNamedAsInKeras) {
  for (const golden::Case& c : golden::load("text")) {
    if (c.name() != "variables of small") continue;
    clear_session();
    const Sequential model = small_model();
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
    model.train_on_batch(Array::zeros({1, 28, 28, 1}), Array::zeros({1, 10}));
    expect_variables(model.weights(), c.expected()["weights"]);
    expect_variables(model.optimizer().variables(), c.expected()["optimizer"]);
    return;
  }
  FAIL() << "no recorded case";
}

TEST(SequentialPlatformTest, AddMakesTheWeightsWhereTheShapeIsKnown) {
  clear_session();
  const Sequential model;
  EXPECT_FALSE(model.built());
  model.add(layers::InputLayer({4}));
  model.add(layers::Dense(8));
  EXPECT_EQ(paths(model.weights()),
            (std::vector<std::string>{"sequential/dense/kernel",
                                      "sequential/dense/bias"}));
  model.add(layers::Dense(3));
  EXPECT_EQ(model.weights()[2].path(), "sequential/dense_1/kernel");
  EXPECT_EQ(model.weights()[2].shape(), (Shape{8, 3}));
  EXPECT_EQ(model.count_params(), 4 * 8 + 8 + 8 * 3 + 3);
}

TEST(SequentialPlatformTest, LazyModelIsBuiltByItsFirstInput) {
  const Sequential model({layers::Dense(8), layers::Dense(3)});
  EXPECT_TRUE(model.weights().empty());
  const Array x = labelled_rows(5).first;
  EXPECT_EQ(model(x).shape(), (Shape{5, 3}));
  EXPECT_EQ(model.weights().size(), 4u);
  model.add(layers::Dense(2));
  EXPECT_EQ(model.weights().size(), 6u);
  EXPECT_EQ(model(x).shape(), (Shape{5, 2}));
}

TEST(SequentialPlatformTest, PopTakesTheLastLayer) {
  const Sequential model(
      {layers::Dense(8, {.input_shape = {4}}), layers::Dense(3)});
  const layers::Layer last = model.pop();
  EXPECT_EQ(last.class_name(), "Dense");
  EXPECT_EQ(model.layers().size(), 1u);
  EXPECT_EQ(model.compute_output_shape({-1, 4}), (Shape{-1, 8}));
  model.add(layers::Dense(5));
  EXPECT_EQ(model(labelled_rows(2).first).shape(), (Shape{2, 5}));
  model.pop();
  model.pop();
  EXPECT_EQ(text_of<ValueError>([&] { model.pop(); }),
            "Sequential.pop: expected a layer to take off, got an empty "
            "model");
}

TEST(SequentialPlatformTest, LayersThatDoNotFitAreNotAdded) {
  const Sequential model(
      {layers::Dense(8, {.input_shape = {4}, .name = "first"})});
  EXPECT_EQ(text_of<ValueError>(
                [&] { model.add(layers::Dense(3, {.name = "first"})); }),
            "Sequential.add: expected layers with different names, got "
            "\"first\" twice\n"
            "  hint: give one of them another .name");
  EXPECT_EQ(text_of<ValueError>([&] { model.add(layers::Layer()); }),
            "Sequential.add: expected a layer, got an undefined one "
            "(Layer())");
  EXPECT_EQ(text_of<ValueError>([&] { model.add(layers::InputLayer({3})); }),
            "Sequential.add: expected an Input only as the first layer, got "
            "one behind 1 layer(s)");
  EXPECT_THROW(model.add(layers::Conv2D(2, 3)), ShapeError);
  EXPECT_EQ(model.layers().size(), 1u);
  EXPECT_EQ(model(labelled_rows(2).first).shape(), (Shape{2, 8}));
}

TEST(SequentialPlatformTest, EmptyModelSaysWhatItNeeds) {
  const Sequential model({}, {.name = "nothing"});
  EXPECT_EQ(text_of<ValueError>([&] { model(labelled_rows(2).first); }),
            "Sequential \"nothing\": expected at least one layer, got none\n"
            "  hint: add layers before the model is used");
}

}  // namespace
}  // namespace systolic::models
