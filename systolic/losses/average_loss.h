// Losses of custom loops, scaled so that the replicas' add up to the batch's.
//
//   Tensor loss = nn::compute_average_loss(per_example,
//                                          {.global_batch_size = 200});
#pragma once

#include "systolic/base/optional_int.h"
#include "systolic/graph/arg.h"

namespace systolic::nn {

/// Options of compute_average_loss.
struct AverageLossOptions {
  /// A weight for each example, or for each value; undefined: 1.
  Tensor sample_weight = {};
  /// Rows of the batch of all replicas; unset: as many as there really are.
  OptionalInt global_batch_size = {};
};

/// Sum of the examples' losses over the size of the global batch: the losses
/// of the replicas add up to that of the batch. What an example has besides
/// its row (pixels, tokens) is averaged first; rows that only fill the batch
/// up do not count. Shape: (rows, ...) -> ().
/// Throws ShapeError where the first axis is not this replica's share of the
/// batch, for a scalar, and for weights that do not fit; ValueError for a
/// size below 1.
Tensor compute_average_loss(const Arg& per_example_loss,
                            const AverageLossOptions& options = {});

/// Sum of a penalty's values over the number of replicas: every replica adds
/// it. Shape: (...) -> ().
Tensor scale_regularization_loss(const Arg& regularization_loss);

/// Options of masked_mean.
struct MaskedMeanOptions {
  /// Which values count (bool, of the values' shape or broadcast to it);
  /// undefined: all.
  Tensor mask = {};
};

/// This replica's part of the mean over the values of all replicas that
/// count: the parts add up to the mean. Rows that only fill the batch up do
/// not count. 0 where nothing counts. Shape: (rows, ...) -> ().
Tensor masked_mean(const Arg& values, const MaskedMeanOptions& options = {});

}  // namespace systolic::nn
