// Statements by which the replicas of a program exchange values.
//   Value all = all_gather(e, x, 0, 8);
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {

/// The values of all replicas joined along an axis.
Value all_gather(Emitter& e, const Value& x, int64_t axis, int num_replicas);

/// The sum over all replicas, of which each gets its part of an axis.
Value reduce_scatter(Emitter& e, const Value& x, int64_t axis,
                     int num_replicas);

/// Each replica's parts of the split axis, one for each replica; what it gets
/// is joined along the concat axis.
Value all_to_all(Emitter& e, const Value& x, int64_t split_axis,
                 int64_t concat_axis, int num_replicas);

/// The value of the replica that sends to this one; zeros where none does.
Value collective_permute(Emitter& e, const Value& x,
                         std::span<const int64_t> sources,
                         std::span<const int64_t> targets);

}  // namespace systolic::internal::stablehlo
