// Model::plan. What needs the TPU's compiler is skipped without libtpu.
#include <gtest/gtest.h>

#include <map>

#include "systolic/models/model_base.h"
#include "systolic/models/test_helpers.h"
#include "systolic/platforms/search.h"
#include "systolic/testing/error_text.h"

namespace systolic::models {
namespace {

using internal::text_of;

class ModelPlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto& row = internal::platforms::find_row("tpu");
    if (!internal::platforms::search(row).found) {
      GTEST_SKIP() << "libtpu is not installed: scripts/install-platform tpu";
    }
  }
};

// What cannot be planned is said without the compiler.
TEST(ModelPlanErrorsTest, SayWhatIsWrongAtTheCallersLine) {
  const Sequential model = classifier();
  EXPECT_EQ(text_of<ValueError>(
                [&] { model.plan({.topology = "v3-8", .batch_size = 100}); }),
            "plan: expected a batch_size that 8 replicas of v3-8 can divide, "
            "got 100\n"
            "  hint: for example 96 or 104\n"
            "  at: plan_platform_test.cc:" +
                std::to_string(__LINE__ - 6));
  const std::string unknown =
      text_of<ValueError>([&] { model.plan({.topology = "v3-9"}); });
  EXPECT_NE(unknown.find("expected one of v3-8, v3-32"), std::string::npos)
      << unknown;
  EXPECT_NE(unknown.find("got 'v3-9'"), std::string::npos) << unknown;

  const Sequential deferred({layers::Dense(3)});
  EXPECT_NE(
      text_of<ValueError>([&] { deferred.plan(); }).find("is not compiled"),
      std::string::npos);
  deferred.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_NE(text_of<ValueError>([&] {
              deferred.plan();
            }).find("expected a model that knows the shapes of its inputs"),
            std::string::npos);
}

TEST_F(ModelPlanTest, PlansAStepOfFit) {
  const Sequential model = classifier({.steps_per_execution = 20});
  const plan::Plan plan = model.plan({.topology = "v3-8", .batch_size = 1024});
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.topology, "v3-8");
  EXPECT_EQ(plan.chips, 4);
  EXPECT_EQ(plan.replicas, 8);
  EXPECT_EQ(plan.batch_size, 1024);
  EXPECT_EQ(plan.steps_per_execution, 20);
  EXPECT_EQ(plan.program, "fit of sequential");
  EXPECT_TRUE(plan.where.starts_with("plan_platform_test.cc:")) << plan.where;
  // 4 x 8 + 8 + 8 x 3 + 3 weights, Adam's two slots for each.
  EXPECT_GE(plan.memory.weights, 4 * 67);
  EXPECT_GE(plan.memory.optimizer, 2 * 4 * 67);
  EXPECT_LE(plan.memory.optimizer, 2 * 4 * 67 + 64);
  EXPECT_GT(plan.step_seconds, 0);
  EXPECT_FALSE(plan.slowest.empty());
}

TEST_F(ModelPlanTest, ModelIsAsBeforeAfterwards) {
  const auto train = [](bool plans) {
    const Sequential model = classifier();
    if (plans) model.plan({.batch_size = 64});
    const auto history =
        model.fit(batches(32, 8), {.epochs = 1, .verbose = Verbose::silent});
    std::vector<double> losses = history["loss"];
    if (plans) model.plan({.batch_size = 64});
    losses.push_back(
        model.evaluate(batches(32, 8), {.verbose = Verbose::silent})[0]);
    return losses;
  };
  EXPECT_EQ(train(true), train(false));
}

TEST_F(ModelPlanTest, ModelOfAStrategyIsPlannedForOtherSlices) {
  const distribute::Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  const Sequential model = classifier();
  EXPECT_EQ(model.plan({.topology = "v5e-4", .batch_size = 32}).replicas, 4);
  model.fit(batches(32, 8), {.epochs = 1, .verbose = Verbose::silent});
}

TEST_F(ModelPlanTest, InputsAndLabelsMayBeGiven) {
  Sequential model({layers::Dense(3)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const plan::Plan plan = model.plan({.batch_size = 8,
                                      .x = {{DType::float32, Shape{5}}},
                                      .y = {{DType::float32, Shape{3}}}});
  EXPECT_EQ(plan.batch_size, 8);
  EXPECT_EQ(plan.steps_per_execution, 1);
  // It was built meanwhile, with real values for whoever asks.
  EXPECT_EQ(model.weights()[0].numpy().shape(), (Shape{5, 3}));
}

TEST_F(ModelPlanTest, LayersOfASequentialHaveTheLineThatAddedThem) {
  const SourceLocation begin = SourceLocation::current();
  Sequential model({layers::Dense(16, {.input_shape = {8}, .name = "first"})});
  model.add(layers::Dense(3, {.name = "second"}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const plan::Plan plan = model.plan({.batch_size = 32});
  const auto line = [&](int after) {
    return "plan_platform_test.cc:" + std::to_string(begin.line() + after);
  };
  std::map<std::string, std::string> places;
  for (const plan::Operation& operation : plan.slowest) {
    for (const std::string layer : {"first", "second"}) {
      if (operation.layer.find(layer) != std::string::npos) {
        places[layer] = operation.where;
      }
    }
  }
  EXPECT_EQ(places["first"], line(1));
  EXPECT_EQ(places["second"], line(2));
}

TEST_F(ModelPlanTest, NothingToTrainIsAnError) {
  const Sequential model = classifier();
  model.set_trainable(false);
  EXPECT_THROW(model.plan(), ValueError);
}

}  // namespace
}  // namespace systolic::models
