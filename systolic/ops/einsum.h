// Products of Tensors by names of axes.
//
//   Tensor y = einsum("bij,bjk->bik", {a, b});
//   Tensor trace = einsum("ii", {x});
#pragma once

#include <string_view>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// The sum of products that `subscripts` describe in NumPy's notation: letters
/// for axes, "..." for any others (which broadcast), a letter twice in one
/// term for its diagonal, and without "->" the letters that occur once, in
/// alphabetical order. Operands promote to one dtype. Throws ValueError for
/// subscripts that do not fit, ShapeError for sizes that differ.
Tensor einsum(std::string_view subscripts, const std::vector<Tensor>& operands,
              SourceLocation where = SourceLocation::current());

}  // namespace systolic
