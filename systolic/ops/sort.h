// Order and counting: sorting, the largest elements, places in sorted values,
// distinct values, histograms. Sorting is stable; NaN counts as the largest.
//
//   auto [values, indices] = top_k(scores, 5);
//   Tensor order = argsort(x, {.axis = 0, .descending = true});
//
// Where the number of results depends on the data, it is given: programs have
// fixed shapes.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "systolic/graph/arg.h"

namespace systolic {

struct SortOptions {
  /// nullopt: the flattened input.
  std::optional<int> axis = -1;
  bool descending = false;
};
/// The elements in order along an axis.
Tensor sort(const Arg& x, const SortOptions& options = {});
/// The positions (int32) that would sort `x`.
Tensor argsort(const Arg& x, const SortOptions& options = {});

/// What top_k gives, along the last axis: largest first.
struct TopK {
  Tensor values;
  Tensor indices;  // int32
};
/// The `k` largest elements of each row. Of equal ones the first comes first.
TopK top_k(const Arg& x, int64_t k);
/// Whether each row's target is among its `k` largest predictions (bool).
/// Shapes: targets (n), predictions (n, classes) -> (n).
Tensor in_top_k(const Arg& targets, const Arg& predictions, int64_t k);

struct SearchSortedOptions {
  /// "left": before equal elements; "right": behind them.
  std::string side = "left";
};
/// Where each value would be put into a sorted sequence (int32). Shapes:
/// (n), (...) -> (...), or rows of both: (..., n), (..., m) -> (..., m). It
/// compares each with each.
Tensor searchsorted(const Arg& sorted_sequence, const Arg& values,
                    const SearchSortedOptions& options = {});
/// The bin of each element (int32): i where bins[i - 1] <= x < bins[i].
Tensor digitize(const Arg& x, const Arg& bins);

struct UniqueOptions {
  /// The number of results; needed.
  std::optional<int64_t> size = std::nullopt;
  /// What fills up where there are fewer; unset: the smallest value.
  std::optional<double> fill_value = std::nullopt;
};
/// What unique_with_counts gives.
struct UniqueWithCounts {
  Tensor y;      // the distinct values, rising (size)
  Tensor idx;    // the place in y of each element of the flattened x (int32)
  Tensor count;  // how often each is in x (int32); 0 where y is filled up
};
/// The distinct values of the flattened `x`, rising.
Tensor unique(const Arg& x, const UniqueOptions& options);
/// The same with places and counts.
UniqueWithCounts unique_with_counts(const Arg& x, const UniqueOptions& options);

struct NonzeroOptions {
  /// The number of results; needed.
  std::optional<int64_t> size = std::nullopt;
  /// The positions that fill up where there are fewer.
  int64_t fill_value = 0;
};
/// The positions of the elements that are not 0 (int32), in order. Shapes:
/// (d0, ..., dn) -> (size, n + 1).
Tensor argwhere(const Arg& x, const NonzeroOptions& options);

struct BincountOptions {
  /// What each element counts; undefined: 1 (int32).
  Tensor weights = {};
  /// The number of bins; needed. Larger elements are not counted.
  std::optional<int64_t> size = std::nullopt;
};
/// How often each of 0 ... size - 1 is in `x`.
Tensor bincount(const Arg& x, const BincountOptions& options);

struct HistogramOptions {
  int64_t bins = 10;
  /// Unset: from the smallest to the largest element.
  std::optional<std::pair<double, double>> range = std::nullopt;
};
/// What histogram gives.
struct Histogram {
  Tensor hist;       // elements of each bin (int32)
  Tensor bin_edges;  // bins + 1
};
/// Elements in bins of one width, of which the last holds its right edge.
Histogram histogram(const Arg& x, const HistogramOptions& options = {});

}  // namespace systolic
