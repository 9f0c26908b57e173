#include <gtest/gtest.h>

#include <limits>

#include "systolic/graph/context.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/step.h"
#include "systolic/ops/ops.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/optimizers.h"
#include "systolic/runtime/client.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::optimizers {
namespace {

using internal::text_of;
namespace graph = internal::graph;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Variable weight() { return Variable(Arg(Array::from({1.f})), {.name = "w"}); }

// C118: a step with an overflow changes nothing but the scale.
TEST(LossScaleOptimizer, AnOverflowSkipsTheStepAndHalvesTheScale) {
  const LossScaleOptimizer optimizer(Adam(0.5), {.initial_scale = 8});
  const Variable w = weight();
  EXPECT_FLOAT_EQ(optimizer.scale_loss(ones(Shape::scalar())).item<float>(),
                  8.f);
  optimizer.apply({constant(Array::from({kInfinity}))}, {w});
  EXPECT_EQ(w.item<float>(), 1.f);
  EXPECT_EQ(optimizer.iterations().item<int>(), 0);
  EXPECT_EQ(optimizer.dynamic_scale().item<float>(), 4.f);
  EXPECT_FLOAT_EQ(optimizer.scale_loss(ones(Shape::scalar())).item<float>(),
                  4.f);
  optimizer.apply({constant(Array::from({4.f}))}, {w});
  EXPECT_NEAR(w.item<float>(), 0.5f, 1e-5);
  EXPECT_EQ(optimizer.iterations().item<int>(), 1);
  EXPECT_EQ(optimizer.dynamic_scale().item<float>(), 4.f);
}

TEST(LossScaleOptimizer, GoodStepsDoubleTheScale) {
  const LossScaleOptimizer optimizer(
      SGD(1.0), {.initial_scale = 2, .dynamic_growth_steps = 3});
  const Variable w = weight();
  for (const float expected : {2.f, 2.f, 4.f, 4.f, 4.f, 8.f}) {
    optimizer.apply({constant(Array::from({0.f}))}, {w});
    EXPECT_EQ(optimizer.dynamic_scale().item<float>(), expected);
  }
}

TEST(LossScaleOptimizer, TheScaleGoesBelowOneUnlessThereIsALimit) {
  const LossScaleOptimizer free(SGD(1.0), {.initial_scale = 1});
  const LossScaleOptimizer limited(SGD(1.0),
                                   {.initial_scale = 1, .minimum_scale = 1});
  const Variable w = weight();
  for (const LossScaleOptimizer& optimizer : {free, limited}) {
    // No gradient is no overflow.
    optimizer.build({w});
    optimizer.apply({constant(Array::from({kInfinity}))}, {w});
  }
  EXPECT_EQ(free.dynamic_scale().item<float>(), 0.5f);
  EXPECT_EQ(limited.dynamic_scale().item<float>(), 1.f);
}

TEST(LossScaleOptimizer, StepsOfAnyGradientAreKerass) {
  for (const golden::Case& c : golden::load("loss_scale")) {
    SCOPED_TRACE(c.name());
    const golden::Value& config = c.options()["config"];
    const golden::Value& scaling = c.options()["loss_scale"];
    const double rate = config["learning_rate"].number();
    const Optimizer inner =
        c.options()["class_name"].text() == "Adam"
            ? Optimizer(Adam({.learning_rate = rate,
                              .global_clipnorm = config.has("global_clipnorm")
                                                     ? std::optional(0.5)
                                                     : std::nullopt}))
            : SGD({.learning_rate = rate,
                   .momentum = config.get("momentum", 0.0)});
    const LossScaleOptimizer optimizer(
        inner,
        {.initial_scale = scaling["initial_scale"].number(),
         .dynamic_growth_steps = scaling.get("dynamic_growth_steps", 2000)});
    const Variable v(Arg(Array::from({1.f, -2.f})), {.name = "v"});
    const Array& gradients = c.array("gradients");
    for (int64_t step = 0; step < gradients.shape()[0]; ++step) {
      SCOPED_TRACE(step);
      optimizer.apply({constant(gradients[{step}])}, {v});
      EXPECT_EQ(golden::difference(v.numpy(), c.array("values")[{step}]), "");
      EXPECT_EQ(optimizer.dynamic_scale().item<float>(),
                c.array("scales")[{step}].item<float>());
      EXPECT_EQ(optimizer.base().variables()[2].item<int>(),
                c.array("step_counters")[{step}].item<int>());
      EXPECT_EQ(optimizer.iterations().item<int>(),
                c.array("iterations")[{step}].item<int>());
    }
  }
}

// One replica's overflow is everybody's.
TEST(LossScaleOptimizer, AllReplicasSkipOrNone) {
  const graph::Placement* eight = graph::Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
  const graph::VariablePlacementGuard guard(eight);
  const LossScaleOptimizer optimizer(SGD(1.0), {.initial_scale = 16});
  const Variable w = weight();
  optimizer.build({w});
  for (const bool overflows : {true, false}) {
    {
      graph::Step step(eight, "test");
      const Tensor third = equal(replica_id_in_sync_group(), 3);
      const Tensor gradient = where(third, overflows ? kInfinity : 8.f, 0.f);
      optimizer.apply({reshape(gradient, {1})}, {w});
      step.commit({});
    }
    for (const Array& value : w.replica_values()) {
      EXPECT_EQ(value.span<float>()[0], overflows ? 1.f : 0.f);
    }
    EXPECT_EQ(optimizer.dynamic_scale().item<float>(), 8.f);
  }
  EXPECT_EQ(optimizer.iterations().item<int>(), 1);
}

TEST(LossScaleOptimizer, StateIsItsOwnAndTheInnerOnes) {
  const LossScaleOptimizer optimizer(SGD({.learning_rate = 0.5, .name = "in"}),
                                     {.name = "scaled"});
  optimizer.build({weight()});
  std::vector<std::string> paths;
  for (const Variable& v : optimizer.variables()) paths.push_back(v.path());
  EXPECT_EQ(paths, (std::vector<std::string>{
                       "scaled/iteration", "scaled/learning_rate",
                       "scaled/step_counter", "scaled/dynamic_scale",
                       "in/iteration", "in/learning_rate"}));
  EXPECT_FLOAT_EQ(optimizer.learning_rate().item<float>(), 0.5f);
  EXPECT_EQ(text_of<ValueError>([] { LossScaleOptimizer{Optimizer()}; }),
            "Optimizer: expected an optimizer, got an undefined one "
            "(Optimizer())");
  EXPECT_EQ(text_of<ValueError>(
                [] { LossScaleOptimizer(SGD(), {.initial_scale = 0}); }),
            "LossScaleOptimizer: expected initial_scale > 0, got 0");
}

TEST(OptimizerOptions, WeightDecayLeavesOutWhatItIsTold) {
  const SGD optimizer({.learning_rate = 1.0, .weight_decay = 0.5});
  const Variable w = weight();
  const Variable bias(Arg(Array::from({1.f})), {.name = "bias"});
  const Variable other(Arg(Array::from({1.f})), {.name = "other"});
  optimizer.exclude_from_weight_decay(
      {.var_list = {other}, .var_names = {"bia."}});
  optimizer.apply({zeros({1}), zeros({1}), zeros({1})}, {w, bias, other});
  EXPECT_FLOAT_EQ(w.item<float>(), 0.5f);
  EXPECT_FLOAT_EQ(bias.item<float>(), 1.f);
  EXPECT_FLOAT_EQ(other.item<float>(), 1.f);
  EXPECT_TRUE(
      text_of<ValueError>([&] { optimizer.exclude_from_weight_decay({}); })
          .find("what weight decay leaves alone is said before it is "
                "built") != std::string::npos);
}

TEST(OptimizerOptions, AveragesBecomeTheVariablesAtTheEnd) {
  const SGD optimizer(
      {.learning_rate = 1.0, .use_ema = true, .ema_momentum = 0.5});
  const Variable w = weight();
  optimizer.apply({ones({1})}, {w});         // 0, average 0
  optimizer.apply({ones({1}) * -4.f}, {w});  // 4, average 2
  EXPECT_FLOAT_EQ(w.item<float>(), 4.f);
  optimizer.finalize_variable_values({w});
  EXPECT_FLOAT_EQ(w.item<float>(), 2.f);
  EXPECT_EQ(
      text_of<ValueError>([] { SGD({.gradient_accumulation_steps = 1}); }),
      "Optimizer: expected gradient_accumulation_steps >= 2, got 1");
}

TEST(OptimizerOptions, ConstraintsHoldAfterEachStep) {
  const Variable w = weight();
  w.state()->constraint = [](const Tensor& x) { return maximum(x, 0); };
  SGD(1.0).apply({ones({1}) * 3.f}, {w});
  EXPECT_EQ(w.item<float>(), 0.f);
}

}  // namespace
}  // namespace systolic::optimizers
