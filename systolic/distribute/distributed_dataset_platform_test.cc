// Batches over replicas: who sees which rows, what is filled up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/array/manipulation.h"
#include "systolic/base/seed.h"
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/host_step.h"
#include "systolic/distribute/test_strategies.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::distribute {
namespace {

using data::Dataset;
using internal::text_of;
using ::testing::HasSubstr;

std::string parts(const PerReplica& value) {
  std::string text;
  for (const Tensor& part : value.values()) {
    text += (text.empty() ? "" : " | ") + part.numpy().to_string();
  }
  return text;
}

TEST(DistributedDatasetPlatformTest, BatchesAreSplitInOrder) {
  const Strategy two = mirrored(2);
  const auto dataset = two.distribute_dataset(Dataset::range(10).batch(3));
  std::vector<std::string> seen;
  for (auto batch : dataset) seen.push_back(parts(batch.value()));
  EXPECT_EQ(seen, (std::vector<std::string>{"[0 1] | [2]", "[3 4] | [5]",
                                            "[6 7] | [8]", "[9] | []"}));
  EXPECT_EQ(dataset.cardinality(), 4);
  EXPECT_EQ(dataset.element_spec().to_string(), "int64[None]");
}

TEST(DistributedDatasetPlatformTest, RealRowsAreKnownInsideAndAddUp) {
  const Strategy strategy = eight();
  auto it =
      strategy.experimental_distribute_dataset(Dataset::range(29).batch(16))
          .iterator();
  const auto count = [](Tensor) {
    return std::pair(valid_rows(), all_reduce(ReduceOp::sum, valid_rows()));
  };
  const auto [whole, sixteen] = strategy.run(count, it.next());
  const auto [real, thirteen] = strategy.run(count, it.next());
  EXPECT_EQ(whole[0].item<int32_t>(), 2);
  EXPECT_EQ(sixteen[3].item<int32_t>(), 16);
  EXPECT_EQ(real[5].item<int32_t>(), 2);
  EXPECT_EQ(real[6].item<int32_t>(), 1);
  EXPECT_EQ(real[7].item<int32_t>(), 0);
  EXPECT_EQ(thirteen[3].item<int32_t>(), 13);
}

TEST(DistributedDatasetPlatformTest, FunctionMakesTheReplicasOwnBatches) {
  const Strategy two = mirrored(2);
  const auto dataset =
      two.distribute_datasets_from_function([](const InputContext& context) {
        EXPECT_EQ(context.num_input_pipelines, 1);
        EXPECT_EQ(context.input_pipeline_id, 0);
        EXPECT_EQ(context.num_replicas_in_sync, 2);
        return Dataset::range(9).batch(context.get_per_replica_batch_size(4));
      });
  std::vector<std::string> seen;
  for (auto batch : dataset) seen.push_back(parts(batch.value()));
  EXPECT_EQ(seen, (std::vector<std::string>{"[0 1] | [2 3]", "[4 5] | [6 7]",
                                            "[8] | []"}));
  EXPECT_EQ(dataset.cardinality(), 3);
}

TEST(DistributedDatasetPlatformTest, ElementsWithoutRowsGoOneToEach) {
  const Strategy two = mirrored(2);
  const auto dataset = two.experimental_distribute_datasets_from_function(
      [](const InputContext&) { return Dataset::range(4); });
  std::vector<std::string> seen;
  for (auto value : dataset) seen.push_back(parts(value.value()));
  EXPECT_EQ(seen, (std::vector<std::string>{"0 | 1", "2 | 3"}));
  EXPECT_EQ(dataset.cardinality(), 2);
  // The last one alone is left out.
  const auto odd = two.experimental_distribute_datasets_from_function(
      [](const InputContext&) { return Dataset::range(5); });
  EXPECT_EQ(odd.cardinality(), 2);
}

TEST(DistributedDatasetPlatformTest, ElementsMayBeTrees) {
  const Strategy two = mirrored(2);
  const auto dataset = two.distribute_dataset(
      Dataset::from_tensor_slices(
          std::pair(
              std::map<std::string, Array>{
                  {"x", Array::from({1.f, 2.f, 3.f, 4.f})}},
              Array::from({5.0, 6.0, 7.0, 8.0})))
          .batch(4));
  const DistributedValues batch = dataset.iterator().next();
  EXPECT_EQ(parts(batch[0]["x"]), "[1. 2.] | [3. 4.]");
  EXPECT_EQ(batch[1].value().dtype(), DType::float32);
  using Dict = std::map<std::string, Tensor>;
  const PerReplica sum =
      two.run([](Dict dict, Tensor y) { return dict.at("x") + y; }, batch);
  EXPECT_EQ(parts(sum), "[6. 8.] | [10. 12.]");
  const auto [dict, y] =
      batch.to<std::pair<std::map<std::string, PerReplica>, PerReplica>>();
  EXPECT_EQ(
      parts(two.run([](Tensor a, Tensor b) { return a * b; }, dict.at("x"), y)),
      "[ 5. 12.] | [21. 32.]");
  const PerReplica as_one =
      two.run([](std::pair<Dict, Tensor> all) { return all.second; }, batch);
  EXPECT_EQ(parts(as_one), "[5. 6.] | [7. 8.]");
}

// What is left of a pass.
std::vector<std::string> rest(DistributedIterator it) {
  std::vector<std::string> seen;
  while (auto batch = it.get_next_as_optional()) {
    seen.push_back(parts(batch->value()));
  }
  return seen;
}

Dataset shuffled_and_interleaved() {
  set_random_seed(5);
  return Dataset::range(6)
      .interleave([](int64_t i) { return Dataset::range(10 * i, 10 * i + 7); },
                  {.cycle_length = 3, .num_parallel_calls = 2})
      .shuffle(20)
      .repeat(2)
      .batch(5)
      .prefetch(2);
}

TEST(DistributedDatasetPlatformTest, GoesOnWhereItWasSaved) {
  const Strategy two = mirrored(2);
  const auto of = [&] {
    return two.distribute_dataset(shuffled_and_interleaved());
  };
  const std::vector<std::string> all = rest(of().iterator());
  ASSERT_EQ(all.size(), 17u);
  for (const size_t position : {size_t{0}, size_t{6}, size_t{11}, all.size()}) {
    auto it = of().iterator();
    for (size_t i = 0; i < position; ++i) it.next();
    const std::string state = it.save();
    const std::vector<std::string> left(
        all.begin() + static_cast<std::ptrdiff_t>(position), all.end());
    EXPECT_EQ(rest(of().iterator(state)), left) << position;
    EXPECT_EQ(rest(std::move(it)), left) << "saving changed it";
  }
  // Rows are split when they are sent, so that the replicas may be others.
  auto it = of().iterator();
  it.next();
  auto more = mirrored(5)
                  .distribute_dataset(shuffled_and_interleaved())
                  .iterator(it.save());
  EXPECT_EQ(more.next().value()[4].shape(), (Shape{1}));
}

TEST(DistributedDatasetPlatformTest, BatchThatWaitsForItsStackIsSavedToo) {
  const Strategy two = mirrored(2);
  const auto whole = two.distribute_dataset(Dataset::range(9).batch(4));
  const auto own = two.distribute_datasets_from_function(
      [](const InputContext&) { return Dataset::range(9).batch(2); });
  for (const auto& dataset : {whole, own}) {
    auto it = dataset.iterator();
    // The third batch is another: it is read, and waits for its own launch.
    EXPECT_THROW(
        two.run_steps([](Tensor) { throw ValueError("a bad step"); }, it, 3),
        ValueError);
    EXPECT_EQ(rest(dataset.iterator(it.save())),
              (std::vector<std::string>{"[8] | []"}));
  }
}

// The numbers below 6, without those that cannot be had.
Dataset with_bad(std::vector<int64_t> bad) {
  return Dataset::range(6).map([bad = std::move(bad)](int64_t i) {
    if (std::ranges::count(bad, i) > 0) throw DataError("a bad one");
    return i;
  });
}

// As tf.data goes on behind an element that fails; there the elements that
// other replicas had got before are lost.
TEST(DistributedDatasetPlatformTest, ErrorsTakeNoElementsOfOtherReplicas) {
  const Strategy two = mirrored(2);
  struct Case {
    std::vector<int64_t> bad;
    std::vector<std::string> rest;
  };
  const std::vector<Case> cases{{{1}, {"[0] | [2]", "[3] | [4]", "[5] | []"}},
                                {{0}, {"[1] | [2]", "[3] | [4]", "[5] | []"}},
                                {{1, 2}, {"[0] | [3]", "[4] | [5]"}},
                                {{1, 2, 3, 4, 5}, {"[0] | []"}}};
  for (const Case& one : cases) {
    const auto dataset = two.distribute_datasets_from_function(
        [&](const InputContext&) { return with_bad(one.bad).batch(1); });
    auto it = dataset.iterator();
    for (size_t i = 0; i < one.bad.size(); ++i) {
      EXPECT_THAT(text_of<DataError>([&] { it.next(); }),
                  HasSubstr("a bad one"));
      // What was read is in the state too, of whichever pass.
      it = dataset.iterator(it.save());
    }
    const std::string state = it.save();
    EXPECT_EQ(rest(std::move(it)), one.rest);
    EXPECT_EQ(rest(dataset.iterator(state)), one.rest);
  }
}

TEST(DistributedDatasetPlatformTest, ErrorsBetweenBatchesLeaveThemWhole) {
  const Strategy two = mirrored(2);
  const auto dataset =
      two.distribute_dataset(Dataset::range(8).batch(2).map([](Array rows) {
        if (rows.span<int64_t>()[0] == 2) throw DataError("a bad one");
        return rows;
      }));
  auto it = dataset.iterator();
  EXPECT_EQ(parts(it.next().value()), "[0] | [1]");
  EXPECT_THROW(it.next(), DataError);
  const std::vector<std::string> left{"[4] | [5]", "[6] | [7]"};
  EXPECT_EQ(rest(dataset.iterator(it.save())), left);
  EXPECT_EQ(rest(std::move(it)), left);
}

TEST(DistributedDatasetPlatformTest, StatesOfOthersAreRefused) {
  const Strategy two = mirrored(2);
  const Dataset batches = Dataset::range(8).batch(2);
  const auto whole = two.distribute_dataset(batches);
  const auto own = two.distribute_datasets_from_function(
      [&](const InputContext&) { return batches; });
  EXPECT_EQ(text_of<ValueError>([&] { whole.iterator(own.iterator().save()); }),
            "iterator state: expected batches of all replicas in the state of "
            "distributed iterator, got elements of one replica each\n"
            "  hint: a state is restored into a pipeline of the same nodes and "
            "parameters as the one that saved it");
  EXPECT_THAT(text_of<ValueError>([&] {
                mirrored(4)
                    .distribute_datasets_from_function(
                        [&](const InputContext&) { return batches; })
                    .iterator(own.iterator().save());
              }),
              HasSubstr("expected 4 elements a step in the state of "
                        "distributed iterator, got 2"));
  EXPECT_THAT(
      text_of<ValueError>([&] { whole.iterator(batches.iterator().save()); }),
      HasSubstr("expected the state of distributed iterator, got that "
                "of iterator"));
  EXPECT_THROW(whole.iterator("no state"), DataError);
}

TEST(DistributedDatasetPlatformTest, HostsShareOutByThePolicyOfTheOptions) {
  const auto texts = [](const Dataset& dataset) {
    std::string text;
    for (const auto& element : dataset) text += element.to_string() + " ";
    return text;
  };
  const Dataset batches = Dataset::range(6).batch(2);
  using internal::distribute::share_of_host;
  EXPECT_EQ(share_of_host(batches, {}).node(), batches.node());
  const InputContext second{.num_input_pipelines = 2, .input_pipeline_id = 1};
  EXPECT_EQ(texts(share_of_host(batches, second)), "[2 3] ");
  EXPECT_EQ(texts(share_of_host(
                batches.with_options(
                    {.auto_shard_policy = data::AutoShardPolicy::off}),
                second)),
            texts(batches));
}

TEST(DistributedDatasetPlatformTest, EndIsAnErrorOrNothing) {
  const Strategy two = mirrored(2);
  auto it = two.distribute_dataset(Dataset::range(2).batch(2)).iterator();
  it.get_next();
  EXPECT_FALSE(it.get_next_as_optional().has_value());
  EXPECT_EQ(text_of<OutOfRangeError>([&] { it.next(); }),
            "DistributedIterator.next: the iterator is past its last batch\n"
            "  data set: batch\n"
            "  hint: make a new iterator for another pass, or repeat() the "
            "data set");
}

TEST(DistributedDatasetPlatformTest, MistakesAreNamed) {
  const Strategy two = mirrored(2);
  EXPECT_EQ(text_of<ShapeError>([&] {
              two.distribute_dataset(Dataset::range(2)).iterator().next();
            }),
            "distribute_dataset: expected batches: as many rows, and at least "
            "one, in every part of an element, got int64[]\n"
            "  hint: call batch() on the data set");
  EXPECT_EQ(
      text_of<ValueError>([&] {
        InputContext{.num_replicas_in_sync = 8}.get_per_replica_batch_size(100);
      }),
      "InputContext.get_per_replica_batch_size: expected a "
      "global_batch_size that divides by the 8 replicas, got 100\n"
      "  hint: distribute_dataset takes batches of any size: it splits "
      "them and fills them up");
  const auto halves = two.distribute_dataset(Dataset::range(4).batch(2));
  const auto thirds = two.distribute_dataset(Dataset::range(4).batch(3));
  EXPECT_THAT(text_of<ValueError>([&] {
                two.run([](Tensor, Tensor) {}, halves.iterator().next(),
                        thirds.iterator().next());
              }),
              HasSubstr("got parts of batches of 2 and 3 rows"));
  const auto strings = two.distribute_dataset(
      Dataset::from_tensor_slices(Array::from_strings({"a", "b"})).batch(2));
  EXPECT_THAT(text_of<TypeError>([&] { strings.iterator().next(); }),
              HasSubstr("expected element of numbers or bool, got strings"));
}

}  // namespace
}  // namespace systolic::distribute
