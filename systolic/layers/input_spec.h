// InputSpec: what a layer needs of its input's shape.
//
//   set_input_spec({.min_rank = 2, .axes = {{-1, 784}}});
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "systolic/array/spec.h"
#include "systolic/base/error.h"

namespace systolic::layers {

// Rules on an input; -1 and empty stand for no rule. Unknown sizes (-1) of
// the input satisfy every rule.
struct InputSpec {
  int rank = -1;
  int min_rank = -1;
  int max_rank = -1;
  // Sizes of axes; negative axes count from the end.
  std::vector<std::pair<int, int64_t>> axes = {};
  // How to give the input another rank, for the hint.
  std::string hint = {};
  // The shape that the layer was built for, for messages.
  Shape built_for = {};
};

// Checks a shape against the rules. `who` names the layer and `shown` is the
// input as messages print it.
// Throws: ShapeError.
void check_input(const InputSpec& spec, const Shape& shape,
                 const std::string& who, const std::string& shown,
                 const SourceLocation& where);

}  // namespace systolic::layers
