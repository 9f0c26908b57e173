#include "systolic/ops/catalog.h"

namespace systolic::internal::ops {

std::vector<Family> families() {
  return {
      {"intrinsics", graph::intrinsics_catalog()},
      {"math", math_catalog()},
      {"complex", complex_catalog()},
      {"unary", unary_catalog()},
      {"trigonometry", trigonometry_catalog()},
      {"arithmetic", arithmetic_catalog()},
      {"bitwise", bitwise_catalog()},
      {"special", special_catalog()},
      {"incomplete", incomplete_catalog()},
      {"bessel", bessel_catalog()},
      {"reductions", reductions_catalog()},
      {"cumulative", cumulative_catalog()},
      {"segment", segment_catalog()},
      {"manipulation", manipulation_catalog()},
      {"slicing", slicing_catalog()},
      {"gather", gather_catalog()},
      {"sort", sort_catalog()},
      {"linear", linear_catalog()},
      {"triangular", triangular_catalog()},
      {"decompositions", decompositions_catalog()},
      {"lu", lu_catalog()},
      {"fft", fft_catalog()},
      {"conv", conv_catalog()},
      {"pooling", pooling_catalog()},
      {"average_pooling", average_pooling_catalog()},
      {"nn", nn_catalog()},
      {"random", random_catalog()},
      {"collective", collective_catalog()},
      {"exchange", exchange_catalog()},
      {"loops", loop_catalog()},
      {"branches", branches_catalog()},
      {"custom_gradient", custom_gradient_catalog()},
      {"recompute_grad", recompute_grad_catalog()},
  };
}

std::vector<const graph::OpDef*> catalog() {
  std::vector<const graph::OpDef*> all;
  for (const Family& family : families()) {
    all.insert(all.end(), family.ops.begin(), family.ops.end());
  }
  return all;
}

}  // namespace systolic::internal::ops
