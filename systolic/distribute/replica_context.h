// The replica context: what the code of a step knows of its replicas.
//
//   auto here = distribute::get_replica_context();
//   Tensor total = here.all_reduce(ReduceOp::sum, loss);
//   here.merge_call([](Strategy s, Tensor x) { ... }, x);
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "systolic/distribute/strategy.h"
#include "systolic/ops/collective.h"

namespace systolic::distribute {

namespace detail {

/// Inside a step: what runs until the guard goes is done by all replicas
/// together, so that Strategy::reduce may be called.
class MergeGuard {
 public:
  MergeGuard();
  ~MergeGuard();
  MergeGuard(const MergeGuard&) = delete;
  MergeGuard& operator=(const MergeGuard&) = delete;

 private:
  bool before_differ_;
  bool before_merging_;
};

}  // namespace detail

/// A replica of the step being recorded; outside of steps and scopes the only
/// one of the default strategy.
class ReplicaContext {
 public:
  /// The strategy whose step it is.
  const Strategy& strategy() const { return strategy_; }
  int num_replicas_in_sync() const;
  /// This replica's number (int32 scalar).
  Tensor replica_id_in_sync_group() const;
  /// Real rows of this replica's share of the batch (int32 scalar); see
  /// systolic::valid_rows.
  Tensor valid_rows() const { return systolic::valid_rows(); }

  /// The value combined over all replicas; every replica gets the result.
  Tensor all_reduce(ReduceOp op, const Arg& value) const;
  /// Several values in one collective.
  std::vector<Tensor> all_reduce(ReduceOp op,
                                 const std::vector<Tensor>& values) const;
  /// The replicas' values one after the other along `axis`, filling included.
  /// Throws ShapeError for an axis that they do not have.
  Tensor all_gather(const Arg& value, int axis) const;

  /// `function(strategy, arguments...)` as done by all replicas together:
  /// strategy.reduce works in it, and Variables are assigned as they are.
  template <class F, class... Args>
  decltype(auto) merge_call(F&& function, Args&&... arguments) const {
    const detail::MergeGuard guard;
    return std::forward<F>(function)(strategy_,
                                     std::forward<Args>(arguments)...);
  }

 private:
  friend ReplicaContext get_replica_context();
  explicit ReplicaContext(Strategy strategy) : strategy_(std::move(strategy)) {}

  Strategy strategy_;
};

/// The replica whose code is recorded. Throws ValueError in a strategy's
/// scope outside of run, where there is no single replica.
ReplicaContext get_replica_context();

/// Whether this code speaks of all replicas together: in a strategy's scope
/// outside of run, and in merge_call.
bool in_cross_replica_context();

/// For this room: whether merge_call is going on.
bool is_merging();
/// For this room: throws ValueError, naming `who`, inside a step.
void require_cross_replica(std::string_view who);

}  // namespace systolic::distribute
