// How losses and metrics apply sample weights, masks and padded batches.
//   auto [values, weight] = match_ranks(values, weight);
// Inside of the library; users do not need it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "systolic/graph/tensor.h"
#include "systolic/losses/reduction.h"

namespace systolic::internal {

/// The values as `dtype`: the same Tensor where it has that dtype already.
Tensor as_dtype(const Tensor& x, DType dtype);

/// x / y, and 0 where y is 0.
Tensor divide_no_nan(const Tensor& x, const Tensor& y);

/// Brings ranks that differ by a last axis of size 1 together, as Keras does:
/// shapes (n, 1) and (n) become (n, 1) both; (n, m, 1) and (n, m) become
/// (n, m). Other shapes stay.
std::pair<Tensor, Tensor> match_ranks(const Tensor& a, const Tensor& b);

/// Which rows of a padded batch are real, (rows) of bool, in the step being
/// recorded; undefined where every row is. Where `rows` is several times those
/// of the batch, each row of the batch is so many in a line, as it is where a
/// reshape makes one axis of (batch, steps).
Tensor real_rows(int64_t rows);

/// The mask, of the first axes of values of `rank` axes, with axes of one
/// element for the others: (rows) as (rows, 1, ...).
Tensor rows_of_rank(const Tensor& mask, int rank);

/// Throws ShapeError naming `who` unless `weight` broadcasts to `values`.
void check_weight(std::string_view who, const Tensor& values,
                  const Tensor& weight);

/// The mask that `y_pred` has (Keras's), as one of `values`, which have its
/// first axes; undefined where it has none. Throws ShapeError naming `who`
/// where it does not fit.
Tensor mask_for(std::string_view who, const Tensor& values,
                const Tensor& y_pred);

/// What counts in both masks; an undefined one leaves all.
Tensor both_masks(const Tensor& a, const Tensor& b);

/// The values of a loss by `reduction`: weighted by `weight` (may be
/// undefined) and without those where `mask` (may be undefined) is false or
/// whose row is padding. In a replicated step a mean divides by the number in
/// all replicas, so that the replicas' results add up to the whole.
/// Throws: ShapeError naming `who`, as check_weight.
Tensor reduce_weighted(std::string_view who, const Tensor& values,
                       const Tensor& weight, const Tensor& mask,
                       losses::Reduction reduction);

}  // namespace systolic::internal
