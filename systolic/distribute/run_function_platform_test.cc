// strategy.run of a function(): launched as what it was recorded as.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/base/log.h"
#include "systolic/distribute/test_strategies.h"
#include "systolic/graph/function.h"
#include "systolic/losses/average_loss.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using internal::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Without the check of functions, which runs their code at each call.
class RunFunctionPlatformTest : public ::testing::Test {
 protected:
  const systolic::testing::EnvironmentGuard unchecked_{
      "SYSTOLIC_CHECK_FUNCTIONS"};
  int runs_ = 0;
};

data::Dataset numbers(int64_t rows, int64_t batch_size) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.push_back(static_cast<float>(i));
  return data::Dataset::from_tensor_slices(Array::from(values))
      .batch(batch_size);
}

TEST_F(RunFunctionPlatformTest, IsRecordedOncePerSignature) {
  const Strategy strategy = eight();
  const auto twice = function([&](Tensor x) {
    ++runs_;
    return std::pair(x * 2, x + replica_id_in_sync_group());
  });
  for (int i = 0; i < 5; ++i) {
    const auto [doubled, numbered] =
        strategy.run(twice, constant(static_cast<float>(i)));
    EXPECT_EQ(doubled[3].item<float>(), static_cast<float>(2 * i));
    EXPECT_EQ(numbered[7].item<float>(), static_cast<float>(i + 7));
  }
  EXPECT_EQ(runs_, 1);
  strategy.run(twice, constant({1.0, 2.0}));
  EXPECT_EQ(runs_, 2) << "a Tensor counts by its spec";
  EXPECT_EQ(twice.experimental_get_tracing_count(), 2);
  // Another strategy is another program.
  mirrored(2).run(twice, constant(1.0));
  EXPECT_EQ(runs_, 3);
}

TEST_F(RunFunctionPlatformTest, LoopCompilesOnceAndTwiceWithAShortBatch) {
  const Strategy strategy = eight();
  Variable total = in_scope(strategy, [] {
    return Variable(constant(0.0), {.aggregation = VariableAggregation::sum});
  });
  const auto step = function([&](Tensor x) {
    ++runs_;
    total.assign_add(sum(x));
  });
  const auto pass = [&](int64_t rows) {
    total.assign(constant(0.0));
    for (auto batch : strategy.distribute_dataset(numbers(rows, 16))) {
      strategy.run(step, batch);
    }
    return total.numpy().item<float>();
  };
  const uint64_t before = compiles();
  EXPECT_EQ(pass(64), 64 * 63 / 2);
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(compiles() - before, 1u);
  EXPECT_EQ(pass(64), 64 * 63 / 2);
  EXPECT_EQ(runs_, 1);
  // The last batch is filled up: another program, once.
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(pass(67), 67 * 66 / 2) << "zeros that fill add nothing";
  }
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(compiles() - before, 2u);
}

TEST_F(RunFunctionPlatformTest, FillingIsKnownInside) {
  const Strategy strategy = eight();
  const auto code = [](Tensor x) { return nn::masked_mean(x); };
  const auto mean_of = function(code);
  for (auto batch : strategy.distribute_dataset(numbers(25, 16))) {
    const PerReplica wanted = strategy.run(code, batch);
    for (int i = 0; i < 2; ++i) {
      const PerReplica means = strategy.run(mean_of, batch);
      for (size_t r = 0; r < 8; ++r) {
        EXPECT_EQ(means[r].item<float>(), wanted[r].item<float>());
      }
    }
  }
}

TEST_F(RunFunctionPlatformTest, ResultsOfABatchLoseTheFilling) {
  const Strategy strategy = eight();
  const auto same = function([](Tensor x) { return x * 1; });
  for (auto batch : strategy.distribute_dataset(numbers(9, 16))) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(strategy.run(same, batch).concat().size(), 9);
    }
  }
}

TEST_F(RunFunctionPlatformTest, ReasonsAreLoggedAndErrorsSayWhere) {
  std::vector<std::string> lines;
  const LogLevel level = log_level();
  set_log_level(LogLevel::debug);
  const LogSink before = set_log_sink([&](LogLevel, std::string_view text) {
    if (text.starts_with("function")) lines.emplace_back(text);
  });
  const Strategy strategy = eight();
  const auto f = function([](Tensor x) { return x * 2; }, {.name = "f"});
  strategy.run(f, constant(1.0));
  strategy.run(f, constant({1.0, 2.0}));
  set_log_sink(before);
  set_log_level(level);
  EXPECT_THAT(lines,
              ElementsAre("function \"f\": recorded again: argument 1 is "
                          "float32[2] that was float32[]"));
  const auto reads = function([](Tensor x) { return x * x.item<float>(); });
  const std::string text =
      text_of<ValueError>([&] { strategy.run(reads, constant(1.0)); });
  EXPECT_THAT(text, HasSubstr("can not be read inside strategy.run"));
  EXPECT_THAT(text, HasSubstr("\n  in: strategy.run"));
}

TEST_F(RunFunctionPlatformTest, CheckOfFunctionsFindsWhatChanges) {
  const systolic::testing::EnvironmentGuard checked("SYSTOLIC_CHECK_FUNCTIONS",
                                                    "1");
  const Strategy strategy = eight();
  float scale = 2;
  const auto f = function([&](Tensor x) { return x * scale; });
  strategy.run(f, constant(1.0));
  strategy.run(f, constant(2.0));
  scale = 3;
  EXPECT_THAT(text_of<ValueError>([&] { strategy.run(f, constant(1.0)); }),
              HasSubstr("recorded again, its program is another one: "));
}

}  // namespace
}  // namespace systolic::distribute
