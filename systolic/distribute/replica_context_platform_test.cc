// What the code of a step knows of its replicas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/distribute/replica_context.h"
#include "systolic/distribute/test_strategies.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using internal::text_of;
using ::testing::HasSubstr;

TEST(ReplicaContextPlatformTest, CollectivesCombineTheReplicas) {
  const Strategy four = mirrored(4);
  const auto [total, all, rows] = four.run([&] {
    const ReplicaContext here = get_replica_context();
    EXPECT_EQ(here.num_replicas_in_sync(), 4);
    EXPECT_TRUE(here.strategy() == four);
    EXPECT_FALSE(in_cross_replica_context());
    const Tensor id = here.replica_id_in_sync_group();
    const Tensor pair = stack({id, id * 10});
    return std::tuple(here.all_reduce(ReduceOp::sum, id),
                      here.all_gather(pair, 0),
                      here.all_gather(reshape(pair, {2, 1}), -1));
  });
  EXPECT_EQ(total[3].item<int32_t>(), 6);
  EXPECT_EQ(all[1].numpy().to_string(), "[ 0  0  1 10  2 20  3 30]");
  EXPECT_EQ(rows[2].numpy().to_string(), "[[ 0  1  2  3]\n [ 0 10 20 30]]");
}

TEST(ReplicaContextPlatformTest, OutsideThereIsOneReplica) {
  const ReplicaContext here = get_replica_context();
  EXPECT_EQ(here.num_replicas_in_sync(), 1);
  EXPECT_EQ(here.replica_id_in_sync_group().item<int32_t>(), 0);
  EXPECT_EQ(here.all_gather(constant({1.0, 2.0}), 0).numpy().to_string(),
            "[1. 2.]");
  EXPECT_EQ(here.all_reduce(ReduceOp::sum, std::vector{constant(2.0)})[0]
                .item<float>(),
            2);
  EXPECT_FALSE(in_cross_replica_context());
  EXPECT_THROW(here.all_gather(constant({1.0}), 1), ShapeError);
}

TEST(ReplicaContextPlatformTest, InAScopeThereIsNoReplica) {
  const Strategy four = mirrored(4);
  const auto scope = four.scope();
  EXPECT_TRUE(in_cross_replica_context());
  EXPECT_EQ(text_of<ValueError>([] { get_replica_context(); }),
            "get_replica_context: in a strategy's scope there is no single "
            "replica\n"
            "  hint: call it in the function that strategy.run gets");
}

TEST(ReplicaContextPlatformTest, MergeCallReducesAndAssigns) {
  const Strategy four = mirrored(4);
  Variable v = in_scope(four, [] { return Variable(constant(0)); });
  const PerReplica sum = four.run([&] {
    const ReplicaContext here = get_replica_context();
    EXPECT_THAT(text_of<ValueError>([&] {
                  here.strategy().reduce(ReduceOp::sum,
                                         here.replica_id_in_sync_group());
                }),
                HasSubstr("strategy.reduce: it is called inside strategy.run, "
                          "where each replica has its own values"));
    return here.merge_call(
        [&](const Strategy& strategy, const Tensor& id) {
          EXPECT_TRUE(in_cross_replica_context());
          const Tensor total = strategy.reduce(ReduceOp::sum, id);
          v.assign_add(total);
          return total;
        },
        here.replica_id_in_sync_group());
  });
  EXPECT_EQ(sum[2].item<int32_t>(), 6);
  EXPECT_EQ(v.item<int32_t>(), 6);
}

}  // namespace
}  // namespace systolic::distribute
