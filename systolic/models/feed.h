// Feed: takes batches of a data set to the devices of a step.
//
//   HostBatch batch = unpack(element, "fit");
//   DeviceBatch sent = send(batch, placement);
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "systolic/data/element.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/tensor.h"
#include "systolic/models/arrays.h"
#include "systolic/models/tensors.h"

namespace systolic::internal::models {

using systolic::models::Arrays;
using systolic::models::Tensors;

/// A batch on the host; y and sample_weight may be unset.
struct HostBatch {
  Arrays x, y, sample_weight;
  int64_t rows = 0;
  /// What a reader unpacked it of: a batch that waits is saved as that.
  data::Element element = {};

  /// Whether both have the same specs, so that one program serves both.
  bool same_specs(const HostBatch& other) const;
  size_t nbytes() const;
};

/// x, (x, y) or (x, y, sample_weight) of a data set's element, each an Array or
/// a tuple or dict of Arrays, in dtypes that devices take: float64 becomes
/// float32 and int64 int32 (range checked). Throws ValueError, TypeError naming
/// the feature that does not fit.
HostBatch unpack(const data::Element& element, std::string_view who);

/// The x of such an element alone: what else there is may be anything.
HostBatch unpack_inputs(const data::Element& element, std::string_view who);

/// The leaves of a step: this replica's rows of one batch, or of a stack of
/// batches (then with a first axis more, and `count` of them real).
struct DeviceBatch {
  Tensors x, y, sample_weight;
  /// Real rows of this replica (int32), and over all replicas divided by
  /// their number (float32); undefined where no row is padding.
  Tensor valid_rows, mean_rows;
  /// Batches of the stack that are real (int32).
  Tensor count;

  /// All of them, in order: what a step is made of.
  std::vector<Tensor> leaves() const;
};

/// Sends a batch, its rows split over the replicas in order; a number of
/// rows that does not divide is filled up with zeros.
DeviceBatch send(const HostBatch& batch, const graph::Placement& placement);

/// Sends batches of one spec as a stack of `capacity`.
DeviceBatch send(std::span<const HostBatch> batches, int64_t capacity,
                 const graph::Placement& placement);

}  // namespace systolic::internal::models
