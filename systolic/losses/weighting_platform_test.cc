#include <gtest/gtest.h>

#include <limits>

#include "systolic/array/arrays.h"
#include "systolic/graph/step.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/golden.h"

namespace systolic::internal {
namespace {

using graph::Placement;
using graph::Step;
using losses::Reduction;

constexpr int kReplicas = 8;

const Placement* eight() {
  return Placement::replicas(
      runtime::Client::open({.device_count = kReplicas}).devices());
}

TEST(WeightingPlatformTest, RanksMeetAsInKeras) {
  const auto matched = [](Shape a, Shape b) {
    const auto [x, y] = match_ranks(zeros(a), zeros(b));
    return x.shape().to_string() + " " + y.shape().to_string();
  };
  EXPECT_EQ(matched({4, 1}, {4}), "(4, 1) (4, 1)");
  EXPECT_EQ(matched({4}, {4, 1}), "(4, 1) (4, 1)");
  EXPECT_EQ(matched({4, 3, 1}, {4, 3}), "(4, 3) (4, 3)");
  EXPECT_EQ(matched({4, 3}, {4, 3, 1}), "(4, 3) (4, 3)");
  EXPECT_EQ(matched({4, 3}, {4}), "(4, 3) (4,)");
  EXPECT_EQ(matched({4, 3}, {4, 3}), "(4, 3) (4, 3)");
}

TEST(WeightingPlatformTest, DivisionByNothingIsNothing) {
  const Tensor y = divide_no_nan(constant(Array::from({1.f, 6.f})),
                                 constant(Array::from({0.f, 3.f})));
  EXPECT_EQ(golden::difference(y.numpy(), Array::from({0.f, 2.f})), "");
}

TEST(WeightingPlatformTest, AWeightThatDoesNotFitIsNamed) {
  try {
    reduce_weighted("MeanSquaredError", zeros({4, 3}), zeros({4}), {},
                    Reduction::sum);
    FAIL();
  } catch (const ShapeError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("MeanSquaredError: expected sample_weight of a shape "
                        "that broadcasts to (4, 3), got (4,)\n"
                        "  values: float32[4, 3]\n"
                        "  sample_weight: float32[4]\n  hint: "),
              0u)
        << text;
  }
}

// What all replicas' results add up to, for a batch of `counts[r]` real rows
// on replica r; the rest of the rows is NaN.
float in_replicas(const Array& values, const Array& weights,
                  const std::vector<int>& counts, Reduction reduction) {
  const int64_t width = values.shape()[1];
  const int rows = *std::max_element(counts.begin(), counts.end());
  Array padded = Array::full({kReplicas, rows, width},
                             std::numeric_limits<double>::quiet_NaN());
  Array padded_weights = Array::ones({kReplicas, rows, 1});
  int64_t next = 0;
  for (int r = 0; r < kReplicas; ++r) {
    for (int i = 0; i < counts[r]; ++i, ++next) {
      for (int64_t j = 0; j < width; ++j) {
        padded.mutable_span<float>()[(r * rows + i) * width + j] =
            values[{next, j}].item<float>();
      }
      padded_weights.mutable_span<float>()[r * rows + i] =
          weights[{next, 0}].item<float>();
    }
  }
  Step step(eight(), "test");
  const Tensor replica = replica_id_in_sync_group();
  step.context().valid_rows =
      dynamic_index(constant(Array::from(counts)), replica);
  const Tensor mine = reduce_weighted(
      "test", dynamic_index(constant(padded), replica),
      dynamic_index(constant(padded_weights), replica), {}, reduction);
  const Tensor total = all_reduce(ReduceOp::sum, mine);
  step.commit(std::span(&total, 1));
  return total.item<float>();
}

TEST(WeightingPlatformTest, ReplicasAddUpToTheWhole) {
  const Array values =
      Array::from({1.f,  2.f,  3.f,  4.f,  5.f,  6.f,  7.f,  8.f,  9.f,  10.f,
                   11.f, 12.f, 13.f, 14.f, 15.f, 16.f, 17.f, 18.f, 19.f, 20.f},
                  {10, 2});
  const Array weights = Array::from(
      {1.f, 0.5f, 2.f, 1.f, 0.f, 3.f, 1.f, 1.f, 0.25f, 2.f}, {10, 1});
  for (Reduction reduction : {Reduction::sum, Reduction::sum_over_batch_size,
                              Reduction::mean_with_sample_weight}) {
    const float whole = reduce_weighted("test", constant(values),
                                        constant(weights), {}, reduction)
                            .item<float>();
    for (const std::vector<int>& counts :
         {std::vector<int>{2, 2, 2, 2, 2, 0, 0, 0}, {3, 0, 1, 1, 2, 1, 1, 1}}) {
      const float parts = in_replicas(values, weights, counts, reduction);
      EXPECT_NEAR(parts, whole, 1e-5 * whole) << name(reduction);
    }
  }
}

TEST(WeightingPlatformTest, FullReplicasDivideByTheGlobalBatch) {
  Step step(eight(), "test");
  const Tensor mine = reduce_weighted(
      "test", cast(replica_id_in_sync_group(), DType::float32) + ones({4}), {},
      {}, Reduction::sum_over_batch_size);
  const Tensor total = all_reduce(ReduceOp::sum, mine);
  step.commit(std::span(&total, 1));
  EXPECT_FLOAT_EQ(total.item<float>(), 4.5f);
}

}  // namespace
}  // namespace systolic::internal
