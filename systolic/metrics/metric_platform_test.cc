#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "systolic/base/auto_name.h"
#include "systolic/graph/step.h"
#include "systolic/metrics/metric.h"
#include "systolic/metrics/metrics.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::metrics {
namespace {

namespace graph = internal::graph;

using internal::text_of;

Metric make(const golden::Case& c) {
  const std::string& name = c.options()["class_name"].text();
  const golden::Value& config = c.options()["config"];
  const bool from_logits = config.get("from_logits", false);
  const auto k = config.get("k", int64_t{5});
  if (name == "BinaryAccuracy") {
    return BinaryAccuracy({.threshold = config.get("threshold", 0.5)});
  }
  if (name == "TopKCategoricalAccuracy") {
    return TopKCategoricalAccuracy({.k = k});
  }
  if (name == "SparseTopKCategoricalAccuracy") {
    return SparseTopKCategoricalAccuracy({.k = k});
  }
  if (name == "SparseCategoricalCrossentropy") {
    return SparseCategoricalCrossentropy({.from_logits = from_logits});
  }
  if (name == "CategoricalCrossentropy") {
    return CategoricalCrossentropy({.from_logits = from_logits});
  }
  if (name == "BinaryCrossentropy") {
    return BinaryCrossentropy({.from_logits = from_logits});
  }
  const Metric metric = get(name);
  if (config.has("name")) metric.base().set_name(config["name"].text());
  return metric;
}

class MetricGoldenTest : public testing::TestWithParam<golden::Case> {};

TEST_P(MetricGoldenTest, ResultsAreKerass) {
  const golden::Case& c = GetParam();
  const Metric metric = make(c);
  EXPECT_EQ(metric.name(), c.expected()["name"].text());
  const int64_t updates = c.options()["updates"].integer();
  for (int64_t i = 0; i < updates; ++i) {
    const std::string update = "updates/" + std::to_string(i) + "/";
    const Tensor weight = c.has_array(update + "sample_weight")
                              ? constant(c.array(update + "sample_weight"))
                              : Tensor();
    if (c.has_array(update + "values")) {
      metric.update_state(c.array(update + "values"), weight);
    } else {
      metric.update_state(c.array(update + "y_true"),
                          c.array(update + "y_pred"), weight);
    }
    EXPECT_EQ(golden::difference(metric.result().numpy(),
                                 c.array("results/" + std::to_string(i))),
              "")
        << "after update " << i;
  }
  const golden::Arrays state = c.group("variables");
  ASSERT_EQ(metric.variables().size(), state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    EXPECT_EQ(metric.variables()[i].name(), state[i].first);
    EXPECT_EQ(
        golden::difference(metric.variables()[i].numpy(), state[i].second), "");
  }
  metric.reset_state();
  EXPECT_EQ(golden::difference(metric.result().numpy(),
                               c.array("result_after_reset")),
            "");
}

INSTANTIATE_TEST_SUITE_P(Keras, MetricGoldenTest,
                         testing::ValuesIn(golden::load("metrics")));

constexpr int kReplicas = 8;

const graph::Placement* eight() {
  return graph::Placement::replicas(
      internal::runtime::Client::open({.device_count = kReplicas}).devices());
}

// Rows of a batch as the replicas get them: counts[r] real rows on replica r,
// the rest filled up with `padding`.
template <class T>
Array spread(const Array& rows, const std::vector<int>& counts, T padding) {
  const int most = *std::max_element(counts.begin(), counts.end());
  const int64_t width = rows.size() / rows.shape()[0];
  Shape shape = rows.shape();
  shape.set(0, most);
  shape.insert(0, kReplicas);
  Array out = Array::uninitialized({rows.dtype(), shape});
  const auto to = out.mutable_span<T>();
  const auto from = rows.span<T>();
  std::fill(to.begin(), to.end(), padding);
  int64_t next = 0;
  for (int r = 0; r < kReplicas; ++r) {
    for (int i = 0; i < counts[r]; ++i, ++next) {
      std::copy_n(&from[next * width], width, &to[(r * most + i) * width]);
    }
  }
  return out;
}

struct Batch {
  Array labels;
  Array scores;
  Array weights;
};

Batch batch(int rows) {
  std::vector<int32_t> labels;
  std::vector<float> scores, weights;
  for (int i = 0; i < rows; ++i) {
    labels.push_back(i * 7 % 3);
    weights.push_back(0.5f + 0.25f * static_cast<float>(i % 4));
    for (int j = 0; j < 3; ++j) {
      scores.push_back(static_cast<float>((i * 5 + j * 11) % 13) / 4);
    }
  }
  return {Array::from(labels), Array::from(scores, {rows, 3}),
          Array::from(weights)};
}

enum class Weights { none, given };

void update_in_replicas(const Metric& metric, const Batch& whole,
                        const std::vector<int>& counts, Weights weights) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  graph::Step step(eight(), "test");
  const Tensor replica = replica_id_in_sync_group();
  const auto mine = [&](const Array& all) {
    return dynamic_index(constant(all), replica);
  };
  if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) !=
      counts.end()) {
    step.context().valid_rows = mine(Array::from(counts));
  }
  const Tensor labels = mine(spread<int32_t>(whole.labels, counts, 99));
  const Tensor scores = mine(spread<float>(whole.scores, counts, nan));
  const Tensor weight = weights == Weights::none
                            ? Tensor()
                            : mine(spread<float>(whole.weights, counts, nan));
  if (metric.base().takes_values()) {
    metric.update_state(scores, weight);
  } else {
    metric.update_state(labels, scores, weight);
  }
  step.commit({});
}

void update_on_one(const Metric& metric, const Batch& whole, Weights weights) {
  const Tensor weight =
      weights == Weights::none ? Tensor() : constant(whole.weights);
  if (metric.base().takes_values()) {
    metric.update_state(whole.scores, weight);
  } else {
    metric.update_state(whole.labels, whole.scores, weight);
  }
}

const char* const kReplicated[] = {"Mean", "Sum", "SparseCategoricalAccuracy",
                                   "SparseTopKCategoricalAccuracy",
                                   "SparseCategoricalCrossentropy"};

TEST(MetricPlatformTest, ReplicasTogetherAreOneDevice) {
  for (const char* name : kReplicated) {
    for (Weights weights : {Weights::none, Weights::given}) {
      const Metric one = get(name);
      Metric split;
      {
        const graph::VariablePlacementGuard scope(eight());
        split = get(name);
      }
      for (const std::vector<int>& counts : {std::vector<int>(8, 2),
                                             {3, 3, 3, 3, 3, 3, 3, 2},
                                             {2, 2, 1, 0, 0, 0, 0, 0}}) {
        int rows = 0;
        for (int count : counts) rows += count;
        const Batch whole = batch(rows);
        update_on_one(one, whole, weights);
        update_in_replicas(split, whole, counts, weights);
        EXPECT_NEAR(split.result().item<float>(), one.result().item<float>(),
                    1e-5)
            << name << " after " << rows << " more rows";
      }
      split.reset_state();
      EXPECT_EQ(split.result().item<float>(), 0.f) << name;
      const Batch whole = batch(16);
      one.reset_state();
      update_on_one(one, whole, weights);
      update_in_replicas(split, whole, std::vector<int>(8, 2), weights);
      EXPECT_NEAR(split.result().item<float>(), one.result().item<float>(),
                  1e-5)
          << name << " after a reset";
    }
  }
}

TEST(MetricPlatformTest, EachReplicaKeepsItsPart) {
  Metric count;
  {
    const graph::VariablePlacementGuard scope(eight());
    count = Sum("rows");
  }
  {
    graph::Step step(eight(), "test");
    count.update_state(cast(replica_id_in_sync_group(), DType::float32));
    step.commit({});
  }
  const std::vector<Array> parts = count.variables()[0].replica_values();
  ASSERT_EQ(parts.size(), 8u);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(parts[i].item<int>(), i);
  EXPECT_EQ(count.result().item<int>(), 28);
}

TEST(MetricPlatformTest, OneMadeInsideAStepIsKept) {
  const graph::Placement* one = graph::Placement::current_default();
  Metric loss;
  for (float value : {1.f, 3.f}) {
    graph::Step step(one, "test");
    if (!loss.is_defined()) loss = Mean("loss");
    loss.update_state(value);
    step.commit({});
  }
  EXPECT_FLOAT_EQ(loss.result().item<float>(), 2.f);
}

class Largest : public MetricBase {
 public:
  Largest() : state_(add_variable({2}, "largest")) {}
  std::string_view class_name() const override { return "Largest"; }
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor&) override {
    state_.assign(maximum(state_, max(y_pred - y_true, {.axis = 0})));
  }
  Tensor result() const override { return max(state_); }

 private:
  Variable state_;
};

TEST(MetricPlatformTest, OwnMetricsAreNamedAndReset) {
  clear_session();
  const Metric metric(std::make_shared<Largest>());
  EXPECT_EQ(metric.name(), "largest");
  EXPECT_EQ(metric.variables()[0].path(), "largest/largest");
  const Array zero = Array::zeros({1, 2});
  metric.update_state(zero, Array::from({3.f, 4.f}, {1, 2}));
  EXPECT_FLOAT_EQ(metric.result().item<float>(), 4.f);
  metric.reset_state();
  EXPECT_FLOAT_EQ(metric.result().item<float>(), 0.f);
  EXPECT_EQ(Metric(std::make_shared<Largest>()).name(), "largest_1");
}

TEST(MetricPlatformTest, StatePathsAreKerass) {
  const Mean mean("train/loss");
  EXPECT_EQ(mean.variables()[0].path(), "train>loss/total");
  EXPECT_EQ(mean.variables()[1].path(), "train>loss/count");
  EXPECT_FALSE(mean.variables()[0].trainable());
}

TEST(MetricPlatformTest, ArgumentsOfTheOtherKindAreNamed) {
  EXPECT_EQ(text_of<TypeError>([] {
              Accuracy().update_state(Array::from({1.f}));
            }).substr(0, 65),
            "Accuracy \"accuracy\": expected y_true and y_pred, got one "
            "argument");
  EXPECT_EQ(text_of<TypeError>([] {
              const Array x = Array::from({1.f});
              Mean("loss").update_state(x, x, x);
            }).substr(0, 101),
            "Mean \"loss\": expected values, and their weights where there are "
            "any, got y_true, y_pred and sample_we");
  EXPECT_EQ(text_of<ValueError>([] { Metric().result(); }),
            "Metric: expected a metric, got an undefined one (Metric())");
}

}  // namespace
}  // namespace systolic::metrics
