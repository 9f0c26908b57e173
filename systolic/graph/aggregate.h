// What the replicas of a step assign to a Variable, made one value.
//
//   delta = aggregated(state, delta, where);     // by the variable's own rule
//   const ReplicasAgree agree;                   // they have the same already
#pragma once

#include "systolic/graph/arg.h"
#include "systolic/graph/context.h"

namespace systolic::internal::graph {

/// Whether what this context assigns to a variable has to be combined: in a
/// step of several replicas, unless the variable is brought together when it
/// is read or ReplicasAgree holds.
bool is_aggregated(const VariableState& state);

/// The value (or the difference) that the replicas assign to such a variable,
/// combined as its aggregation says. Throws ValueError for aggregation none.
Tensor aggregated(const VariableState& state, const Tensor& value,
                  const SourceLocation& where);

/// Says that what is assigned is the same on all replicas, until it goes.
class ReplicasAgree {
 public:
  ReplicasAgree();
  ~ReplicasAgree();
  ReplicasAgree(const ReplicasAgree&) = delete;
  ReplicasAgree& operator=(const ReplicasAgree&) = delete;

 private:
  Context& context_;
  const bool before_;
};

}  // namespace systolic::internal::graph
