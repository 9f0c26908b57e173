#include "systolic/ops/catalog.h"

namespace systolic::internal::ops {

std::vector<const graph::OpDef*> catalog() {
  std::vector<const graph::OpDef*> all;
  for (const auto family :
       {graph::intrinsics_catalog(), math_catalog(), unary_catalog(),
        reductions_catalog(), manipulation_catalog(), slicing_catalog(),
        linear_catalog(), conv_catalog(), pooling_catalog(),
        average_pooling_catalog(), nn_catalog(), random_catalog(),
        collective_catalog(), control_flow_catalog()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace systolic::internal::ops
