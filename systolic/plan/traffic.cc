#include "systolic/plan/traffic.h"

#include <algorithm>
#include <string_view>

namespace systolic::internal::plan {
namespace {

bool is_slice(std::string_view opcode) {
  return opcode == "dynamic-slice" || opcode == "slice" || opcode == "gather";
}

// The bytes of the value `id` that the instructions of a computation read, at
// most `all`.
double read_of(const HloModule& module, const HloComputation& computation,
               int64_t id, double all);

double read_of_parameter(const HloModule& module, int64_t callee,
                         size_t position, double all) {
  const HloComputation& computation = module.computation(callee);
  for (const HloInstruction& inner : computation.instructions) {
    if (inner.opcode == "parameter" &&
        inner.parameter == static_cast<int64_t>(position)) {
      return read_of(module, computation, inner.id, all);
    }
  }
  return all;
}

double read_by(const HloModule& module, const HloComputation& computation,
               const HloInstruction& user, size_t position, double all) {
  if (is_slice(user.opcode) && position == 0) {
    return static_cast<double>(user.shape.bytes());
  }
  // What is updated in place is not read.
  if (user.opcode == "dynamic-update-slice" && position == 0) return 0;
  if (user.opcode == "bitcast") {
    return user.id == computation.root
               ? all
               : read_of(module, computation, user.id, all);
  }
  if (user.opcode == "fusion" && !user.computations.empty()) {
    return read_of_parameter(module, user.computations.front(), position, all);
  }
  return all;
}

double read_of(const HloModule& module, const HloComputation& computation,
               int64_t id, double all) {
  double read = 0;
  for (const HloInstruction& user : computation.instructions) {
    for (size_t i = 0; i < user.operands.size(); ++i) {
      if (user.operands[i] != id) continue;
      read += read_by(module, computation, user, i, all);
      if (read >= all) return all;
    }
  }
  return read;
}

// The bytes that computing `id` writes.
double written_of(const HloModule& module, const HloComputation& computation,
                  int64_t id) {
  const HloInstruction* made = computation.find(id);
  if (made == nullptr) return 0;
  if (made->opcode == "dynamic-update-slice" && made->operands.size() > 1) {
    const HloInstruction* update = computation.find(made->operands[1]);
    if (update != nullptr) return static_cast<double>(update->shape.bytes());
  }
  if (made->opcode == "bitcast" && !made->operands.empty()) {
    return written_of(module, computation, made->operands[0]);
  }
  if (made->opcode == "fusion" && !made->computations.empty()) {
    const HloComputation& callee = module.computation(made->computations[0]);
    return written_of(module, callee, callee.root);
  }
  if (made->opcode != "tuple") {
    return static_cast<double>(made->shape.bytes());
  }
  double written = 0;
  for (const int64_t part : made->operands) {
    written += written_of(module, computation, part);
  }
  return written;
}

}  // namespace

double traffic(const HloModule& module, const HloComputation& computation,
               const HloInstruction& instruction) {
  // Of an asynchronous copy, what it gives beside what it was given.
  if (instruction.opcode.ends_with("-start") &&
      !instruction.shape.parts.empty()) {
    double copied = static_cast<double>(
        instruction.shape.parts.front().large_memory_bytes());
    for (const int64_t operand : instruction.operands) {
      const HloInstruction* given = computation.find(operand);
      if (given == nullptr) continue;
      copied += static_cast<double>(given->shape.large_memory_bytes());
    }
    return copied;
  }
  double bytes =
      std::min(static_cast<double>(instruction.shape.large_memory_bytes()),
               written_of(module, computation, instruction.id));
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const HloInstruction* operand = computation.find(instruction.operands[i]);
    if (operand == nullptr) continue;
    const auto all = static_cast<double>(operand->shape.large_memory_bytes());
    bytes += read_by(module, computation, instruction, i, all);
  }
  return bytes;
}

}  // namespace systolic::internal::plan
