// Strategy: values of all replicas brought together, and made for each.
// Tested by: systolic/distribute/collect_platform_test.cc
#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/distribute/host_step.h"
#include "systolic/distribute/replica_context.h"
#include "systolic/distribute/strategy.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/step.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::distribute {

using internal::Message;
using internal::graph::Placement;
namespace graph = internal::graph;

namespace {

Tensor along_axis(ReduceOp op, const Tensor& x, int axis) {
  switch (op) {
    case ReduceOp::max:
      return max(x, {.axis = axis});
    case ReduceOp::min:
      return min(x, {.axis = axis});
    default:
      return sum(x, {.axis = axis});
  }
}

// The values of one replica along an axis, without its filling.
Tensor real_along_axis(ReduceOp op, const PerReplica& value, const Tensor& x,
                       int axis) {
  if (!value.is_padded()) return along_axis(op, x, axis);
  const bool picks = op == ReduceOp::max || op == ReduceOp::min;
  if (axis == 0 && picks) {
    Message("strategy.reduce")
        .rule(
            "the largest or smallest of a batch that was filled up is not "
            "known on a replica without a real row")
        .hint("strategy.gather(value) leaves the filling out")
        .raise<ValueError>();
  }
  const Tensor real = internal::real_rows(x.shape()[0]);
  const Tensor kept = where(internal::rows_of_rank(real, x.rank()), x, 0);
  return along_axis(op, picks ? x : kept, axis);
}

int checked_axis(const PerReplica& value, int64_t axis) {
  const int rank = value.shape().rank();
  const int64_t found = axis < 0 ? axis + rank : axis;
  if (found < 0 || found >= rank) {
    Message("strategy.reduce")
        .expected("an axis of ", value.spec())
        .got(axis)
        .raise<ShapeError>();
  }
  return static_cast<int>(found);
}

// How many values of all replicas are reduced to one.
double count_of(const PerReplica& value, int axis) {
  if (axis == 0 && value.is_padded()) {
    return static_cast<double>(value.rows()->total());
  }
  return static_cast<double>(value.shape()[axis] * value.num_replicas());
}

Tensor reduced(ReduceOp op, const PerReplica& value, OptionalInt axis) {
  const Tensor& x = value.whole();
  if (!axis) return all_reduce(op, x);
  const int along = checked_axis(value, *axis);
  const Tensor own = real_along_axis(op, value, x, along);
  if (op != ReduceOp::mean) return all_reduce(op, own);
  return all_reduce(ReduceOp::sum, own) / count_of(value, along);
}

}  // namespace

Tensor Strategy::reduce(ReduceOp op, const PerReplica& value,
                        OptionalInt axis) const {
  require_cross_replica("strategy.reduce");
  if (!value.is_defined()) value.num_replicas();  // throws
  graph::Step step(value.placement(), "strategy.reduce");
  if (value.is_padded()) {
    step.context().valid_rows = value.rows()->valid_rows;
    step.context().batch_rows = value.rows()->share;
  }
  const Tensor result = reduced(op, value, axis);
  step.commit({&result, 1});
  return graph::as_data(result);
}

Tensor Strategy::reduce(ReduceOp op, const Tensor& value,
                        OptionalInt axis) const {
  if (is_merging()) {
    // Inside merge_call a Tensor is this replica's.
    const PerReplica own(value, base().placement());
    return reduced(op, own, axis);
  }
  require_cross_replica("strategy.reduce");
  const int replicas = num_replicas_in_sync();
  if (replicas > 1 && op == ReduceOp::sum) {
    Message("strategy.reduce")
        .rule("a Tensor that is no PerReplica can not be added up over ",
              replicas, " replicas")
        .detail("value", value.spec())
        .hint("reduce what strategy.run returned")
        .raise<ValueError>();
  }
  if (!axis) return value;
  const PerReplica one(value, Placement::current_default());
  const int along = checked_axis(one, *axis);
  return op == ReduceOp::mean ? mean(value, {.axis = along})
                              : along_axis(op, value, along);
}

Tensor Strategy::gather(const PerReplica& value, int axis) const {
  require_cross_replica("strategy.gather");
  return constant(value.concat(axis));
}

std::vector<Tensor> Strategy::local_results(const PerReplica& value) const {
  require_cross_replica("strategy.local_results");
  return value.values();
}

namespace {

DistributedDataset distributed(const data::Dataset& dataset,
                               const Strategy& strategy, bool is_per_replica) {
  using Source = internal::distribute::DistributedSource;
  return DistributedDataset(std::shared_ptr<Source>(
      new Source{.dataset = dataset,
                 .placement = strategy.base().placement(),
                 .is_per_replica = is_per_replica}));
}

// One process drives all devices of a strategy, so one host reads.
InputContext input_context(const Strategy& strategy) {
  return {.num_replicas_in_sync = strategy.num_replicas_in_sync()};
}

}  // namespace

DistributedDataset Strategy::distribute_dataset(
    const data::Dataset& dataset) const {
  const data::Dataset share =
      internal::distribute::share_of_host(dataset, input_context(*this));
  return distributed(share, *this, false);
}

DistributedDataset Strategy::distribute_datasets_from_function(
    const std::function<data::Dataset(const InputContext&)>& function) const {
  internal::require_function(function, "distribute_datasets_from_function");
  return distributed(function(input_context(*this)), *this, true);
}

PerReplica Strategy::distribute_values_from_function(
    const std::function<Tensor(const ValueContext&)>& function) const {
  constexpr std::string_view kWho = "distribute_values_from_function";
  internal::require_function(function, kWho);
  const Placement* placement = base().placement();
  std::vector<internal::runtime::BufferPtr> buffers;
  TensorSpec spec;
  for (const auto& device : placement->devices()) {
    ValueContext context;
    context.replica_id_in_sync_group = static_cast<int>(buffers.size());
    context.num_replicas_in_sync = placement->num_replicas();
    const Tensor value = function(context);
    if (buffers.empty()) spec = value.spec();
    if (value.spec() != spec) {
      Message(std::string(kWho))
          .expected("values of one dtype and shape for all replicas")
          .got(spec, " and ", value.spec(), " for replica ", buffers.size())
          .raise<ShapeError>();
    }
    buffers.push_back(
        graph::storage_of(value.ref())->on(Placement::single(device)).front());
  }
  auto storage =
      std::make_shared<graph::Storage>(placement, std::move(buffers));
  return PerReplica(
      Tensor(graph::Ref{graph::make_data(std::move(storage), spec), 0}),
      placement);
}

}  // namespace systolic::distribute
