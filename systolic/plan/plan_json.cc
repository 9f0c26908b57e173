// Tested by: systolic/plan/plan_test.cc
#include <nlohmann/json.hpp>

#include "systolic/plan/plan.h"

namespace systolic::plan {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Memory& memory) {
  return {{"available", memory.available},
          {"weights", memory.weights},
          {"optimizer", memory.optimizer},
          {"inputs", memory.inputs},
          {"activations", memory.activations},
          {"code", memory.code},
          {"peak", memory.peak}};
}

Json to_json(const Operation& operation) {
  return {{"layer", operation.layer},
          {"name", operation.name},
          {"where", operation.where},
          {"seconds", operation.seconds},
          {"share", operation.share},
          {"matrix_unit", operation.matrix_unit},
          {"padding_waste", operation.padding_waste}};
}

Json to_json(const Allocation& allocation) {
  return {{"bytes", allocation.bytes},
          {"shape", allocation.shape},
          {"name", allocation.name}};
}

template <class T>
Json to_list(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

std::string Plan::to_json() const {
  using plan::to_json;
  const Json json{{"topology", topology},
                  {"chips", chips},
                  {"cores", cores},
                  {"replicas", replicas},
                  {"program", program},
                  {"where", where},
                  {"batch_size", batch_size},
                  {"steps_per_execution", steps_per_execution},
                  {"fits", fits},
                  {"refusal", refusal},
                  {"largest", to_list(largest)},
                  {"memory", to_json(memory)},
                  {"compute_seconds", compute_seconds},
                  {"collective_seconds", collective_seconds},
                  {"input_seconds", input_seconds},
                  {"launch_seconds", launch_seconds},
                  {"step_seconds", step_seconds},
                  {"flops", flops},
                  {"matrix_unit", matrix_unit},
                  {"memory_bandwidth", memory_bandwidth},
                  {"padding_waste", padding_waste},
                  {"idle", idle},
                  {"bottleneck", bottleneck},
                  {"slowest", to_list(slowest)},
                  {"advice", advice},
                  {"assumptions", assumptions},
                  {"compile_seconds", compile_seconds},
                  {"from_cache", from_cache}};
  // A user's names may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace systolic::plan
