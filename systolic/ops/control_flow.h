// Control flow on the device.
//
//   std::vector<Tensor> out = while_loop(
//       [&](const std::vector<Tensor>& v) { return v[0] < n; },
//       [](const std::vector<Tensor>& v) { return std::vector{v[0] + 1}; },
//       {constant(Array::scalar(0))});
//
// A body is recorded once; Variables it reads or assigns are carried.
#pragma once

#include <functional>
#include <vector>

#include "systolic/graph/arg.h"

namespace systolic {

using LoopCondition = std::function<Tensor(const std::vector<Tensor>&)>;
using LoopBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Runs `body` while `condition` is true; returns the last values. The specs
/// of the values must not change. Throws ShapeError naming the one that does.
std::vector<Tensor> while_loop(
    const LoopCondition& condition, const LoopBody& body,
    const std::vector<Tensor>& loop_vars,
    SourceLocation where = SourceLocation::current());

/// Runs `body(i)` for i = 0 ... count - 1 on the device (int32; `count` may
/// be a value of the program). What it changes are Variables.
void for_loop(const Arg& count, const std::function<void(const Tensor&)>& body,
              SourceLocation where = SourceLocation::current());

}  // namespace systolic
