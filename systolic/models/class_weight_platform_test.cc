#include <gtest/gtest.h>

#include "systolic/models/class_weight.h"
#include "systolic/models/test_helpers.h"
#include "systolic/models/test_texts.h"

namespace systolic::models {
namespace {

using data::text_of;
using internal::models::class_weights;
using internal::models::HostBatch;

const ClassWeight kWeights{{0, 0.5}, {2, 3.0}};

// The weights that labels get in a model with that loss.
std::string weights_of(const Array& labels, losses::Identifier loss,
                       const Array& given = {}) {
  const Sequential model({layers::Input({4}), layers::Dense(3)});
  model.compile({.loss = std::move(loss)});
  HostBatch batch{.x = Array::ones({labels.shape()[0], 4}),
                  .y = labels,
                  .sample_weight = given};
  class_weights(model.base(), kWeights, "fit")(batch);
  return batch.sample_weight.single().to_string();
}

TEST(ClassWeightPlatformTest, LabelsAreNumbersOrOneHot) {
  const std::string sparse = "sparse_categorical_crossentropy";
  EXPECT_EQ(weights_of(Array::from({0, 1, 2}), sparse), "[0.5 1.  3. ]");
  EXPECT_EQ(weights_of(Array::from({0, 1, 2}, {3, 1}), sparse),
            "[0.5 1.  3. ]");
  const Array one_hot = Array::from({0.f, 0.f, 1.f, 1.f, 0.f, 0.f}, {2, 3});
  EXPECT_EQ(weights_of(one_hot, "categorical_crossentropy"), "[3.  0.5]");
  // Class numbers of places, as of pixels, keep their places.
  EXPECT_EQ(weights_of(Array::from({0, 1, 2, 2}, {2, 2}), sparse),
            "[[0.5 1. ]\n [3.  3. ]]");
  EXPECT_EQ(weights_of(Array::from({0, 2}), sparse, Array::from({2.f, 0.f})),
            "[1. 0.]");
}

TEST(ClassWeightPlatformTest, IsTheSampleWeightOfItsRows) {
  const auto [x, y] = labelled_rows(20);
  std::vector<float> weights;
  for (const int32_t label : y.span<int32_t>()) {
    weights.push_back(label == 0 ? 0.5f : label == 2 ? 3.f : 1.f);
  }
  const auto losses = [&, x = x, y = y](const DataSource& data,
                                        const FitOptions& options) {
    return classifier().fit(data, options).history();
  };
  const FitOptions plain{.verbose = Verbose::silent, .shuffle = false};
  FitOptions by_class = plain;
  by_class.class_weight = kWeights;
  const auto wanted = losses({x, y, Array::from(weights)}, plain);
  EXPECT_EQ(losses({x, y}, by_class), wanted);
  EXPECT_EQ(losses(data::Dataset::from_tensor_slices(x, y).batch(32), by_class),
            wanted);
  by_class.sample_weight = Array::ones({20});
  EXPECT_EQ(rule_of<ValueError>([&, x = x, y = y] {
              losses({x, y}, by_class);
            }),
            "fit: class_weight and sample_weight can not be given together\n"
            "  hint: multiply the sample weights with those of the classes");
}

// Classes of places, as of pixels: (rows, places) labels.
TEST(ClassWeightPlatformTest, ClassesOfPlacesAndWeightsOfOneChangeNothing) {
  const Array x = Array::ones({4, 2, 3});
  const Array y = Array::from({0, 1, 2, 0, 1, 2, 0, 1}, {4, 2});
  std::vector<double> losses;
  for (const ClassWeight& weights :
       {ClassWeight{}, ClassWeight{{0, 1}, {1, 1}, {2, 1}},
        ClassWeight{{1, 5}}}) {
    const Sequential model(
        {layers::Input({2, 3}),
         layers::Dense(3, {.kernel_initializer = "identity"})});
    model.compile(
        {.loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    losses.push_back(model.train_on_batch(x, y, {}, weights)[0].second);
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_GT(losses[2], losses[0]);
}

TEST(ClassWeightPlatformTest, SeveralOutputsAreRefused) {
  const Tensor x = layers::Input({4});
  const Model model(x, {layers::Dense(3)(x), layers::Dense(3)(x)});
  model.compile({.loss = "mse"});
  EXPECT_EQ(rule_of<ValueError>([&] {
              model.train_on_batch(Array::ones({2, 4}),
                                   {Array::ones({2, 3}), Array::ones({2, 3})},
                                   {}, kWeights);
            }),
            "train_on_batch: expected labels of one output with class_weight, "
            "got 2\n"
            "  hint: give sample_weight for each output");
}

}  // namespace
}  // namespace systolic::models
