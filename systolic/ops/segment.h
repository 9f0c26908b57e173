// Sums, products and extremes of rows that share a number.
//
//   Tensor totals = segment_sum(values, keys, {.num_segments = 10});
//
// `segment_ids` are integers, one for each row of `data`; the result has one
// row for each segment. Rows whose number is no segment's are left out.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

struct SegmentOptions {
  // Unset: one more than the largest number, which must be on the host then.
  std::optional<int64_t> num_segments;
  // A promise that the numbers rise, which some platforms use. Nothing is
  // checked: unsorted numbers give wrong results there.
  bool sorted = false;
};

/// Sums; 0 for a segment without rows. Shapes: data (n, rest...), segment_ids
/// (n,) -> (num_segments, rest...). Throws: ShapeError, TypeError; ValueError
/// where num_segments is unset and cannot be known.
Tensor segment_sum(const Arg& data, const Arg& segment_ids,
                   const SegmentOptions& options = {});
/// Means; 0 for a segment without rows. Integers become float32.
Tensor segment_mean(const Arg& data, const Arg& segment_ids,
                    const SegmentOptions& options = {});
/// Largest elements; minus infinity, or the dtype's lowest, without rows.
Tensor segment_max(const Arg& data, const Arg& segment_ids,
                   const SegmentOptions& options = {});
/// Smallest elements; infinity, or the dtype's highest, without rows.
Tensor segment_min(const Arg& data, const Arg& segment_ids,
                   const SegmentOptions& options = {});
/// Products; 1 for a segment without rows.
Tensor segment_prod(const Arg& data, const Arg& segment_ids,
                    const SegmentOptions& options = {});

/// TensorFlow's names of the same. Here segment_ids may have more axes, the
/// first of data's.
Tensor unsorted_segment_sum(const Arg& data, const Arg& segment_ids,
                            int64_t num_segments);
Tensor unsorted_segment_mean(const Arg& data, const Arg& segment_ids,
                             int64_t num_segments);
Tensor unsorted_segment_max(const Arg& data, const Arg& segment_ids,
                            int64_t num_segments);
Tensor unsorted_segment_min(const Arg& data, const Arg& segment_ids,
                            int64_t num_segments);
Tensor unsorted_segment_prod(const Arg& data, const Arg& segment_ids,
                             int64_t num_segments);
/// The sums divided by the square roots of the numbers of rows.
Tensor unsorted_segment_sqrt_n(const Arg& data, const Arg& segment_ids,
                               int64_t num_segments);

}  // namespace systolic
