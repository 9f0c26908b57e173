// Collectives and the replica context: what a step knows of its replicas.
//
//   Tensor total = all_reduce(ReduceOp::sum, local);
//   int n = num_replicas_in_sync();
//
// Outside a replicated step there is one replica, and all_reduce is identity.
#pragma once

#include <vector>

#include "systolic/graph/arg.h"

namespace systolic {

enum class ReduceOp : uint8_t { sum, mean, max, min };

/// Replicas of the step being recorded; 1 outside.
int num_replicas_in_sync();

/// This replica's number (int32 scalar); 0 outside a replicated step.
Tensor replica_id_in_sync_group();

/// Real rows of this replica's share of the batch (int32 scalar). The
/// undefined Tensor where no batch of a data set is known; in fit and its
/// siblings also where every row is real.
Tensor valid_rows();

/// Combines a value over all replicas; every replica gets the result.
Tensor all_reduce(ReduceOp op, const Arg& x);

/// Combines several values in one collective.
std::vector<Tensor> all_reduce(ReduceOp op, const std::vector<Tensor>& xs);

}  // namespace systolic
