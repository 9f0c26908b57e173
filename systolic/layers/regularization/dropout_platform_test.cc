#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/step.h"
#include "systolic/layers/regularization/dropout.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

double share_of_zeros(const Array& values) {
  double zeros = 0;
  for (const float v : values.span<float>()) zeros += v == 0 ? 1 : 0;
  return zeros / static_cast<double>(values.size());
}

TEST(DropoutContract, Plain) {
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return Dropout(0.5, {.dtype = dtype}); },
       .input_shape = {20, 3},
       .output_shape = {20, 3},
       .random_in_training = true});
}

TEST(DropoutContract, RateZero) {
  contracts::check_layer(
      {.make = [](DTypePolicy dtype) { return Dropout(0, {.dtype = dtype}); },
       .input_shape = {4},
       .output_shape = {4}});
}

TEST(DropoutGolden, InferenceIsKeras) {
  contracts::check_golden_layers("layers_dropout",
                                 [](const golden::Value& options) {
                                   return Dropout(options.at("rate").number());
                                 });
}

// Random bits are not Keras's; the share kept and the scale are.
TEST(DropoutGolden, TrainingKeepsKerasShareAndScale) {
  for (const golden::Case& c : golden::load("layers_dropout")) {
    if (!c.expected().has("scale")) continue;
    SCOPED_TRACE(c.name());
    const double rate = c.options().at("rate").number();
    const Dropout dropout(rate, {.seed = 1});
    const Array y =
        dropout(Array::ones({200, 500}), {.training = true}).numpy();
    EXPECT_NEAR(share_of_zeros(y), c.expected().at("dropped").number(), 0.01);
    const auto scale =
        static_cast<float>(c.expected().at("recorded_scale").number());
    for (const float v : y.span<float>()) {
      if (v == 0) continue;
      ASSERT_FLOAT_EQ(v, scale);
    }
  }
}

TEST(Dropout, NoiseShapeIsBroadcast) {
  const Dropout dropout(0.5, {.noise_shape = {-1, 1, 5}, .seed = 1});
  const Array y = dropout(Array::ones({300, 4, 5}), {.training = true}).numpy();
  EXPECT_NEAR(share_of_zeros(y), 0.5, 0.05);
  const Array first = y[{all, Slice(0, 1), all}];
  EXPECT_TRUE(array_equal(broadcast_to(first, y.shape()), y));
  EXPECT_THROW(dropout(Array::ones({3, 4, 6}), {.training = true}), ShapeError);
}

TEST(Dropout, TheWholeRateGivesZeros) {
  EXPECT_EQ(
      Dropout(1)(Array::ones({3}), {.training = true}).numpy().to_string(),
      "[0. 0. 0.]");
}

TEST(Dropout, ItsStateIsAVariableButNoWeight) {
  const Dropout dropout(0.5, {.name = "drop"});
  dropout(Array::ones({2, 3}));
  EXPECT_TRUE(dropout.weights().empty());
  ASSERT_EQ(dropout.variables().size(), 1u);
  EXPECT_EQ(dropout.non_trainable_variables().size(), 1u);
  EXPECT_TRUE(dropout.variables()[0].path().starts_with("drop/seed_generator"))
      << dropout.variables()[0].path();
  const Array before = dropout.variables()[0].numpy();
  dropout(Array::ones({2, 3}), {.training = true}).numpy();
  EXPECT_FALSE(array_equal(dropout.variables()[0].numpy(), before));
}

namespace graph = internal::graph;

// The batch's result, computed by eight replicas with an equal share each.
Array in_replicas(const Dropout& dropout, const Shape& share) {
  const auto* eight = graph::Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
  const graph::VariablePlacementGuard variables(eight);
  graph::Step step(eight, "test");
  const Tensor y = dropout(ones(share), {.training = true});
  step.commit(std::span(&y, 1));
  return concatenate(graph::storage_of(y.ref())->replicas(), 0);
}

TEST(Dropout, ReplicasDrawWhatOneDeviceDraws) {
  for (const Shape& noise : {Shape(), Shape{-1, 1}, Shape{1, -1}}) {
    const DropoutOptions options{.noise_shape = noise, .seed = 3};
    const Dropout whole(0.5, options);
    const Dropout parts(0.5, options);
    const Array expected = whole(ones({16, 30}), {.training = true}).numpy();
    EXPECT_TRUE(array_equal(in_replicas(parts, {2, 30}), expected)) << noise;
  }
}

}  // namespace
}  // namespace systolic::layers
