// evaluate: computes pending values; the boundary where graphs are launched.
#pragma once

#include <span>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/program.h"

namespace systolic::internal::graph {

/// Computes a value unless it is there already.
void evaluate(const Ref& ref);

/// Computes several values, together where they share a placement.
void evaluate(std::span<const Ref> refs);

/// The value as a leaf that holds its data; it must not be pending.
Tensor as_data(const Tensor& value);

/// Launches a step that computes `roots`; each takes the memory of the value
/// it replaces where nobody but `roots` and the step itself holds that.
void launch_step(std::vector<Root>& roots, const Placement* placement);

/// Computes the value if need be and returns where it is.
StoragePtr storage_of(const Ref& ref);

}  // namespace systolic::internal::graph
