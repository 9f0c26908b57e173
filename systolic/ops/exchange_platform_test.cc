#include <gtest/gtest.h>

#include <numeric>

#include "systolic/array/arrays.h"
#include "systolic/graph/step.h"
#include "systolic/ops/exchange.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

namespace {

SourceTargetPairs ring() {
  SourceTargetPairs pairs;
  const int replicas = num_replicas_in_sync();
  for (int i = 0; i < replicas; ++i) pairs.emplace_back(i, (i + 1) % replicas);
  return pairs;
}

}  // namespace

std::vector<OpSample> internal::ops::exchange_samples() {
  Array x = Array::uninitialized({DType::float64, {8, 2}});
  int i = 0;
  for (double& value : x.mutable_span<double>()) value = (i++ % 7 - 3) * 0.25;
  const auto sample = [&](const char* op, Tensor (*call)(const Tensor&)) {
    // Not linear before, so that the order shows.
    return OpSample{
        .op = op,
        .call =
            [call](const Tensors& in) { return Tensors{call(in[0] * in[0])}; },
        .inputs = {x},
        .dtypes = contracts::kInexact,
        .replicated = true,
        .error = 2};
  };
  return {
      sample("all_gather", [](const Tensor& y) { return all_gather(y, 1); }),
      sample("reduce_scatter",
             [](const Tensor& y) {
               return reduce_scatter(ReduceOp::sum, y) +
                      reduce_scatter(ReduceOp::mean, y);
             }),
      sample("all_to_all",
             [](const Tensor& y) {
               return all_to_all(y, {.split_axis = 0, .concat_axis = 1});
             }),
      sample("collective_permute", [](const Tensor& y) {
        return collective_permute(y, ring()) * y;
      })};
}

namespace {

using internal::graph::Placement;
using internal::graph::Step;
using internal::ops::begins;
using internal::ops::message_of;

// Runs `body` in eight replicas and gives each one's values of its result.
std::vector<Array> in_replicas(const std::function<Tensor()>& body) {
  Tensor result;
  {
    Step step(
        Placement::replicas(
            internal::runtime::Client::open({.device_count = 8}).devices()),
        "test");
    result = body();
    step.commit(std::span(&result, 1));
  }
  return internal::graph::storage_of(result.ref())->replicas();
}

Tensor number() { return reshape(replica_id_in_sync_group(), {1}); }

TEST(Exchange, AllGatherJoinsInOrder) {
  for (const Array& value : in_replicas([] { return all_gather(number()); })) {
    EXPECT_EQ(value.to_string(), "[0 1 2 3 4 5 6 7]");
  }
}

TEST(Exchange, ReduceScatterSharesOut) {
  const auto values = in_replicas(
      [] { return reduce_scatter(ReduceOp::sum, arange(16) * number()); });
  for (int r = 0; r < 8; ++r) {
    EXPECT_TRUE(array_equal(values[static_cast<size_t>(r)],
                            Array::from({2 * r * 28, (2 * r + 1) * 28})))
        << r;
  }
}

TEST(Exchange, AllToAllTurnsTheTable) {
  // Replica r holds row r of a table, and gets its column.
  const auto values =
      in_replicas([] { return all_to_all(number() * 10 + arange(8)); });
  for (int r = 0; r < 8; ++r) {
    EXPECT_TRUE(array_equal(values[static_cast<size_t>(r)],
                            Array::from({r, r + 10, r + 20, r + 30, r + 40,
                                         r + 50, r + 60, r + 70})))
        << r;
  }
}

TEST(Exchange, PermuteAndBroadcast) {
  const auto turned =
      in_replicas([] { return collective_permute(number(), ring()); });
  const auto one = in_replicas([] {
    return collective_permute(number() + 1, {{3, 0}});
  });
  const auto sent =
      in_replicas([] { return collective_broadcast(number() * 2 + 1, 5); });
  const auto truth =
      in_replicas([] { return collective_broadcast(equal(number(), 2), 2); });
  for (int r = 0; r < 8; ++r) {
    const auto i = static_cast<size_t>(r);
    EXPECT_EQ(turned[i].item<int>(), (r + 7) % 8);
    EXPECT_EQ(one[i].item<int>(), r == 0 ? 4 : 0);
    EXPECT_EQ(sent[i].item<int>(), 11);
    EXPECT_TRUE(truth[i].item<bool>());
  }
}

TEST(Exchange, AloneEachIsTheIdentity) {
  const Tensor x = constant({1, 2});
  internal::ops::Comparisons list;
  const Array wanted = Array::from({1, 2});
  list.add("all_gather", all_gather(x), wanted);
  list.add("reduce_scatter", reduce_scatter(ReduceOp::sum, x), wanted);
  list.add("all_to_all", all_to_all(x), wanted);
  list.add("permute", collective_permute(x, {{0, 0}}), wanted);
  list.add("permute from nobody", collective_permute(x, {}),
           Array::from({0, 0}));
  list.add("broadcast", collective_broadcast(x), wanted);
}

TEST(Exchange, WrongCallsAreTold) {
  EXPECT_TRUE(begins(
      message_of<ValueError>([] { reduce_scatter(ReduceOp::max, zeros({8})); }),
      "reduce_scatter: expected ReduceOp::sum or mean, got max"));
  EXPECT_TRUE(begins(message_of<ValueError>([] {
                       collective_permute(zeros({8}), {{0, 1}});
                     }),
                     "collective_permute: expected replicas from 0 to 0, got "
                     "1"));
  EXPECT_TRUE(begins(message_of<ValueError>([] {
                       in_replicas([] { return all_to_all(arange(12)); });
                     }),
                     "all_to_all: expected a size along axis 0 that 8 replicas "
                     "share evenly, got 12\n"));
}

}  // namespace
}  // namespace systolic
