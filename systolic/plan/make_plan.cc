// Tested by: systolic/plan/make_plan_platform_test.cc
#include "systolic/plan/make_plan.h"

#include "systolic/base/message.h"
#include "systolic/plan/advice.h"
#include "systolic/plan/compiled.h"
#include "systolic/plan/estimate.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::plan {

systolic::plan::Plan make_plan(
    const Request& request,
    const std::function<void(std::string_view)>& progress) {
  const platforms::TpuSlice slice =
      platforms::parse_tpu_topology(request.topology);
  Request asked = request;
  if (asked.replicas == 0) asked.replicas = slice.devices;
  if (asked.replicas < 1 || asked.replicas > slice.devices) {
    Message("plan")
        .expected("at most ", slice.devices, " replicas, as ", slice.name(),
                  " has devices")
        .got(asked.replicas)
        .raise<ValueError>();
  }
  const Compiled compiled =
      compile_for_plan({.text = asked.text,
                        .slice = slice.name(),
                        .replicas = asked.replicas,
                        .tile = slice.generation->matrix_unit_size},
                       progress);
  systolic::plan::Plan plan = estimate(asked, slice, compiled);
  plan.advice = advice(plan, asked);
  return plan;
}

}  // namespace systolic::internal::plan
