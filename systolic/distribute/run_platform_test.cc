// One program on every replica: what goes in, what comes out, how it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "systolic/distribute/test_strategies.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using internal::text_of;
using ::testing::HasSubstr;

std::string printed(const auto& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

Tensor two_by_three() { return constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}); }

TEST(RunPlatformTest, GuidesMatmulPrintsAsTheGuide) {
  const Strategy strategy = eight();
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  const PerReplica z = strategy.run(
      [](Tensor x, Tensor y) { return matmul(x, y); }, two_by_three(), b);
  std::string expected = "PerReplica:{\n";
  for (int i = 0; i < 8; ++i) {
    expected += "  " + std::to_string(i) +
                ": Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), "
                "dtype=float32)" +
                (i < 7 ? ",\n" : "\n");
  }
  EXPECT_EQ(printed(z), expected + "}");
  EXPECT_EQ(z.size(), 8u);
  EXPECT_EQ(z[3].device(), "/job:localhost/replica:0/task:0/device:TPU:3");
}

TEST(RunPlatformTest, OneReplicaPrintsATensor) {
  const PerReplica z =
      get_strategy().run([](Tensor x) { return x * 2; }, constant({1.0, 2.0}));
  EXPECT_EQ(printed(z), "Tensor(\n[2. 4.], shape=(2,), dtype=float32)");
  const Tensor t = z;
  EXPECT_EQ(t.numpy().to_string(), "[2. 4.]");
  const OneDeviceStrategy one("/CPU:0");
  const Tensor u = one.run([](Tensor x) { return x + 1; }, t);
  EXPECT_EQ(u.numpy().to_string(), "[3. 5.]");
}

TEST(RunPlatformTest, EachReplicaKnowsItsNumber) {
  const PerReplica id = eight().run([] { return replica_id_in_sync_group(); });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(id[i].item<int32_t>(), i);
  EXPECT_THROW(id.concat(), OutOfRangeError);
}

TEST(RunPlatformTest, ResultsKeepTheirStructure) {
  const Strategy strategy = eight();
  const auto [one, two] = strategy.run(
      [](Tensor x) { return std::pair(x, x * replica_id_in_sync_group()); },
      2.5f);
  EXPECT_EQ(one[7].item<float>(), 2.5f);
  EXPECT_EQ(two[7].item<float>(), 17.5f);
  const auto map = strategy.run(
      [](Tensor x) {
        return std::map<std::string, Tensor>{{"a", x}, {"b", x + 1}};
      },
      Array::from({1.f, 2.f}));
  EXPECT_EQ(map.at("b")[5].numpy().to_string(), "[2. 3.]");
  const auto [a, list] = strategy.run(
      [](Tensor x) {
        return std::tuple(x, std::vector{x, x * x});
      },
      constant(3.0));
  EXPECT_EQ(list[1][0].item<float>(), 9);
  const auto [given, none] =
      strategy.run([](Tensor x) { return std::pair(x, Tensor()); }, 1);
  EXPECT_TRUE(given.is_defined());
  EXPECT_FALSE(none.is_defined());
  Variable v(constant(0.0));
  static_assert(std::is_void_v<decltype(strategy.run([] {}))>);
}

TEST(RunPlatformTest, ArgumentsMayBeTrees) {
  const Strategy strategy = eight();
  const PerReplica ids =
      strategy.run([] { return replica_id_in_sync_group(); });
  const auto weighted = [](std::map<std::string, Tensor> dict,
                           std::pair<Tensor, Tensor> pair) {
    return dict.at("x") * pair.first + pair.second;
  };
  const PerReplica z =
      strategy.run(weighted, std::map<std::string, PerReplica>{{"x", ids}},
                   std::pair(constant(10), 5));
  EXPECT_EQ(z[4].item<int32_t>(), 45);
  // The items of one tuple are parameters of their own.
  const auto subtract = [](Tensor a, Tensor b) { return a - b; };
  EXPECT_EQ(strategy.run(subtract, std::tuple(7.f, 2.f))[1].item<float>(), 5);
  // A lambda of anything takes what it gets.
  EXPECT_EQ(strategy.run([](auto a, auto b) { return a * b; }, ids, 3)[2]
                .item<int32_t>(),
            6);
  const std::function<Tensor(Tensor)> function = [](Tensor x) { return -x; };
  EXPECT_EQ(strategy.run(function, ids)[3].item<int32_t>(), -3);
}

TEST(RunPlatformTest, InputsCanNotBeReadInside) {
  const Strategy strategy = eight();
  const auto reads = [&](const auto& argument) {
    SourceLocation here;
    const std::string text = text_of<ValueError>([&] {
      strategy.run(
          [&](Tensor x) {
            here = SourceLocation::current();
            return x.item<float>() > 0 ? x : -x;
          },
          argument);
    });
    EXPECT_THAT(text, HasSubstr("Tensor.numpy: a value can not be read inside "
                                "strategy.run: "));
    EXPECT_THAT(text, HasSubstr("\n  at: run_platform_test.cc:" +
                                std::to_string(here.line() + 1) +
                                "\n  in: strategy.run"));
  };
  reads(constant(1.0));
  reads(Array::scalar(1.f));
  reads(1.f);
  reads(constant(1.0) * 2);
  auto batches =
      strategy
          .distribute_dataset(
              data::Dataset::from_tensor_slices(Array::ones({8})).batch(8))
          .iterator();
  const DistributedValues batch = batches.next();
  reads(batch);
  // It is a value as any other outside.
  EXPECT_EQ(batch.value()[3].item<float>(), 1.f);
}

TEST(RunPlatformTest, CallsOfOneStructureCompileOnce) {
  const Strategy strategy = eight();
  Variable v = in_scope(strategy, [] {
    return Variable(constant({1.0, 2.0}),
                    {.aggregation = VariableAggregation::mean});
  });
  const auto step = [&](Tensor x) { v.assign_add(x); };
  strategy.run(step, constant({1.0, 1.0}));
  const uint64_t before = compiles();
  for (int i = 0; i < 20; ++i) strategy.run(step, constant({1.0, 1.0}));
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(v.numpy().to_string(), "[22. 23.]");
}

TEST(RunPlatformTest, ExceptionLeavesVariablesAsTheyWere) {
  const Strategy strategy = eight();
  Variable v = in_scope(strategy, [] {
    return Variable(constant(1.0), {.aggregation = VariableAggregation::sum});
  });
  EXPECT_THROW(strategy.run([&] {
    v.assign(5);
    throw std::runtime_error("enough");
  }),
               std::runtime_error);
  EXPECT_EQ(v.item<float>(), 1);
  EXPECT_FALSE(has_strategy());
}

TEST(RunPlatformTest, StrategyIsCurrentInside) {
  const Strategy strategy = eight();
  strategy.run([&] {
    EXPECT_TRUE(get_strategy() == strategy);
    EXPECT_EQ(num_replicas_in_sync(), 8);
    EXPECT_EQ(text_of<ValueError>([&] { strategy.run([] {}); }),
              "strategy.run: it is called inside strategy.run\n"
              "  hint: a step is what each replica does: call the function "
              "itself there, and get_replica_context() for sums over the "
              "replicas");
  });
}

TEST(RunPlatformTest, MistakesAreNamed) {
  const Strategy strategy = eight();
  const PerReplica z = strategy.run([](Tensor x) { return x; }, 1.f);
  EXPECT_THAT(text_of<ValueError>([&] { const Tensor t = z; }),
              HasSubstr("the values of 8 replicas are no one Tensor"));
  EXPECT_THAT(text_of<OutOfRangeError>([&] { z[8]; }),
              HasSubstr("expected a replica in 0 ... 7, got 8"));
  const auto two = [](Tensor, Tensor) {};
  EXPECT_EQ(text_of<TypeError>([&] { strategy.run(two, 1, 2, 3); }),
            "strategy.run: expected a function of 3 parameters, got one of 2\n"
            "  hint: each argument, or each item of the one tuple, is a "
            "parameter\n  in: strategy.run");
  EXPECT_THAT(
      text_of<TypeError>([&] { strategy.run([](Tensor) {}, std::pair(1, 2)); }),
      HasSubstr("expected one value, got a tuple of 2"));
  const Strategy other = mirrored(3);
  EXPECT_EQ(text_of<ValueError>([&] { other.run([](Tensor) {}, z); }),
            "strategy.run: an argument was made by another strategy\n"
            "  argument: 8 times float32[]\n"
            "  this strategy: MirroredStrategy (3 replicas, "
            "/job:localhost/replica:0/task:0/device:CPU:0 to "
            "/job:localhost/replica:0/task:0/device:CPU:2)\n"
            "  the other: TPUStrategy (8 replicas, "
            "/job:localhost/replica:0/task:0/device:TPU:0 to "
            "/job:localhost/replica:0/task:0/device:TPU:7)\n"
            "  hint: use one strategy, or strategy.gather(value) of the "
            "other's");
}

}  // namespace
}  // namespace systolic::distribute
