// Public bug reports about training loops, each as a test; tests/cases.csv has
// their numbers.
#include <gtest/gtest.h>

#include "systolic/models/callbacks/callback.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::models {
namespace {

using callbacks::CallbackBase;
using callbacks::Logs;

// A model whose values are its inputs.
Sequential identity() {
  clear_session();
  Sequential model({layers::Flatten({.input_shape = {1}})});
  model.compile({.optimizer = "sgd", .loss = "mae"});
  return model;
}

// The numbers 1 ... count as rows, with labels of zero.
data::Dataset counted(int64_t count, int64_t batch_size) {
  std::vector<float> rows;
  for (int64_t i = 1; i <= count; ++i) rows.push_back(static_cast<float>(i));
  return data::Dataset::from_tensor_slices(Array::from(rows, {count, 1}),
                                           Array::zeros({count, 1}))
      .batch(batch_size);
}

TEST(CasesPlatformTest, EveryElementIsSeenOnceByOneReplica) {
  const distribute::Strategy strategy = replicas(2);
  const auto scope = strategy.scope();
  const Sequential model = identity();
  // Batches of 3, 3, 3 and 1 over two replicas; the mean of 1 ... 10.
  const auto values =
      model.evaluate(counted(10, 3), {.verbose = Verbose::silent});
  EXPECT_FLOAT_EQ(static_cast<float>(values[0]), 5.5f);
  EXPECT_EQ(model.predict(counted(10, 3), {.verbose = Verbose::silent})
                .reshaped({10})
                .to_string(),
            "[ 1.  2.  3.  4.  5.  6.  7.  8.  9. 10.]");
}

// For each row: the real rows of its replica, and of all replicas.
struct RowCounter : layers::LayerBase {
  Shape compute_output_shape(const Shape& shape) const override {
    return {shape[0], 2};
  }
  Tensor call(Tensor x, layers::CallContext) override {
    const Tensor valid = valid_rows();
    const Tensor here =
        cast(valid.is_defined() ? valid : Arg(x.shape()[0]).tensor(),
             DType::float32);
    const Tensor both = stack({here, all_reduce(ReduceOp::sum, here)});
    return broadcast_to(both, {x.shape()[0], 2});
  }
};

TEST(CasesPlatformTest, RealRowsOfAPaddedBatchAreKnownInside) {
  const distribute::Strategy strategy = replicas(2);
  const auto scope = strategy.scope();
  const Sequential model({layers::make<RowCounter>()});
  EXPECT_EQ(
      model.predict(counted(3, 3), {.verbose = Verbose::silent}).to_string(),
      "[[2. 3.]\n [2. 3.]\n [1. 3.]]");
}

struct Evaluates : CallbackBase {
  void on_train_batch_end(int64_t, const Logs&) override {
    model().evaluate(batches(8, 8), {.verbose = Verbose::silent});
  }
};

TEST(CasesPlatformTest, EvaluateInACallbackLeavesTrainingsMetricsAlone) {
  const auto train = [](std::vector<callbacks::Callback> callbacks) {
    return classifier()
        .fit(batches(24, 8), {.epochs = 2,
                              .verbose = Verbose::silent,
                              .callbacks = std::move(callbacks)})
        .history();
  };
  EXPECT_EQ(train({callbacks::make<Evaluates>()}), train({}));
}

TEST(CasesPlatformTest, ValidationOfEveryEpochCompilesNothingMore) {
  const Sequential model = classifier();
  const auto train = [&](int epochs) {
    model.fit(batches(16, 8), {.epochs = epochs,
                               .verbose = Verbose::silent,
                               .validation_data = batches(8, 8)});
    return compiles();
  };
  const uint64_t after_two = train(2);
  EXPECT_EQ(train(10), after_two);
}

TEST(CasesPlatformTest, AccuracyOfTrainingIsThatOfTheWholeSet) {
  const distribute::Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  const Sequential model = classifier();
  model.optimizer().set_learning_rate(0);
  const auto data = batches(100, 16);
  const auto history = model.fit(data, {.verbose = Verbose::silent});
  const auto values = model.evaluate(data, {.verbose = Verbose::silent});
  EXPECT_NEAR(history["loss"][0], values[0], 1e-6);
  EXPECT_NEAR(history["accuracy"][0], values[1], 1e-6);
}

TEST(CasesPlatformTest, DataThatEndSayTheSameOnReplicas) {
  const auto said_on = [](int count) {
    const distribute::Strategy strategy = replicas(count);
    const auto scope = strategy.scope();
    const Sequential model = classifier();
    const LogCapture log;
    model.fit(batches(24, 8),
              {.epochs = 2, .verbose = Verbose::silent, .steps_per_epoch = 2});
    return log.lines;
  };
  const std::vector<std::string> one = said_on(1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(one[0].starts_with(
      "warning: fit: the data ended in epoch 2 of 2, after 1 of 2 steps"))
      << one[0];
  EXPECT_EQ(said_on(8), one);
}

TEST(CasesPlatformTest, NormalEndIsSilent) {
  const Sequential model = classifier();
  const LogCapture log;
  model.fit(batches(20, 8), {.epochs = 3,
                             .verbose = Verbose::silent,
                             .validation_data = batches(8, 8)});
  EXPECT_EQ(log.lines, std::vector<std::string>());
}

struct KeepsLosses : CallbackBase {
  void on_batch_end(int64_t, const Logs& logs) override {
    losses.push_back(logs.at("loss"));
  }
  std::vector<double> losses;
};

TEST(CasesPlatformTest, LossOfABatchHookIsTheMeanSinceTheEpochBegan) {
  const auto keeper = std::make_shared<KeepsLosses>();
  const auto data = data::Dataset::from_tensor_slices(
                        Array::from({2.f, 4.f}, {2, 1}), Array::zeros({2, 1}))
                        .batch(1);
  identity().fit(data, {.verbose = Verbose::silent,
                        .callbacks = {callbacks::Callback(keeper)}});
  EXPECT_EQ(keeper->losses, (std::vector<double>{2, 3}));
}

}  // namespace
}  // namespace systolic::models
