// Collectives by which the replicas of a step exchange values.
//
//   Tensor batch = all_gather(rows);               // of all replicas
//   Tensor mine = reduce_scatter(ReduceOp::sum, x);
//
// Outside a replicated step there is one replica, and each is the identity.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/ops/collective.h"

namespace systolic {

/// The values of all replicas, in their order, joined along an axis.
Tensor all_gather(const Arg& x, int axis = 0);

/// The sum or mean over all replicas, of which replica r gets the r-th part
/// along an axis. Throws ValueError where the axis can not be cut so.
Tensor reduce_scatter(ReduceOp op, const Arg& x, int axis = 0);

struct AllToAllOptions {
  /// The axis that is cut: part r goes to replica r.
  int split_axis = 0;
  /// The axis along which what comes is joined.
  int concat_axis = 0;
};
/// Each replica's parts to each replica.
Tensor all_to_all(const Arg& x, const AllToAllOptions& options = {});

/// Pairs of replicas: source, target.
using SourceTargetPairs = std::vector<std::pair<int, int>>;
/// The value of the source whose target this replica is; zeros where it is
/// none. Throws ValueError for a source or a target named twice.
Tensor collective_permute(const Arg& x, const SourceTargetPairs& pairs);

/// The value that replica `root` has, on all replicas.
Tensor collective_broadcast(const Arg& x, int root = 0);

}  // namespace systolic
