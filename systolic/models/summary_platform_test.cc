// Keras's table of layers, character by character.
#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/auto_name.h"
#include "systolic/base/out.h"
#include "systolic/models/test_helpers.h"
#include "systolic/testing/golden.h"

namespace systolic::models {
namespace {

using golden::Value;

layers::Layer make_layer(const Value& o) {
  const std::string& kind = o["class_name"].text();
  const std::string activation = o.get("activation", "linear");
  const std::string name = o.get("name", "");
  if (kind == "Input") return layers::InputLayer(Shape(o["shape"].integers()));
  if (kind == "Dense") {
    return layers::Dense(o["units"].integer(),
                         {.activation = activation, .name = name});
  }
  if (kind == "Conv2D") {
    return layers::Conv2D(o["filters"].integer(), o["kernel_size"].integer(),
                          {.activation = activation});
  }
  if (kind == "Dropout") return layers::Dropout(o["rate"].number());
  if (kind == "Activation") return layers::Activation(activation);
  return kind == "Flatten" ? layers::Layer(layers::Flatten())
                           : layers::Layer(layers::MaxPooling2D());
}

TEST(SummaryPlatformTest, TablesAreKeras) {
  int cases = 0;
  for (const golden::Case& c : golden::load("text")) {
    if (!c.name().starts_with("summary of")) continue;
    SCOPED_TRACE(c.name());
    ++cases;
    clear_session();
    const Sequential model;
    for (const Value& layer : c.options()["layers"].list()) {
      model.add(make_layer(layer));
    }
    if (c.options().get("trained", false)) {
      model.compile({.optimizer = "adam", .loss = "mse"});
      model.train_on_batch(Array::zeros({1, 28, 28, 1}), Array::zeros({1, 10}));
    }
    std::string wanted = c.text("summary");
    // Devices count iterations in int32, Keras in int64: four bytes less.
    const size_t at = wanted.find("408.13 KB");
    if (at != std::string::npos) wanted.replace(at, 9, "408.12 KB");
    const std::string got = model.summary_text();
    EXPECT_TRUE(got == wanted) << got << wanted;
  }
  EXPECT_EQ(cases, 5);
}

TEST(SummaryPlatformTest, PrintsToTheOutput) {
  const Sequential model(
      {layers::Dense(2, {.input_shape = {3}, .name = "only"})},
      {.name = "net"});
  std::ostringstream text;
  const OutputGuard guard(text);
  model.summary();
  EXPECT_EQ(text.str(), model.summary_text());
  EXPECT_TRUE(text.str().starts_with("Model: \"net\"\n"));
}

TEST(SummaryPlatformTest, StateOfTheOptimizerIsListedOnceItIsThere) {
  const Sequential model = classifier();
  EXPECT_EQ(model.summary_text().find("Optimizer"), std::string::npos);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.train_on_batch(labelled_rows(2).first, Array::zeros({2, 3}));
  EXPECT_NE(model.summary_text().find(" Optimizer params: 2 (8.00 B)\n"),
            std::string::npos)
      << model.summary_text();
}

TEST(SummaryPlatformTest, FrozenLayersAreNotTrainable) {
  const Sequential model(
      {layers::Dense(8, {.input_shape = {4}}), layers::Dense(3)});
  model.layers()[0].set_trainable(false);
  const std::string text = model.summary_text();
  EXPECT_NE(text.find(" Trainable params: 27 (108.00 B)\n"
                      " Non-trainable params: 40 (160.00 B)\n"),
            std::string::npos)
      << text;
}

TEST(SummaryPlatformTest, LinesAreAsLongAsAskedFor) {
  const Sequential model({layers::Dense(2, {.input_shape = {3}})});
  for (const int length : {20, 60, 100}) {
    std::istringstream lines(model.summary_text({.line_length = length}));
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    // Each character of the rule takes three bytes.
    EXPECT_EQ(line.size(), 3u * static_cast<size_t>(length));
  }
  EXPECT_EQ(
      text_of<ValueError>([&] { model.summary_text({.line_length = 10}); }),
      "summary: expected line_length of at least 20, got 10");
}

}  // namespace
}  // namespace systolic::models
