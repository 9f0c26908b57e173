#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/program.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::collective_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75}), y = Array::from({4., -1.});
  return {{.op = "all_reduce",
           .call =
               [](const Tensors& in) {
                 // Not linear before and after, so that the order shows.
                 const Tensor total = all_reduce(ReduceOp::sum, in[0] * in[0]);
                 return Tensors{total * in[0],
                                all_reduce(ReduceOp::mean, in[0] * 3)};
               },
           .inputs = {x},
           .dtypes = contracts::kInexact,
           .replicated = true,
           .error = 2},
          {.op = "all_reduce",
           .name = "of several",
           .call =
               [](const Tensors& in) {
                 return all_reduce(ReduceOp::sum, {in[0], in[1] * in[1]});
               },
           .inputs = {x, y},
           .replicated = true},
          {.op = "all_reduce",
           .name = "extrema",
           .call =
               [](const Tensors& in) {
                 return Tensors{all_reduce(ReduceOp::max, in[0]),
                                all_reduce(ReduceOp::min, in[0])};
               },
           .inputs = {x},
           .dtypes = contracts::floats_and_integers(),
           .gradient = false},
          {.op = "replica_id", .call = [](const Tensors&) {
             return Tensors{replica_id_in_sync_group() + 1};
           }}};
}

namespace {

using internal::graph::Placement;
using internal::graph::Step;
using internal::ops::message_of;

const Placement* eight() {
  return Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
}

// Runs `body` in eight replicas and gives each one's values of its results.
std::vector<std::vector<Array>> in_replicas(
    const std::function<Tensors()>& body) {
  Tensors results;
  {
    Step step(eight(), "test");
    results = body();
    step.commit(results);
  }
  std::vector<std::vector<Array>> values;
  for (const Tensor& result : results) {
    values.push_back(internal::graph::storage_of(result.ref())->replicas());
  }
  return values;
}

TEST(Collective, EveryReplicaGetsTheWhole) {
  const auto values = in_replicas([] {
    const Tensor id = cast(replica_id_in_sync_group(), DType::float32);
    const Tensor x = stack({id, id * id});
    EXPECT_EQ(num_replicas_in_sync(), 8);
    return Tensors{all_reduce(ReduceOp::sum, x), all_reduce(ReduceOp::mean, x),
                   all_reduce(ReduceOp::max, x),
                   all_reduce(ReduceOp::min, x + 1)};
  });
  const char* const wanted[] = {"[ 28. 140.]", "[ 3.5 17.5]", "[ 7. 49.]",
                                "[1. 1.]"};
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(values[i].size(), 8u);
    for (const Array& value : values[i]) {
      EXPECT_EQ(value.to_string(), wanted[i]);
    }
  }
}

TEST(Collective, ReplicasHaveTheirNumbers) {
  const auto values =
      in_replicas([] { return Tensors{replica_id_in_sync_group() * 10}; });
  for (int r = 0; r < 8; ++r) {
    EXPECT_EQ(values[0][static_cast<size_t>(r)].item<int>(), r * 10);
  }
}

// Values of several dtypes go in one call, one collective for each dtype.
TEST(Collective, SeveralValuesTogether) {
  const auto values = in_replicas([] {
    const Tensor id = replica_id_in_sync_group();
    return all_reduce(ReduceOp::sum,
                      {cast(id, DType::float32), id,
                       cast(id, DType::bfloat16) * ones({2}, DType::bfloat16),
                       cast(id, DType::float32) * ones({3})});
  });
  EXPECT_EQ(values[0][3].item<float>(), 28);
  EXPECT_EQ(values[1][4].item<int>(), 28);
  EXPECT_EQ(values[2][5].to_string(), "[28 28]");
  EXPECT_EQ(values[3][6].to_string(), "[28. 28. 28.]");
}

TEST(Collective, OneCollectivePerDtypeIsWritten) {
  Step step(eight(), "test");
  Tensors sums = all_reduce(ReduceOp::sum, {ones({2}), ones({3}) + 1});
  std::vector<internal::graph::Root> roots;
  for (const Tensor& sum : sums) roots.push_back({sum.ref(), {}});
  const std::string text = internal::graph::Program(roots, eight()).emit({});
  const size_t first = text.find("stablehlo.all_reduce");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("stablehlo.all_reduce", first + 1), std::string::npos);
}

TEST(Collective, AloneItIsTheValueItself) {
  EXPECT_EQ(num_replicas_in_sync(), 1);
  EXPECT_EQ(replica_id_in_sync_group().item<int>(), 0);
  EXPECT_FALSE(valid_rows().is_defined());
  for (ReduceOp op : {ReduceOp::sum, ReduceOp::mean, ReduceOp::max}) {
    const Tensor x = constant(Array::from({1.f, 2.f}));
    EXPECT_EQ(all_reduce(op, x).numpy().to_string(), "[1. 2.]");
  }
  EXPECT_TRUE(all_reduce(ReduceOp::sum, Tensors{}).empty());
}

TEST(Collective, ExtremaHaveNoGradient) {
  GradientTape tape;
  const Tensor x = constant(Array::from({1.f}));
  tape.watch(x);
  const Tensor y = all_reduce(ReduceOp::max, x);
  EXPECT_EQ(message_of<ValueError>([&] { tape.gradient(y, x); }),
            "all_reduce: the largest or smallest value of all replicas has no "
            "gradient\n  hint: use ReduceOp::sum or mean");
}

}  // namespace
}  // namespace systolic
