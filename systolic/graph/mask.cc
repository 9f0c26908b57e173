// Tested by: systolic/layers/core/masking_platform_test.cc
#include "systolic/graph/mask.h"

#include <utility>

#include "systolic/graph/node.h"

namespace systolic::internal::graph {

Tensor mask_of(const Tensor& value) {
  const Ref& ref = value.ref();
  if (ref.node->masks == nullptr) return {};
  return (*ref.node->masks)[static_cast<size_t>(ref.output)];
}

void set_mask(const Tensor& value, const Tensor& mask) {
  const Ref& ref = value.ref();
  auto masks = ref.node->masks == nullptr
                   ? std::make_shared<std::vector<Tensor>>(
                         static_cast<size_t>(ref.node->num_outputs))
                   : std::make_shared<std::vector<Tensor>>(*ref.node->masks);
  (*masks)[static_cast<size_t>(ref.output)] = mask;
  ref.node->masks = std::move(masks);
}

}  // namespace systolic::internal::graph
