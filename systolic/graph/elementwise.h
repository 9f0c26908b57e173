// What all elementwise ops share: shape rule and lowering with broadcasting.
#pragma once

#include <string_view>

#include "systolic/graph/op.h"

namespace systolic::internal::graph {

/// One shape rule for all elementwise ops: inputs of one dtype, broadcast.
Specs infer_elementwise(Infer& in);

/// As infer_elementwise, for arithmetic: not of float8, which is storage.
Specs infer_arithmetic(Infer& in);

/// As infer_arithmetic, for what bool does not have.
Specs infer_number(Infer& in);

/// As infer_arithmetic, for what needs an order: not of complex numbers.
Specs infer_ordered(Infer& in);

/// Throws TypeError where an input is complex: such numbers have no order.
void refuse_complex(const Infer& in);

/// Throws TypeError where an input is float8: it is cast before arithmetic.
void refuse_float8(const Infer& in);

/// As infer_elementwise, with bool for the result.
Specs infer_predicate(Infer& in);

/// Writes `stablehlo.<op>` on the inputs, broadcast to the result's shape.
Values lower_elementwise(Lower& l, std::string_view op);

/// The ops that the graph defines itself.
std::span<const OpDef* const> intrinsics_catalog();

/// The inputs broadcast to the result's shape.
Values broadcast_inputs(Lower& l);

}  // namespace systolic::internal::graph
