// What has accumulated along an axis up to each element.
//
//   Tensor total = cumsum(x, {.axis = -1});
//   Tensor rest = cumsum(x, {.axis = 0, .exclusive = true, .reverse = true});
#pragma once

#include <optional>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

struct CumulateOptions {
  std::optional<int> axis;  // unset: over the flattened input
  bool exclusive = false;   // without the element itself
  bool reverse = false;     // from the last element
};

/// Sums; of bool, as int32. Shapes: x, or (elements,) without an axis.
Tensor cumsum(const Arg& x, const CumulateOptions& options = {});
/// Products; of bool, as int32.
Tensor cumprod(const Arg& x, const CumulateOptions& options = {});
/// The largest so far; where exclusive, it starts with the dtype's lowest.
Tensor cummax(const Arg& x, const CumulateOptions& options = {});
/// The smallest so far; where exclusive, it starts with the dtype's highest.
Tensor cummin(const Arg& x, const CumulateOptions& options = {});
/// log(cumsum(exp(x))), without overflow; integers become float32.
Tensor logcumsumexp(const Arg& x, const CumulateOptions& options = {});
/// TensorFlow's name of logcumsumexp.
Tensor cumulative_logsumexp(const Arg& x, const CumulateOptions& options = {});

/// The differences of neighbours along `axis`, `n` times; one element fewer
/// each time.
struct DiffOptions {
  int n = 1;
  int axis = -1;
};
Tensor diff(const Arg& x, const DiffOptions& options = {});

}  // namespace systolic
