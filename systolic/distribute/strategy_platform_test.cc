#include <gtest/gtest.h>

#include <thread>

#include "systolic/distribute/strategy.h"
#include "systolic/graph/variable.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::distribute {
namespace {

TPUStrategy eight() {
  return TPUStrategy(TPUClusterResolver::connect("virtual:v3-8"));
}

size_t replicas_of_a_new_variable() {
  return Variable(constant(1.f)).replica_values().size();
}

TEST(StrategyPlatformTest, DefaultStrategyIsOneDevice) {
  EXPECT_FALSE(has_strategy());
  const Strategy strategy = get_strategy();
  EXPECT_EQ(strategy.class_name(), "DefaultStrategy");
  EXPECT_EQ(strategy.num_replicas_in_sync(), 1);
  EXPECT_TRUE(strategy == get_strategy());
  const auto scope = strategy.scope();
  EXPECT_EQ(replicas_of_a_new_variable(), 1u);
}

TEST(StrategyPlatformTest, TpuStrategyHasAReplicaOnEachCore) {
  const TPUStrategy strategy = eight();
  EXPECT_EQ(strategy.num_replicas_in_sync(), 8);
  EXPECT_EQ(strategy.class_name(), "TPUStrategy");
  EXPECT_EQ(replicas_of_a_new_variable(), 1u);
  const auto scope = strategy.scope();
  EXPECT_TRUE(has_strategy());
  EXPECT_TRUE(get_strategy() == strategy);
  EXPECT_EQ(replicas_of_a_new_variable(), 8u);
}

TEST(StrategyPlatformTest, ScopesNest) {
  const Strategy standard = get_strategy();
  const TPUStrategy first = eight();
  const TPUStrategy second(TPUClusterResolver::connect("virtual:v5e-4"));
  EXPECT_FALSE(first == second);
  {
    const auto outer = first.scope();
    {
      const auto inner = second.scope();
      EXPECT_TRUE(get_strategy() == second);
      EXPECT_EQ(replicas_of_a_new_variable(), 4u);
      const auto innermost = standard.scope();
      EXPECT_TRUE(get_strategy() == standard);
      EXPECT_EQ(replicas_of_a_new_variable(), 1u);
    }
    EXPECT_TRUE(get_strategy() == first);
    EXPECT_EQ(replicas_of_a_new_variable(), 8u);
  }
  EXPECT_FALSE(has_strategy());
  EXPECT_TRUE(get_strategy() == standard);
}

TEST(StrategyPlatformTest, ScopeEndsWithAnException) {
  const TPUStrategy strategy = eight();
  try {
    const auto scope = strategy.scope();
    throw std::runtime_error("enough");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(has_strategy());
  EXPECT_EQ(replicas_of_a_new_variable(), 1u);
}

TEST(StrategyPlatformTest, ScopeIsTheThreadsOwn) {
  const TPUStrategy strategy = eight();
  const auto scope = strategy.scope();
  bool elsewhere = true;
  std::thread([&] { elsewhere = has_strategy(); }).join();
  EXPECT_FALSE(elsewhere);
}

TEST(StrategyPlatformTest, SystemMustBeInitialised) {
  const TPUClusterResolver resolver("virtual:v3-8");
  connect_to_cluster(resolver);
  try {
    const TPUStrategy strategy(resolver);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "TPUStrategy: the TPU system \"virtual:v3-8\" is not "
                 "initialised\n"
                 "  hint: call distribute::initialize_tpu_system(resolver) "
                 "first");
  }
}

}  // namespace
}  // namespace systolic::distribute
