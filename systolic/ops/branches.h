// One of several branches on the device: cond, switch_case, their gradients.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "systolic/graph/tensor.h"

namespace systolic::internal::ops {

struct Branches {
  /// "cond" or "switch_case": in messages.
  std::string_view name;
  /// Which branch (int32; one that is outside means the last), or whether it
  /// is the first (bool).
  Tensor index;
  std::vector<std::function<std::vector<Tensor>()>> branches = {};
  SourceLocation where;
};

/// Records them all, of which one runs. Throws where their results differ in
/// number or spec.
std::vector<Tensor> run_branches(const Branches& branches);

}  // namespace systolic::internal::ops
