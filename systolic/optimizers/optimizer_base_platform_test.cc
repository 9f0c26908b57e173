#include <gtest/gtest.h>

#include "systolic/base/auto_name.h"
#include "systolic/base/log.h"
#include "systolic/graph/step.h"
#include "systolic/losses/crossentropy.h"
#include "systolic/ops/ops.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/optimizers.h"
#include "systolic/runtime/counters.h"
#include "systolic/testing/golden.h"

namespace systolic::optimizers {
namespace {

namespace graph = internal::graph;

std::optional<double> optional_number(const golden::Value& config,
                                      std::string_view key) {
  if (!config.has(key)) return std::nullopt;
  return config[key].number();
}

std::optional<int64_t> optional_count(const golden::Value& config,
                                      std::string_view key) {
  if (!config.has(key)) return std::nullopt;
  return config[key].integer();
}

// Those that came after the first four.
Optimizer make_other(const std::string& name, const golden::Value& o) {
  const double rate = o.get("learning_rate", 0.001);
  if (name == "Adagrad") {
    return Adagrad(
        {.learning_rate = rate,
         .initial_accumulator_value = o.get("initial_accumulator_value", 0.1),
         .epsilon = o.get("epsilon", 1e-7)});
  }
  if (name == "Adadelta") {
    return Adadelta({.learning_rate = rate,
                     .rho = o.get("rho", 0.95),
                     .epsilon = o.get("epsilon", 1e-7)});
  }
  if (name == "Adamax") {
    return Adamax({.learning_rate = rate,
                   .beta_1 = o.get("beta_1", 0.9),
                   .beta_2 = o.get("beta_2", 0.999)});
  }
  if (name == "Nadam") {
    return Nadam({.learning_rate = rate,
                  .beta_1 = o.get("beta_1", 0.9),
                  .beta_2 = o.get("beta_2", 0.999)});
  }
  if (name == "Lion") {
    return Lion({.learning_rate = rate,
                 .beta_1 = o.get("beta_1", 0.9),
                 .weight_decay = optional_number(o, "weight_decay")});
  }
  EXPECT_EQ(name, "Ftrl");
  const auto strength = [&](const std::string& which) {
    return o.get(which + "_regularization_strength", 0.0);
  };
  return Ftrl({.learning_rate = rate,
               .l1_regularization_strength = strength("l1"),
               .l2_regularization_strength = strength("l2"),
               .l2_shrinkage_regularization_strength = strength("l2_shrinkage"),
               .beta = o.get("beta", 0.0)});
}

Optimizer make(const golden::Case& c) {
  const std::string& name = c.options()["class_name"].text();
  const golden::Value& o = c.options()["config"];
  if (name == "SGD") {
    return SGD({.learning_rate = o.get("learning_rate", 0.01),
                .momentum = o.get("momentum", 0.0),
                .nesterov = o.get("nesterov", false),
                .weight_decay = optional_number(o, "weight_decay"),
                .clipnorm = optional_number(o, "clipnorm"),
                .clipvalue = optional_number(o, "clipvalue"),
                .global_clipnorm = optional_number(o, "global_clipnorm"),
                .use_ema = o.get("use_ema", false),
                .ema_momentum = o.get("ema_momentum", 0.99),
                .loss_scale_factor = optional_number(o, "loss_scale_factor"),
                .gradient_accumulation_steps =
                    optional_count(o, "gradient_accumulation_steps")});
  }
  if (name == "Adam") {
    return Adam({.learning_rate = o.get("learning_rate", 0.001),
                 .beta_1 = o.get("beta_1", 0.9),
                 .beta_2 = o.get("beta_2", 0.999),
                 .epsilon = o.get("epsilon", 1e-7),
                 .amsgrad = o.get("amsgrad", false),
                 .weight_decay = optional_number(o, "weight_decay"),
                 .clipnorm = optional_number(o, "clipnorm"),
                 .global_clipnorm = optional_number(o, "global_clipnorm"),
                 .use_ema = o.get("use_ema", false),
                 .ema_momentum = o.get("ema_momentum", 0.99),
                 .ema_overwrite_frequency =
                     optional_count(o, "ema_overwrite_frequency"),
                 .gradient_accumulation_steps =
                     optional_count(o, "gradient_accumulation_steps")});
  }
  if (name == "AdamW") {
    return AdamW({.learning_rate = o.get("learning_rate", 0.001),
                  .weight_decay = o.get("weight_decay", 0.004),
                  .amsgrad = o.get("amsgrad", false)});
  }
  if (name != "RMSprop") return make_other(name, o);
  return RMSprop({.learning_rate = o.get("learning_rate", 0.001),
                  .rho = o.get("rho", 0.9),
                  .momentum = o.get("momentum", 0.0),
                  .epsilon = o.get("epsilon", 1e-7),
                  .centered = o.get("centered", false),
                  .weight_decay = optional_number(o, "weight_decay")});
}

std::vector<Variable> variables_of(const golden::Case& c) {
  std::vector<Variable> variables;
  for (const auto& [name, start] : c.group("variables")) {
    variables.emplace_back(Arg(start), VariableOptions{.name = name});
  }
  return variables;
}

// The path without the optimizer's own name, which Keras numbers.
std::string below(const std::string& path) {
  return path.substr(path.find('/'));
}

// Keras on TensorFlow rounds beta_2 to float32 before it is a float64.
golden::Tolerance tolerance_of(const golden::Case& c) {
  if (c.options().get("dtype", "float32") == "float64") return {1e-5, 1e-6};
  return {};
}

class OptimizerGoldenTest : public testing::TestWithParam<golden::Case> {};

TEST_P(OptimizerGoldenTest, FiveStepsAreKerass) {
  const golden::Case& c = GetParam();
  const Optimizer optimizer = make(c);
  const std::vector<Variable> variables = variables_of(c);
  const int64_t steps = c.options()["steps"].integer();
  for (int64_t step = 0; step < steps; ++step) {
    const std::string number = std::to_string(step) + "/";
    std::vector<Tensor> grads;
    for (const Variable& variable : variables) {
      grads.push_back(
          constant(c.array("gradients/" + number + variable.name())));
    }
    optimizer.apply(grads, variables);
    for (const Variable& variable : variables) {
      const Array& wanted = c.array("after/" + number + variable.name());
      EXPECT_EQ(golden::difference(variable.numpy(), wanted, tolerance_of(c)),
                "")
          << variable.name() << " after step " << step;
    }
  }
  const std::vector<std::string> paths = c.expected()["state_paths"].texts();
  const std::vector<Variable> state = optimizer.variables();
  ASSERT_EQ(state.size(), paths.size());
  for (size_t i = 0; i < state.size(); ++i) {
    // What Keras does not name: Nadam's product.
    if (paths[i].find('/') != std::string::npos) {
      EXPECT_EQ(below(state[i].path()), below(paths[i]));
    }
    const Array& wanted = c.array("state/" + std::to_string(i));
    // Keras counts iterations in int64 on TensorFlow.
    EXPECT_EQ(golden::difference(state[i].numpy(),
                                 i == 0 ? cast(wanted, DType::int32) : wanted,
                                 tolerance_of(c)),
              "")
        << paths[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Keras, OptimizerGoldenTest,
                         testing::ValuesIn(golden::load("optimizers")));

constexpr int kReplicas = 8;

const graph::Placement* eight() {
  return graph::Placement::replicas(
      internal::runtime::Client::open({.device_count = kReplicas}).devices());
}

const Array kStart = Array::from({1.f, -2.f, 3.f, -4.f, 5.f, -6.f}, {3, 2});

// Three steps whose gradient on replica r is (r + 1) times a constant, and
// the same on one device with the sum.
void expect_replicas_as_one(const Optimizer& split, const Optimizer& whole) {
  Variable w;
  {
    const graph::VariablePlacementGuard scope(eight());
    w = Variable(Arg(kStart), {.name = "w"});
  }
  Variable v(Arg(kStart), {.name = "w"});
  for (int step = 0; step < 3; ++step) {
    const Array gradient = kStart * (0.01f * static_cast<float>(step + 1));
    {
      graph::Step launch(eight(), "test");
      const Tensor share =
          cast(replica_id_in_sync_group() + 1, DType::float32) * gradient;
      split.apply({share}, {w});
      launch.commit({});
    }
    whole.apply({constant(gradient * 36.f)}, {v});
  }
  EXPECT_EQ(golden::difference(w.numpy(), v.numpy()), "") << split.name();
  const std::vector<Array> replicas = w.replica_values();
  ASSERT_EQ(replicas.size(), static_cast<size_t>(kReplicas));
  for (const Array& replica : replicas) {
    EXPECT_TRUE(array_equal(replica, replicas[0]));
  }
  EXPECT_EQ(split.iterations().item<int>(), 3);
  for (size_t i = 0; i < whole.variables().size(); ++i) {
    EXPECT_EQ(golden::difference(split.variables()[i].numpy(),
                                 whole.variables()[i].numpy()),
              "");
  }
}

TEST(OptimizerBasePlatformTest, EightReplicasAreOneDevice) {
  expect_replicas_as_one(SGD({.learning_rate = 0.1, .momentum = 0.9}),
                         SGD({.learning_rate = 0.1, .momentum = 0.9}));
  expect_replicas_as_one(Adam(0.05), Adam(0.05));
  expect_replicas_as_one(AdamW({.clipnorm = 0.3}), AdamW({.clipnorm = 0.3}));
  expect_replicas_as_one(RMSprop({.global_clipnorm = 0.2}),
                         RMSprop({.global_clipnorm = 0.2}));
}

// One step on softmax(x w) for 11 rows; a replica's rows are those it has of
// them, and `counts` says how many are real.
TEST(OptimizerBasePlatformTest, UnevenSharesOfABatchAreOneDevice) {
  constexpr int kRows = 11, kMost = 2;
  std::vector<float> x(kReplicas * kMost * 3, 1e30f);
  std::vector<int32_t> y(kReplicas * kMost, 77);
  for (int i = 0; i < kRows; ++i) {
    y[i] = i % 2;
    for (int j = 0; j < 3; ++j) {
      x[i * 3 + j] = static_cast<float>((i * 7 + j * 5) % 9) / 8;
    }
  }
  const Array features = Array::from(x, {kReplicas, kMost, 3});
  const Array labels = Array::from(y, {kReplicas, kMost});
  const Array counts = Array::from<int32_t>({2, 2, 2, 2, 2, 1, 0, 0});
  const losses::SparseCategoricalCrossentropy loss({.from_logits = true});
  const auto train = [&](const Tensor& rows, const Tensor& truth,
                         const Variable& w, const Optimizer& optimizer) {
    GradientTape tape;
    const Tensor value = loss(truth, matmul(rows, w));
    optimizer.apply(tape.gradient(value, {w}), {w});
  };
  const Variable v(Arg(kStart), {.name = "w"});
  train(constant(features.reshaped({-1, 3})[Slice(0, kRows)]),
        constant(labels.reshaped({-1})[Slice(0, kRows)]), v, SGD(1.0));
  Variable w;
  {
    const graph::VariablePlacementGuard scope(eight());
    w = Variable(Arg(kStart), {.name = "w"});
  }
  {
    graph::Step step(eight(), "test");
    const Tensor replica = replica_id_in_sync_group();
    step.context().valid_rows = dynamic_index(constant(counts), replica);
    train(dynamic_index(constant(features), replica),
          dynamic_index(constant(labels), replica), w, SGD(1.0));
    step.commit({});
  }
  EXPECT_EQ(golden::difference(w.numpy(), v.numpy()), "");
  EXPECT_NE(golden::difference(v.numpy(), kStart), "");
}

TEST(OptimizerBasePlatformTest, SlotsMadeInsideAStepAreKept) {
  const Adam optimizer(0.1);
  const Variable w(Arg(kStart), {.name = "w"});
  const Adam same(0.1);
  const Variable v(Arg(kStart), {.name = "w"});
  for (int i = 0; i < 2; ++i) {
    {
      graph::Step step(graph::Placement::current_default(), "test");
      optimizer.apply({w * 0.5f}, {w});
      step.commit({});
    }
    same.apply({v * 0.5f}, {v});
  }
  EXPECT_EQ(golden::difference(w.numpy(), v.numpy()), "");
  EXPECT_EQ(optimizer.iterations().item<int>(), 2);
}

TEST(OptimizerBasePlatformTest, LaterStepsCompileNothing) {
  const Adam optimizer({.learning_rate = 0.1, .weight_decay = 0.1});
  const Variable w(Arg(kStart), {.name = "w"});
  uint64_t compiles = 0;
  for (int i = 0; i < 5; ++i) {
    graph::Step step(graph::Placement::current_default(), "test");
    optimizer.apply({w * 0.5f}, {w});
    step.commit({});
    const uint64_t now = internal::runtime::counters().compiles;
    if (i > 0) {
      EXPECT_EQ(now, compiles) << "in step " << i;
    }
    compiles = now;
  }
}

struct Plain : OptimizerBase {
  Plain() : OptimizerBase({.learning_rate = 0.5}) {}
  std::string_view class_name() const override { return "Plain"; }
  void update_step(const Tensor& gradient, Variable variable,
                   const Tensor& learning_rate) override {
    variable.assign_sub(gradient * learning_rate);
  }
};

TEST(OptimizerBasePlatformTest, OwnOptimizersAreNamedAndRun) {
  clear_session();
  const Optimizer optimizer(std::make_shared<Plain>());
  EXPECT_EQ(optimizer.name(), "plain");
  EXPECT_EQ(optimizer.iterations().path(), "plain/iteration");
  EXPECT_EQ(optimizer.learning_rate().path(), "plain/learning_rate");
  const Variable w(Arg(Array::from({1.f, 2.f})), {.name = "w"});
  optimizer.apply({ones({2})}, {w});
  EXPECT_EQ(golden::difference(w.numpy(), Array::from({0.5f, 1.5f})), "");
}

TEST(OptimizerBasePlatformTest, MissingGradientsAreSkippedWithOneWarning) {
  std::vector<std::string> lines;
  const LogSink before =
      set_log_sink([&](LogLevel level, std::string_view text) {
        if (level == LogLevel::warning) lines.emplace_back(text);
      });
  const SGD optimizer({.learning_rate = 1, .name = "sgd"});
  const Variable a(Arg(1.f), {.name = "a"}), b(Arg(1.f), {.name = "b"});
  for (int i = 0; i < 3; ++i) {
    optimizer.apply({Tensor(), constant(Array::scalar(0.25f))}, {a, b});
  }
  set_log_sink(before);
  EXPECT_FLOAT_EQ(a.item<float>(), 1.f);
  EXPECT_FLOAT_EQ(b.item<float>(), 0.25f);
  EXPECT_EQ(optimizer.iterations().item<int>(), 3);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "SGD \"sgd\": gradients do not exist for the variables 'a' when "
            "minimizing the loss; with compile(), is a loss missing?");
}

TEST(OptimizerBasePlatformTest, SlotsAreNamedAfterPathsAndLieBesideThem) {
  Variable kernel;
  {
    const graph::VariablePlacementGuard scope(eight());
    kernel = Variable(Arg(kStart), {.name = "kernel"});
  }
  kernel.set_path("sequential/dense/kernel");
  const Adam optimizer({.name = "adam"});
  optimizer.build({kernel});
  const Variable momentum = optimizer.variables()[2];
  EXPECT_EQ(momentum.path(), "adam/sequential_dense_kernel_momentum");
  EXPECT_EQ(momentum.name(), "sequential_dense_kernel_momentum");
  EXPECT_EQ(momentum.state()->placement, eight());
  EXPECT_FALSE(momentum.trainable());
}

}  // namespace
}  // namespace systolic::optimizers
