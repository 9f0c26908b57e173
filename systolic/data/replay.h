// Whether a state may say where a pass began in place of what it read.
//   if (gives_the_same_again(context)) state.write_string(start);
#pragma once

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// Whether a pass that begins at the same place gives the same elements in the
// same order: not where a node gives them in the order in which threads end.
inline bool gives_the_same_again(const IteratorContext& context) {
  return !context.run || !context.run->loses_order();
}

}  // namespace systolic::data::detail
