// Batches over replicas: who sees which rows, what is filled up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/array/manipulation.h"
#include "systolic/distribute/distributed_dataset.h"
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
