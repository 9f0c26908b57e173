#include "systolic/plan/trips.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace systolic::internal::plan {
namespace {

constexpr std::string_view kTrips = "[trips=";

// The instruction of an operand, behind copies and bitcasts.
const HloInstruction* operand_of(const HloComputation& computation,
                                 const HloInstruction& user, size_t place) {
  constexpr int kMostCopies = 8;
  if (place >= user.operands.size()) return nullptr;
  const HloInstruction* made = computation.find(user.operands[place]);
  for (int i = 0; i < kMostCopies && made != nullptr; ++i) {
    const bool is_copy = made->opcode == "copy" || made->opcode == "bitcast";
    if (!is_copy || made->operands.empty()) return made;
    made = computation.find(made->operands[0]);
  }
  return nullptr;
}

// Which part of the carried values an instruction is; nothing for others.
std::optional<size_t> carried(const HloInstruction* instruction) {
  if (instruction == nullptr || instruction->opcode != "get-tuple-element") {
    return std::nullopt;
  }
  return static_cast<size_t>(instruction->tuple_index);
}

// A loop taken apart: its body and its condition's comparison.
struct Loop {
  const HloComputation* body = nullptr;
  const HloInstruction* next = nullptr;  // the tuple that the body returns
  const HloComputation* condition = nullptr;
  const HloInstruction* compare = nullptr;
  const HloInstruction* first = nullptr;  // the tuple that it begins with
};

std::optional<Loop> take_apart(const HloModule& module,
                               const HloComputation& computation,
                               const HloInstruction& instruction) {
  Loop loop;
  for (const int64_t callee : instruction.computations) {
    const HloComputation& called = module.computation(callee);
    const HloInstruction* root = called.find(called.root);
    if (root == nullptr) return std::nullopt;
    if (root->opcode == "compare") {
      loop.condition = &called;
      loop.compare = root;
    } else if (root->opcode == "tuple") {
      loop.body = &called;
      loop.next = root;
    }
  }
  loop.first = operand_of(computation, instruction, 0);
  const bool is_whole = loop.compare != nullptr && loop.next != nullptr &&
                        loop.first != nullptr && loop.first->opcode == "tuple";
  return is_whole ? std::optional(loop) : std::nullopt;
}

std::optional<int64_t> constant(const HloInstruction* instruction) {
  return instruction == nullptr ? std::nullopt : instruction->constant;
}

// The constant that part `place` of the carried values begins with.
std::optional<int64_t> begins_with(const HloComputation& computation,
                                   const Loop& loop, size_t place) {
  return constant(operand_of(computation, *loop.first, place));
}

// What a turn adds to part `place`.
std::optional<int64_t> step_of(const Loop& loop, size_t place) {
  const HloInstruction* add = operand_of(*loop.body, *loop.next, place);
  if (add == nullptr || add->opcode != "add") return std::nullopt;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    if (carried(operand_of(*loop.body, *add, side)) != place) continue;
    return constant(operand_of(*loop.body, *add, 1 - side));
  }
  return std::nullopt;
}

// The limit: a constant of the condition, or one that is carried unchanged.
std::optional<int64_t> limit_of(const HloComputation& computation,
                                const Loop& loop) {
  const HloInstruction* limit = operand_of(*loop.condition, *loop.compare, 1);
  const std::optional<size_t> place = carried(limit);
  if (!place) return constant(limit);
  if (carried(operand_of(*loop.body, *loop.next, *place)) != place) {
    return std::nullopt;
  }
  return begins_with(computation, loop, *place);
}

int64_t trips_of_constants(const HloModule& module,
                           const HloComputation& computation,
                           const HloInstruction& instruction) {
  const std::optional<Loop> loop = take_apart(module, computation, instruction);
  if (!loop) return 0;
  const bool is_inclusive = loop->compare->comparison == "LE";
  if (!is_inclusive && loop->compare->comparison != "LT") return 0;
  const std::optional<size_t> place =
      carried(operand_of(*loop->condition, *loop->compare, 0));
  if (!place) return 0;
  const std::optional<int64_t> from = begins_with(computation, *loop, *place);
  const std::optional<int64_t> to = limit_of(computation, *loop);
  const std::optional<int64_t> step = step_of(*loop, *place);
  constexpr int64_t kMost = int64_t{1} << 40;
  if (!from || !to || !step || *step < 1 || *step > kMost || *to > kMost ||
      *from < -kMost || *from > *to) {
    return 0;
  }
  const int64_t distance = *to - *from + (is_inclusive ? 1 : 0);
  return (distance + *step - 1) / *step;
}

}  // namespace

int64_t trips_of(const HloModule& module, const HloComputation& computation,
                 const HloInstruction& loop) {
  if (loop.trips > 0) return loop.trips;
  const int64_t counted = trips_of_constants(module, computation, loop);
  return counted > 0 ? counted : trips_of_name(loop.op_name);
}

int64_t trips_of_name(std::string_view op_name) {
  const size_t start = op_name.rfind(kTrips);
  if (start == op_name.npos || !op_name.ends_with(']')) return 0;
  const char* first = op_name.data() + start + kTrips.size();
  const char* last = op_name.data() + op_name.size() - 1;
  int64_t trips = 0;
  const auto [end, error] = std::from_chars(first, last, trips);
  return error == std::errc() && end == last ? std::max<int64_t>(trips, 0) : 0;
}

}  // namespace systolic::internal::plan
