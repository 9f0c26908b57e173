// Feed: takes batches of a data set to the replicas, their rows split and
// filled up with zeros where they do not divide. Inside of this room and of
// the room models.
//
//   int64_t share = share_of(rows, placement);
//   Tensor x = send_rows(std::span(&array, 1), share, placement);
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/tensor.h"

namespace systolic::internal::distribute {

/// One part of a batch on the host: one Array, whose rows are split over the
/// replicas in order, or one Array for each replica.
using HostPart = std::span<const Array>;

/// The Array in a dtype that every device takes: float64 becomes float32 and
/// int64 int32. Throws ValueError for a number that does not fit, TypeError
/// for strings, both naming `who` and the `feature`.
Array narrowed(const Array& array, std::string_view who,
               std::string_view feature);

/// The rows of a batch, or those that a plan asks for in their place.
int64_t rows_to_send(int64_t rows);

/// Rows that each replica gets of `rows`.
int64_t share_of(int64_t rows, const graph::Placement& placement);

/// How many of its `share` rows are real on each replica, where `rows` are
/// split in order.
std::vector<int32_t> real_rows_of(int64_t rows, int64_t share,
                                  const graph::Placement& placement);

/// The `share` rows of one replica: a view of the batch's memory, which devices
/// read from there, unless they have to be filled up.
Array rows_of_replica(HostPart part, size_t replica, int64_t share);

/// Sends each replica its `share` rows. Shape: (rows, ...) -> (share, ...).
Tensor send_rows(HostPart part, int64_t share,
                 const graph::Placement& placement);

/// Sends the same part of several batches as one stack with room for
/// `capacity` of them. Shape: (rows, ...) each -> (capacity, share, ...).
Tensor send_stack(std::span<const HostPart> batches, int64_t capacity,
                  int64_t share, const graph::Placement& placement);

/// Sends values of one spec, each replica its own; one value goes to all.
Tensor send_values(std::span<const Array> values,
                   const graph::Placement& placement);

/// Batches that a stack has room for when each has `nbytes`: `wanted`, at most
/// 64, and at most 256 MB in all.
int64_t stack_capacity(size_t nbytes, int64_t wanted);

}  // namespace systolic::internal::distribute
