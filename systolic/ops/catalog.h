// The catalogue of all ops: what the op contract and the reference read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"

namespace systolic::internal::ops {

std::span<const graph::OpDef* const> math_catalog();
std::span<const graph::OpDef* const> complex_catalog();
std::span<const graph::OpDef* const> unary_catalog();
std::span<const graph::OpDef* const> trigonometry_catalog();
std::span<const graph::OpDef* const> arithmetic_catalog();
std::span<const graph::OpDef* const> bitwise_catalog();
std::span<const graph::OpDef* const> special_catalog();
std::span<const graph::OpDef* const> incomplete_catalog();
std::span<const graph::OpDef* const> bessel_catalog();
std::span<const graph::OpDef* const> reductions_catalog();
std::span<const graph::OpDef* const> cumulative_catalog();
std::span<const graph::OpDef* const> segment_catalog();
std::span<const graph::OpDef* const> manipulation_catalog();
std::span<const graph::OpDef* const> linear_catalog();
std::span<const graph::OpDef* const> triangular_catalog();
std::span<const graph::OpDef* const> decompositions_catalog();
std::span<const graph::OpDef* const> lu_catalog();
std::span<const graph::OpDef* const> fft_catalog();
std::span<const graph::OpDef* const> slicing_catalog();
std::span<const graph::OpDef* const> gather_catalog();
std::span<const graph::OpDef* const> sort_catalog();
std::span<const graph::OpDef* const> conv_catalog();
std::span<const graph::OpDef* const> pooling_catalog();
std::span<const graph::OpDef* const> average_pooling_catalog();
std::span<const graph::OpDef* const> nn_catalog();
std::span<const graph::OpDef* const> random_catalog();
std::span<const graph::OpDef* const> collective_catalog();
std::span<const graph::OpDef* const> exchange_catalog();
std::span<const graph::OpDef* const> loop_catalog();
std::span<const graph::OpDef* const> branches_catalog();
std::span<const graph::OpDef* const> custom_gradient_catalog();
std::span<const graph::OpDef* const> recompute_grad_catalog();

/// A reduction's result brought back to the shape of input 0.
stablehlo::Value spread(graph::Lower& l, const stablehlo::Value& value,
                        int64_t axis);

/// The ops of one source, under the name of its family.
struct Family {
  std::string_view name;
  std::span<const graph::OpDef* const> ops;
};

/// The families, in the order in which the reference has them.
std::vector<Family> families();

/// Every op, family by family.
std::vector<const graph::OpDef*> catalog();

}  // namespace systolic::internal::ops
