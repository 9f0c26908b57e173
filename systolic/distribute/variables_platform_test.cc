// Variables of strategies: mirrored, in parts, assigned by replicas that
// differ, shared with another strategy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/distribute/replica_context.h"
#include "systolic/distribute/test_strategies.h"
#include "systolic/metrics/metrics.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using internal::text_of;
using ::testing::HasSubstr;

Variable make(const Strategy& strategy, const Array& value,
              VariableOptions options) {
  const auto scope = strategy.scope();
  options.name = "v";
  return Variable(value, std::move(options));
}

Tensor id() { return replica_id_in_sync_group(); }

std::string replicas_of(const Variable& variable) {
  std::string text;
  for (const Array& value : variable.replica_values()) {
    text += (text.empty() ? "" : " ") + value.to_string();
  }
  return text;
}

// What a mirrored variable holds after each replica assigned its number + 1.
std::string assigned(VariableAggregation aggregation) {
  const Strategy four = mirrored(4);
  Variable v = make(four, Array::scalar(10.f), {.aggregation = aggregation});
  four.run([&] { v.assign(cast(id() + 1, DType::float32)); });
  return replicas_of(v);
}

TEST(VariablesPlatformTest, AssignCombinesAsTheAggregationSays) {
  EXPECT_EQ(assigned(VariableAggregation::sum), "10.0 10.0 10.0 10.0");
  EXPECT_EQ(assigned(VariableAggregation::mean), "2.5 2.5 2.5 2.5");
  EXPECT_EQ(assigned(VariableAggregation::only_first_replica),
            "1.0 1.0 1.0 1.0");
}

TEST(VariablesPlatformTest, DifferencesAreCombinedAndNotTheValue) {
  const Strategy four = mirrored(4);
  Variable sum = make(four, Array::scalar(10.f),
                      {.aggregation = VariableAggregation::sum});
  Variable mean = make(four, Array::scalar(10.f),
                       {.aggregation = VariableAggregation::mean});
  four.run([&] {
    sum.assign_add(1);
    mean.assign_sub(cast(id(), DType::float32));
  });
  EXPECT_EQ(replicas_of(sum), "14.0 14.0 14.0 14.0");
  EXPECT_EQ(replicas_of(mean), "8.5 8.5 8.5 8.5");
}

TEST(VariablesPlatformTest, FirstReplicasValueIsTakenBesideNaN) {
  const Strategy four = mirrored(4);
  Variable v = make(four, Array::scalar(0.f),
                    {.aggregation = VariableAggregation::only_first_replica});
  four.run(
      [&] { v.assign(3.f / (1 - cast(minimum(id(), 1), DType::float32))); });
  EXPECT_EQ(replicas_of(v), "3.0 3.0 3.0 3.0");
}

TEST(VariablesPlatformTest, WithoutAggregationItIsRefused) {
  const Strategy four = mirrored(4);
  Variable v = make(four, Array::scalar(1.f), {});
  const std::string text = text_of<ValueError>(
      [&] { four.run([&] { v.assign(cast(id(), DType::float32)); }); });
  EXPECT_THAT(
      text,
      HasSubstr("Variable \"v\": each replica may assign another value, and "
                "nothing says which one to keep\n"
                "  inside: strategy.run\n"
                "  variable: float32[]\n"
                "  hint: make it with {.aggregation = "
                "VariableAggregation::mean} (or sum, only_first_replica), or "
                "{.synchronization = VariableSynchronization::on_read} to keep "
                "the parts apart\n"
                "  at: variables_platform_test.cc:"));
  EXPECT_EQ(replicas_of(v), "1.0 1.0 1.0 1.0");
  // One replica can not differ, and outside of steps there is one value.
  v.assign(2);
  EXPECT_EQ(replicas_of(v), "2.0 2.0 2.0 2.0");
  Variable single(constant(1.0));
  get_strategy().run([&] { single.assign_add(1); });
  EXPECT_EQ(single.item<float>(), 2);
}

TEST(VariablesPlatformTest, PartsAreCombinedWhenTheyAreRead) {
  const Strategy four = mirrored(4);
  const auto on_read = VariableSynchronization::on_read;
  Variable sum = make(
      four, Array::scalar(8.f),
      {.synchronization = on_read, .aggregation = VariableAggregation::sum});
  Variable mean = make(
      four, Array::scalar(8.f),
      {.synchronization = on_read, .aggregation = VariableAggregation::mean});
  Variable first =
      make(four, Array::scalar(8.f),
           {.synchronization = on_read,
            .aggregation = VariableAggregation::only_first_replica});
  EXPECT_EQ(sum.item<float>(), 8);
  const PerReplica own = four.run([&] {
    const Tensor number = cast(id(), DType::float32);
    for (Variable v : {sum, mean, first}) v.assign_add(number);
    return first.value();
  });
  EXPECT_EQ(sum.item<float>(), 8 + 0 + 1 + 2 + 3);
  EXPECT_EQ(mean.item<float>(), 9.5f);
  EXPECT_EQ(first.item<float>(), 8);
  EXPECT_EQ(own[3].item<float>(), 11);
  EXPECT_EQ(replicas_of(mean), "8.0 9.0 10.0 11.0");
  // A value from outside: the parts add up to it, or are it.
  sum.assign(4);
  mean.assign(4);
  EXPECT_EQ(sum.item<float>(), 4);
  EXPECT_EQ(replicas_of(mean), "4.0 4.0 4.0 4.0");
  EXPECT_EQ(four.reduce(ReduceOp::sum, four.run([&] { return sum.value(); }))
                .item<float>(),
            4);
}

TEST(VariablesPlatformTest, OnePlaceReadsTheWholeOfAValueInParts) {
  const Strategy four = mirrored(4);
  Variable sum = make(four, Array::scalar(0.f),
                      {.synchronization = VariableSynchronization::on_read,
                       .aggregation = VariableAggregation::sum});
  four.run([&] { sum.assign_add(2); });
  const Tensor read = get_strategy().run([&] { return sum * 10; });
  EXPECT_EQ(read.item<float>(), 80);
}

// State of before the scope, made for one device.
TEST(VariablesPlatformTest, StateOfBeforeTheScopeJoinsTheStrategy) {
  const Strategy four = mirrored(4);
  metrics::Mean mean("mean");
  mean.update_state(constant(4.0));
  Variable steps(constant(0), {.aggregation = VariableAggregation::mean});
  for (int i = 0; i < 3; ++i) {
    four.run([&] {
      mean.update_state(cast(id(), DType::float32));
      steps.assign_add(1);
    });
  }
  EXPECT_NEAR(mean.result().item<float>(), (4 + 3 * 6) / 13., 1e-6);
  EXPECT_EQ(steps.item<int32_t>(), 3);
  EXPECT_EQ(replicas_of(steps), "3 3 3 3");
}

TEST(VariablesPlatformTest, VariablesMadeInsideAreKept) {
  const Strategy four = mirrored(4);
  Variable made;
  for (int i = 0; i < 2; ++i) {
    four.run([&] {
      if (!made.is_defined()) {
        made = Variable([] { return constant(5.0); },
                        {.aggregation = VariableAggregation::sum});
      }
      made.assign_add(1);
    });
  }
  EXPECT_EQ(replicas_of(made), "13.0 13.0 13.0 13.0");
}

TEST(VariablesPlatformTest, TwoStrategiesDoNotMix) {
  Variable v = make(eight(), Array::scalar(1.f),
                    {.aggregation = VariableAggregation::mean});
  const Strategy three = mirrored(3);
  const std::string expected =
      "Variable \"v\": it belongs to another strategy than strategy.run\n"
      "  the variable's: TPUStrategy (8 replicas, "
      "/job:localhost/replica:0/task:0/device:TPU:0 to "
      "/job:localhost/replica:0/task:0/device:TPU:7)\n"
      "  the step's: MirroredStrategy (3 replicas, "
      "/job:localhost/replica:0/task:0/device:CPU:0 to "
      "/job:localhost/replica:0/task:0/device:CPU:2)\n"
      "  hint: make what works together in the scope of one strategy\n"
      "  in: strategy.run";
  EXPECT_EQ(text_of<ValueError>([&] { three.run([&] { return v + 1; }); }),
            expected);
  EXPECT_EQ(text_of<ValueError>([&] { three.run([&] { v.assign(2); }); }),
            expected);
  EXPECT_EQ(v.item<float>(), 1);
}

}  // namespace
}  // namespace systolic::distribute
