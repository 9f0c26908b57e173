// Several steps of a launch: the loop on the devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/distribute/test_strategies.h"
#include "systolic/image/mixing.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using data::Dataset;
using internal::text_of;
using ::testing::HasSubstr;

// Adds up the real rows of all replicas, and counts steps.
struct Sums {
  explicit Sums(const Strategy& strategy) {
    const auto scope = strategy.scope();
    total = Variable(constant(0), {.aggregation = VariableAggregation::sum});
    steps = Variable(constant(0), {.aggregation = VariableAggregation::mean});
  }
  auto step() {
    return [this](Tensor x) {
      const Tensor real = less(arange(x.shape()[0]), valid_rows());
      total.assign_add(sum(where(real, x, 0)));
      steps.assign_add(1);
    };
  }
  Variable total, steps;
};

uint64_t launches() { return internal::runtime::counters().launches; }

TEST(RunStepsPlatformTest, AllStepsAreRunAndCounted) {
  const Strategy strategy = eight();
  Sums sums(strategy);
  auto it = strategy.distribute_dataset(Dataset::range(100 * 16).batch(16))
                .iterator();
  const uint64_t before = launches();
  EXPECT_EQ(strategy.run_steps(sums.step(), it, 70), 70);
  EXPECT_EQ(launches() - before, 2u);
  EXPECT_EQ(sums.total.item<int32_t>(), 70 * 16 * (70 * 16 - 1) / 2);
  // The data end in this call.
  EXPECT_EQ(strategy.run_steps(sums.step(), it, 50), 30);
  EXPECT_EQ(strategy.run_steps(sums.step(), it, 50), 0);
  EXPECT_EQ(sums.total.item<int32_t>(), 1600 * 1599 / 2);
  EXPECT_EQ(sums.steps.item<int32_t>(), 100);
}

TEST(RunStepsPlatformTest, OtherNumbersOfStepsCompileNothing) {
  const Strategy strategy = eight();
  Sums sums(strategy);
  const auto dataset =
      strategy.distribute_dataset(Dataset::range(16).batch(16).repeat());
  auto it = dataset.iterator();
  strategy.run_steps(sums.step(), it, 9);
  const uint64_t before = compiles();
  for (const int64_t steps : {1, 2, 9, 17, 64, 100}) {
    EXPECT_EQ(strategy.run_steps(sums.step(), it, steps), steps);
  }
  auto again = dataset.iterator();
  EXPECT_EQ(strategy.run_steps(sums.step(), again, 3), 3);
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(sums.total.item<int32_t>(), (9 + 193 + 3) * 120);
}

TEST(RunStepsPlatformTest, FewStepsTakeAPowerOfTwo) {
  const Strategy two = mirrored(2);
  Sums sums(two);
  auto it =
      two.distribute_dataset(Dataset::range(4).batch(4).repeat()).iterator();
  for (const int64_t steps : {1, 2, 3, 4}) {
    two.run_steps(sums.step(), it, steps);
  }
  const uint64_t before = compiles();
  for (const int64_t steps : {4, 3, 2, 1}) {
    two.run_steps(sums.step(), it, steps);
  }
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(sums.total.item<int32_t>(), 20 * 6);
}

TEST(RunStepsPlatformTest, ShortLastBatchesAreFilledUp) {
  const Strategy strategy = eight();
  Sums sums(strategy);
  // Batches of 16 and one of 13; two replicas have no second row there.
  const auto dataset =
      strategy.distribute_dataset(Dataset::range(45).batch(16));
  uint64_t before = 0;
  for (int epoch = 0; epoch < 5; ++epoch) {
    auto it = dataset.iterator();
    EXPECT_EQ(strategy.run_steps(sums.step(), it, 100), 3);
    if (epoch == 0) before = compiles();
  }
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(sums.total.item<int32_t>(), 5 * 45 * 44 / 2);
  EXPECT_EQ(sums.steps.item<int32_t>(), 15);
}

TEST(RunStepsPlatformTest, OneReplicaRunsTheSameLoop) {
  const Strategy strategy = get_strategy();
  Sums sums(strategy);
  auto it = strategy
                .distribute_datasets_from_function([](const InputContext&) {
                  return Dataset::range(10).batch(4);
                })
                .iterator();
  EXPECT_EQ(strategy.run_steps(sums.step(), it, 5), 3);
  EXPECT_EQ(sums.total.item<int32_t>(), 45);
}

TEST(RunStepsPlatformTest, WhatTheDataThrowComesAfterTheStepsBefore) {
  const Strategy two = mirrored(2);
  Sums sums(two);
  const auto fails = [](int64_t i) {
    if (i == 5) throw DataError("element 5 is bad");
    return i;
  };
  auto it =
      two.distribute_dataset(Dataset::range(8).map(fails).batch(2)).iterator();
  EXPECT_THAT(text_of<DataError>([&] { two.run_steps(sums.step(), it, 4); }),
              ::testing::AllOf(HasSubstr("element 5 is bad"),
                               HasSubstr("in: strategy.run_steps, step 3")));
  EXPECT_EQ(sums.steps.item<int32_t>(), 2);
  EXPECT_EQ(sums.total.item<int32_t>(), 6);
}

// Of elements that other replicas had got nothing is lost, and a failure of the
// data is not forgotten where the steps before it fail too.
TEST(RunStepsPlatformTest, GoesOnBehindWhatTheDataThrow) {
  const Strategy two = mirrored(2);
  Sums sums(two);
  const auto dataset =
      two.distribute_datasets_from_function([](const InputContext&) {
        return Dataset::range(8)
            .map([](int64_t i) {
              if (i == 5) throw DataError("element 5 is bad");
              return i;
            })
            .batch(1);
      });
  auto it = dataset.iterator();
  EXPECT_THROW(two.run_steps(sums.step(), it, 4), DataError);
  EXPECT_EQ(sums.total.item<int32_t>(), 0 + 1 + 2 + 3);
  EXPECT_EQ(two.run_steps(sums.step(), it, 4), 2);
  EXPECT_EQ(sums.total.item<int32_t>(), 0 + 1 + 2 + 3 + 4 + 6 + 7);

  auto other = dataset.iterator();
  EXPECT_THROW(
      two.run_steps([](Tensor) { throw ValueError("a bad step"); }, other, 4),
      ValueError);
  const std::string state = other.save();
  EXPECT_THAT(text_of<DataError>([&] { other.next(); }),
              ::testing::AllOf(HasSubstr("element 5 is bad"),
                               ::testing::Not(HasSubstr("in:"))));
  EXPECT_EQ(two.run_steps(sums.step(), other, 4), 2);
  EXPECT_EQ(sums.total.item<int32_t>(), 6 + 2 * (4 + 6 + 7));

  // Nor is it where the pass goes on in another run; it is told of one place.
  auto restored = dataset.iterator(state);
  const std::string told =
      text_of<DataError>([&] { two.run_steps(sums.step(), restored, 4); });
  EXPECT_THAT(told, HasSubstr("element 5 is bad"));
  EXPECT_THAT(told, ::testing::EndsWith("\n  in: strategy.run_steps, step 1"));
  EXPECT_EQ(told.find("in: "), told.rfind("in: ")) << told;
  EXPECT_EQ(two.run_steps(sums.step(), restored, 4), 2);
  EXPECT_EQ(sums.total.item<int32_t>(), 6 + 3 * (4 + 6 + 7));
}

// Zeros that fill up a batch are mixed into no picture, and no label.
TEST(RunStepsPlatformTest, FillingIsNotMixedIn) {
  const Strategy two = mirrored(2);
  const auto scope = two.scope();
  Variable rows(constant(0), {.aggregation = VariableAggregation::sum});
  Variable wrong(constant(0), {.aggregation = VariableAggregation::sum});
  // Image i has i + 1 only, and label i.
  const auto dataset = two.distribute_dataset(
      Dataset::range(21)
          .map([](int64_t i) {
            std::vector<float> label(21);
            label[static_cast<size_t>(i)] = 1;
            return std::pair(Array::full({2, 2, 1}, static_cast<float>(i + 1)),
                             Array::from(label));
          })
          .batch(16));
  const random::SeedGenerator seed(7);
  const auto check = [&](const auto& mixing, Tensor images, Tensor labels) {
    const auto [x, y] = mixing.mix(images, labels, seed);
    const Tensor real = less(arange(x.shape()[0]), valid_rows());
    const Tensor bad = logical_or(
        abs(sum(y, {.axis = 1}) - 1) > 1e-4,
        abs(mean(x, {.axis = std::vector<int>{1, 2, 3}}) -
            sum(y * cast(arange(1, 22), DType::float32), {.axis = 1})) > 1e-3);
    wrong.assign_add(sum(cast(logical_and(real, bad), DType::int32)));
  };
  const auto step = [&](Tensor images, Tensor labels) {
    check(image::MixUp({.alpha = 1}), images, labels);
    check(image::CutMix(), images, labels);
    rows.assign_add(valid_rows());
  };
  for (int epoch = 0; epoch < 5; ++epoch) {
    auto it = dataset.iterator();
    EXPECT_EQ(two.run_steps(step, it, 2), 2);
  }
  EXPECT_EQ(rows.item<int32_t>(), 5 * 21);
  EXPECT_EQ(wrong.item<int32_t>(), 0);
}

TEST(RunStepsPlatformTest, MistakesAreNamed) {
  const Strategy two = mirrored(2);
  Sums sums(two);
  auto it = two.distribute_dataset(Dataset::range(8).batch(2)).iterator();
  EXPECT_EQ(text_of<ValueError>([&] { two.run_steps(sums.step(), it, -1); }),
            "strategy.run_steps: expected a number of steps of at least 0, "
            "got -1");
  EXPECT_THAT(
      text_of<ValueError>([&] { mirrored(4).run_steps(sums.step(), it, 1); }),
      HasSubstr("the data set was distributed by another strategy"));
}

}  // namespace
}  // namespace systolic::distribute
