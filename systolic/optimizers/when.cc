// Tested by: systolic/optimizers/loss_scale_optimizer_platform_test.cc
#include "systolic/optimizers/when.h"

#include "systolic/ops/control_flow.h"
#include "systolic/ops/math.h"

namespace systolic::internal {

void when(const Tensor& condition, const std::function<void()>& body) {
  // A loop of one turn or none: it carries what the body assigns.
  for_loop(cast(condition, DType::int32), [&](const Tensor&) { body(); });
}

}  // namespace systolic::internal
