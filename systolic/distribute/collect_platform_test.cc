// Values of all replicas brought together, and made for each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/distribute/test_strategies.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using data::Dataset;
using internal::text_of;
using ::testing::HasSubstr;

PerReplica numbers(const Strategy& strategy) {
  return strategy.distribute_values_from_function(
      [](const ValueContext& context) {
        EXPECT_EQ(context.num_replicas_in_sync, 4);
        const auto id = static_cast<float>(context.replica_id_in_sync_group);
        return constant({id, id * 10});
      });
}

TEST(CollectPlatformTest, ValuesOfAFunctionAreEachReplicasOwn) {
  const Strategy four = mirrored(4);
  const PerReplica x = numbers(four);
  EXPECT_EQ(x[2].numpy().to_string(), "[ 2. 20.]");
  EXPECT_TRUE(x[2].device().ends_with(":2")) << x[2].device();
  EXPECT_THAT(text_of<ShapeError>([&] {
                four.experimental_distribute_values_from_function(
                    [](const ValueContext& context) {
                      return zeros({context.replica_id_in_sync_group + 1});
                    });
              }),
              HasSubstr("got float32[1] and float32[2] for replica 1"));
}

TEST(CollectPlatformTest, ReduceCombinesElementByElement) {
  const Strategy four = mirrored(4);
  const PerReplica x = numbers(four);
  const auto reduced = [&](ReduceOp op) {
    return four.reduce(op, x).numpy().to_string();
  };
  EXPECT_EQ(reduced(ReduceOp::sum), "[ 6. 60.]");
  EXPECT_EQ(reduced(ReduceOp::mean), "[ 1.5 15. ]");
  EXPECT_EQ(reduced(ReduceOp::max), "[ 3. 30.]");
  EXPECT_EQ(reduced(ReduceOp::min), "[0. 0.]");
  EXPECT_EQ(four.reduce(ReduceOp::sum, x, 0).item<float>(), 66);
  EXPECT_EQ(four.reduce(ReduceOp::mean, x, -1).item<float>(), 8.25f);
  // The result is a Tensor as any other.
  EXPECT_EQ((four.reduce(ReduceOp::sum, x) + 1).numpy().to_string(),
            "[ 7. 61.]");
}

// Losses [2, 3] and [4]: their mean is 3, that of the means 3.25.
TEST(CollectPlatformTest, MeanAlongRowsCountsRealRows) {
  const Strategy two = mirrored(2);
  const auto dataset = two.distribute_dataset(
      Dataset::from_tensor_slices(Array::from({2.f, 3.f, 4.f})).batch(3));
  for (auto batch : dataset) {
    const PerReplica x = two.run([](Tensor t) { return t; }, batch);
    EXPECT_EQ(two.reduce(ReduceOp::mean, x, 0).item<float>(), 3);
    EXPECT_EQ(two.reduce(ReduceOp::sum, x, 0).item<float>(), 9);
    EXPECT_EQ(two.gather(x, 0).numpy().to_string(), "[2. 3. 4.]");
    EXPECT_EQ(x.concat().to_string(), "[2. 3. 4.]");
    const std::vector<Tensor> local = two.experimental_local_results(x);
    ASSERT_EQ(local.size(), 2u);
    EXPECT_EQ(local[1].numpy().to_string(), "[4.]");
    EXPECT_THROW(two.reduce(ReduceOp::max, x, 0), ValueError);
  }
}

TEST(CollectPlatformTest, GatherJoinsAlongAnAxis) {
  const Strategy four = mirrored(4);
  const PerReplica x = numbers(four);
  EXPECT_EQ(four.gather(x).numpy().to_string(),
            "[ 0.  0.  1. 10.  2. 20.  3. 30.]");
  const PerReplica rows =
      four.run([](Tensor t) { return expand_dims(t, 1); }, x);
  EXPECT_EQ(four.gather(rows, 1).shape(), (Shape{2, 4}));
}

TEST(CollectPlatformTest, TensorsAreTheSameOnAllReplicas) {
  const Strategy four = mirrored(4);
  const Tensor x = constant({1.0, 3.0});
  EXPECT_EQ(four.reduce(ReduceOp::mean, x).numpy().to_string(), "[1. 3.]");
  EXPECT_EQ(four.reduce(ReduceOp::mean, x, 0).item<float>(), 2);
  EXPECT_EQ(get_strategy().reduce(ReduceOp::sum, x, 0).item<float>(), 4);
  EXPECT_EQ(text_of<ValueError>([&] { four.reduce(ReduceOp::sum, x); }),
            "strategy.reduce: a Tensor that is no PerReplica can not be added "
            "up over 4 replicas\n"
            "  value: float32[2]\n"
            "  hint: reduce what strategy.run returned");
}

}  // namespace
}  // namespace systolic::distribute
