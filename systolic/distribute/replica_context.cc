#include "systolic/distribute/replica_context.h"

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/ops/manipulation.h"

namespace systolic::distribute {

using internal::Message;
namespace graph = internal::graph;

namespace {

thread_local bool merging = false;

bool in_step() { return graph::context().in_step; }

}  // namespace

detail::MergeGuard::MergeGuard()
    : before_differ_(graph::context().replicas_differ),
      before_merging_(std::exchange(merging, in_step())) {
  graph::context().replicas_differ = false;
}

detail::MergeGuard::~MergeGuard() {
  merging = before_merging_;
  graph::context().replicas_differ = before_differ_;
}

bool is_merging() { return merging; }

bool in_cross_replica_context() {
  return merging || (!in_step() && has_strategy());
}

void require_cross_replica(std::string_view who) {
  const graph::Context* step = graph::step_around();
  if (step == nullptr || merging) return;
  Message(std::string(who))
      .rule("it is called inside ", step->step_name,
            ", where each replica has its own values")
      .hint(
          "get_replica_context().all_reduce(op, value) combines them there; "
          "or return the value and reduce it after the step")
      .raise<ValueError>();
}

ReplicaContext get_replica_context() {
  if (!in_step() && has_strategy()) {
    Message("get_replica_context")
        .rule("in a strategy's scope there is no single replica")
        .hint("call it in the function that strategy.run gets")
        .raise<ValueError>();
  }
  return ReplicaContext(get_strategy());
}

int ReplicaContext::num_replicas_in_sync() const {
  return systolic::num_replicas_in_sync();
}

Tensor ReplicaContext::replica_id_in_sync_group() const {
  return systolic::replica_id_in_sync_group();
}

Tensor ReplicaContext::all_reduce(ReduceOp op, const Arg& value) const {
  return systolic::all_reduce(op, value);
}

std::vector<Tensor> ReplicaContext::all_reduce(
    ReduceOp op, const std::vector<Tensor>& values) const {
  return systolic::all_reduce(op, values);
}

Tensor ReplicaContext::all_gather(const Arg& value, int axis) const {
  const Tensor x = value.tensor();
  const int rank = x.rank();
  const int along = axis < 0 ? axis + rank : axis;
  if (along < 0 || along >= rank) {
    Message("ReplicaContext.all_gather")
        .expected("an axis of the value")
        .got(axis)
        .detail("value", x.spec())
        .at(value.where())
        .raise<ShapeError>();
  }
  const int replicas = num_replicas_in_sync();
  if (replicas == 1) return x;
  // Each replica's part in its place among zeros; the sum has all of them.
  Shape all{replicas};
  for (const int64_t size : x.shape()) all.push_back(size);
  const Tensor parts = systolic::all_reduce(
      ReduceOp::sum,
      dynamic_update(zeros(all, x.dtype()), replica_id_in_sync_group(), x));
  std::vector<Tensor> pieces;
  for (int i = 0; i < replicas; ++i) pieces.push_back(parts[i]);
  return concatenate(pieces, along);
}

}  // namespace systolic::distribute
