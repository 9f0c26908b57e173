// The one loop of all: while_loop, for_loop, scan, and their gradients.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "systolic/graph/tensor.h"

namespace systolic::internal::ops {

/// What a turn of a loop gives, and the loop itself: the carried values, and
/// a row (from the loop: a stack) for each other result.
struct LoopValues {
  std::vector<Tensor> carried;
  std::vector<Tensor> stacked;
};

struct Loop {
  /// "while_loop" or "scan": in messages.
  std::string_view name;
  /// The first values of what is carried.
  std::vector<Tensor> carried = {};
  /// Stacks: each turn sees a row of each.
  std::vector<Tensor> sequences = {};
  /// Whether there is another turn; null: `length` or `count` of them.
  std::function<Tensor(const std::vector<Tensor>& carried)> condition = {};
  std::function<LoopValues(const LoopValues& turn)> body;
  /// The most turns, and the rows of the stacks; -1: no bound, so that there
  /// are no stacks and there is no gradient.
  int64_t length = -1;
  /// How many turns (int32); undefined: `length`.
  Tensor count = {};
  /// From the last row to the first.
  bool reverse = false;
  SourceLocation where;
};

/// Records the loop. Throws where the body changes what is carried.
LoopValues run_loop(const Loop& loop);

}  // namespace systolic::internal::ops
