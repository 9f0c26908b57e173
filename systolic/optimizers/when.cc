// Tested by: systolic/optimizers/loss_scale_optimizer_platform_test.cc
#include "systolic/optimizers/when.h"

#include "systolic/ops/control_flow.h"

namespace systolic::internal {

void when(const Tensor& condition, const std::function<void()>& body) {
  cond(condition, body, [] {});
}

}  // namespace systolic::internal
