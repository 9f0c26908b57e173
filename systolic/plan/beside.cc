#include "systolic/plan/beside.h"

#include <algorithm>
#include <vector>

namespace systolic::internal::plan {
namespace {

// The instructions in the order in which they run.
std::vector<const HloInstruction*> in_order(const HloComputation& computation) {
  std::vector<const HloInstruction*> order;
  for (const int64_t id : computation.schedule) {
    const HloInstruction* one = computation.find(id);
    if (one != nullptr) order.push_back(one);
  }
  if (!order.empty()) return order;
  for (const HloInstruction& one : computation.instructions) {
    order.push_back(&one);
  }
  return order;
}

}  // namespace

double cycles_beside(const HloComputation& computation,
                     const HloInstruction& start) {
  int64_t current = start.id;
  double cycles = 0;
  bool has_begun = false;
  for (const HloInstruction* one : in_order(computation)) {
    if (one->id == start.id) {
      has_begun = true;
      continue;
    }
    if (!has_begun) continue;
    const bool is_next =
        std::ranges::find(one->operands, current) != one->operands.end();
    if (is_next && one->opcode.ends_with("-done")) return cycles;
    if (is_next && one->opcode == "async-update") {
      current = one->id;
      cycles = 0;
    }
    cycles += static_cast<double>(one->cycles);
  }
  return 0;
}

}  // namespace systolic::internal::plan
