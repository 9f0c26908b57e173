// Statements that look positions up in values: gather, scatter and sort.
//   Value rows = gather_nd(e, x, indices);
#pragma once

#include <span>
#include <vector>

#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {

/// What scatter_nd does with an element and its update.
enum class ScatterMode : uint8_t { replace, add, maximum, minimum };

/// Slices of `x` at index vectors. Shapes: x (a..., b...), indices (i..., k)
/// for k axes a -> (i..., b...). Indices outside are clamped.
Value gather_nd(Emitter& e, const Value& x, const Value& indices);

/// `x` with the slices at index vectors combined with `updates`. Shapes: x
/// (a..., b...), indices (i..., k), updates (i..., b...). Updates outside are
/// left out.
Value scatter_nd(Emitter& e, const Value& x, const Value& indices,
                 const Value& updates, ScatterMode mode);

/// The operands in the order of the first one along `axis`: stable, NaN last
/// (descending: first).
std::vector<Value> sort(Emitter& e, std::span<const Value> operands,
                        int64_t axis, bool descending);

}  // namespace systolic::internal::stablehlo
