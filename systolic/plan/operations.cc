#include "systolic/plan/operations.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "systolic/base/message.h"
#include "systolic/plan/beside.h"
#include "systolic/plan/matrix_work.h"
#include "systolic/plan/traffic.h"
#include "systolic/plan/trips.h"

namespace systolic::internal::plan {
namespace {

constexpr int kMostDepth = 100;

// What costs no time of its own.
constexpr std::array<std::string_view, 16> kFree{
    "parameter",   "constant", "tuple",        "get-tuple-element",
    "bitcast",     "while",    "call",         "conditional",
    "after-all",   "iota",     "partition-id", "replica-id",
    "opt-barrier", "domain",   "infeed",       "outfeed"};

std::optional<CollectiveKind> collective_kind(std::string_view opcode) {
  constexpr std::string_view kStart = "-start";
  if (opcode.ends_with(kStart)) opcode.remove_suffix(kStart.size());
  if (opcode == "all-reduce") return CollectiveKind::all_reduce;
  if (opcode == "all-gather") return CollectiveKind::all_gather;
  if (opcode == "reduce-scatter") return CollectiveKind::reduce_scatter;
  if (opcode == "all-to-all") return CollectiveKind::all_to_all;
  if (opcode == "collective-permute") return CollectiveKind::permute;
  return std::nullopt;
}

const HloShape& shape_of(const HloComputation& computation,
                         const HloInstruction& instruction, size_t operand) {
  static const HloShape none;
  if (operand >= instruction.operands.size()) return none;
  const HloInstruction* made = computation.find(instruction.operands[operand]);
  return made == nullptr ? none : made->shape;
}

bool is_product(const HloInstruction& instruction) {
  return instruction.opcode == "convolution" || instruction.opcode == "dot";
}

// Memory that is set aside is a custom call of nothing.
bool is_free(const HloInstruction& instruction) {
  return std::ranges::find(kFree, instruction.opcode) != kFree.end() ||
         (instruction.opcode == "custom-call" && instruction.operands.empty());
}

// The instruction of a fusion that it is named by: its convolution or matrix
// product, which takes the time, that of the fusion's own name before others;
// else its root; else its largest.
class Namesake {
 public:
  Namesake(const HloModule& module, const HloInstruction& fusion)
      : module_(module), own_(fusion.op_name) {
    for (const int64_t callee : fusion.computations) {
      look(module.computation(callee), true);
    }
  }

  // The fusion itself, where nothing inside says it better.
  const HloInstruction& get(const HloInstruction& fusion) const {
    if (product_ != nullptr) return *product_;
    if (!own_.empty()) return fusion;
    if (root_ != nullptr) return *root_;
    return largest_ != nullptr ? *largest_ : fusion;
  }

 private:
  void look(const HloComputation& computation, bool is_outermost) {
    for (const HloInstruction& inner : computation.instructions) {
      if (inner.opcode == "fusion") {
        for (const int64_t callee : inner.computations) {
          look(module_.computation(callee), false);
        }
      }
      if (inner.op_name.empty()) continue;
      if (is_product(inner) && (product_ == nullptr || inner.op_name == own_)) {
        product_ = &inner;
      }
      if (is_outermost && inner.id == computation.root) root_ = &inner;
      if (largest_ == nullptr ||
          inner.shape.bytes() > largest_->shape.bytes()) {
        largest_ = &inner;
      }
    }
  }

  const HloModule& module_;
  const std::string& own_;
  const HloInstruction* product_ = nullptr;
  const HloInstruction* root_ = nullptr;
  const HloInstruction* largest_ = nullptr;
};

// Whether an instruction works on the program's arguments alone.
bool of_arguments(const HloComputation& computation,
                  const HloInstruction& instruction) {
  return !instruction.operands.empty() &&
         std::ranges::all_of(instruction.operands, [&](int64_t id) {
           const HloInstruction* operand = computation.find(id);
           while (operand != nullptr && !operand->operands.empty() &&
                  (operand->opcode == "bitcast" ||
                   operand->opcode == "copy-done" ||
                   operand->opcode == "copy-start")) {
             operand = computation.find(operand->operands[0]);
           }
           return operand != nullptr && operand->opcode == "parameter";
         });
}

class Walk {
 public:
  Walk(const HloModule& module, int tile) : module_(module), tile_(tile) {}

  ProgramWork run() {
    walk(module_.entry(), {});
    for (auto& [place, operation] : operations_) {
      work_.operations.push_back(std::move(operation));
    }
    return std::move(work_);
  }

 private:
  // How often something is done, and beside what.
  struct Turn {
    double times = 1;
    bool is_beside = false;  // in an asynchronous computation
    double beside = 0;       // cycles that are computed meanwhile
  };

  void walk(const HloComputation& computation, const Turn& turn) {
    if (++depth_ > kMostDepth) {
      Message("plan")
          .rule("computations of the module call each other without end")
          .detail("module", module_.name)
          .raise<DataError>();
    }
    for (const HloInstruction& instruction : computation.instructions) {
      visit(computation, instruction, turn);
    }
    --depth_;
  }

  void visit(const HloComputation& computation,
             const HloInstruction& instruction, Turn turn) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "while") {
      visit_loop(computation, instruction, turn);
    } else if (opcode == "conditional") {
      visit_branches(instruction, turn);
    } else if (opcode == "call" || opcode == "async-start") {
      if (opcode != "call") {
        turn.is_beside = true;
        turn.beside = cycles_beside(computation, instruction);
      }
      for (const int64_t callee : instruction.computations) {
        walk(module_.computation(callee), turn);
      }
    } else if (collective_kind(opcode)) {
      if (opcode.ends_with("-start")) {
        turn.beside = cycles_beside(computation, instruction);
      }
      add_collective(computation, instruction, turn);
    } else if (opcode.ends_with("-start")) {
      work_.overlapped_copies +=
          turn.times * traffic(module_, computation, instruction);
    } else if (!opcode.ends_with("-done") && opcode != "async-update" &&
               !is_free(instruction) && !is_offloaded(instruction, turn)) {
      add_operation(computation, instruction, turn);
    }
  }

  void visit_loop(const HloComputation& computation, const HloInstruction& loop,
                  Turn turn) {
    int64_t trips = trips_of(module_, computation, loop);
    if (trips == 0) {
      trips = 1;
      ++work_.loops_of_unknown_length;
    }
    turn.times *= static_cast<double>(trips);
    // The body, then the condition, which is tiny.
    for (const int64_t callee : loop.computations) {
      walk(module_.computation(callee), turn);
    }
  }

  // Of the branches the one that takes longest.
  void visit_branches(const HloInstruction& choice, const Turn& turn) {
    ++work_.branches;
    int64_t longest = 0;
    double most = -1;
    for (const int64_t callee : choice.computations) {
      Walk branch(module_, tile_);
      branch.depth_ = depth_;
      branch.walk(module_.computation(callee), {});
      const double cycles = branch.run_cycles();
      if (cycles > most) {
        most = cycles;
        longest = callee;
      }
    }
    if (most >= 0) walk(module_.computation(longest), turn);
  }

  // Whether a custom call is a collective that other cores of the chip work,
  // as on tpu7x; it is added then.
  bool is_offloaded(const HloInstruction& instruction, const Turn& turn) {
    if (instruction.opcode != "custom-call") return false;
    bool found = false;
    for (const int64_t callee : instruction.computations) {
      const HloComputation& called = module_.computation(callee);
      for (const HloInstruction& inner : called.instructions) {
        if (!collective_kind(inner.opcode)) continue;
        add_collective(called, inner, turn);
        found = true;
      }
    }
    return found;
  }

  double run_cycles() const {
    double sum = 0;
    for (const auto& [place, operation] : operations_) sum += operation.cycles;
    return sum;
  }

  void add_collective(const HloComputation& computation,
                      const HloInstruction& instruction, const Turn& turn) {
    CollectiveWork one{.kind = *collective_kind(instruction.opcode),
                       .replicas = instruction.group_size,
                       .times = turn.times,
                       .beside = turn.beside};
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      one.bytes +=
          static_cast<double>(shape_of(computation, instruction, i).bytes());
    }
    work_.collectives.push_back(one);
  }

  // Collectives and matrix products inside a fusion.
  MatrixWork inside(const HloComputation& computation,
                    const HloInstruction& instruction, const Turn& turn) {
    MatrixWork work =
        matrix_work(instruction, shape_of(computation, instruction, 0),
                    shape_of(computation, instruction, 1), tile_);
    if (instruction.opcode != "fusion") return work;
    for (const int64_t callee : instruction.computations) {
      const HloComputation& fused = module_.computation(callee);
      for (const HloInstruction& inner : fused.instructions) {
        if (collective_kind(inner.opcode)) {
          add_collective(fused, inner, turn);
        }
        work += inside(fused, inner, turn);
      }
    }
    return work;
  }

  void add_operation(const HloComputation& computation,
                     const HloInstruction& instruction, Turn turn) {
    const double times = turn.times;
    const double bytes = traffic(module_, computation, instruction);
    const bool is_unpriced = instruction.cycles == 0;
    if (turn.is_beside && is_unpriced) {
      work_.overlapped_copies += times * bytes;
      return;
    }
    const HloInstruction& named =
        instruction.opcode == "fusion"
            ? Namesake(module_, instruction).get(instruction)
            : instruction;
    OpName place = split_op_name(named.op_name);
    if (place.op.empty()) {
      // The compiler's own: nobody's layer, or how arguments are made ready.
      // Fusions without a name stay apart.
      place.layer = of_arguments(computation, instruction) ? "arguments" : "";
      place.op = instruction.opcode == "fusion" ? instruction.name
                                                : instruction.opcode;
    }
    OperationWork& sum =
        operations_[std::tuple(place.layer, place.op, named.where)];
    sum.layer = place.layer;
    sum.name = place.op;
    sum.where = named.where;
    sum.cycles += times * static_cast<double>(instruction.cycles);
    sum.bytes += times * bytes;
    if (is_unpriced) sum.unpriced_bytes += times * bytes;
    // Collectives in it are beside what it computes.
    turn.beside = static_cast<double>(instruction.cycles);
    const MatrixWork work = inside(computation, instruction, turn);
    sum.flops += times * work.flops;
    sum.padded_flops += times * work.padded_flops;
  }

  const HloModule& module_;
  int tile_;
  int depth_ = 0;
  ProgramWork work_;
  std::map<std::tuple<std::string, std::string, std::string>, OperationWork>
      operations_;
};

}  // namespace

double ProgramWork::cycles() const {
  double sum = 0;
  for (const OperationWork& operation : operations) sum += operation.cycles;
  return sum;
}

OpName split_op_name(std::string_view op_name) {
  // The compiler joins the names of what it has put together.
  op_name = op_name.substr(0, op_name.find(';'));
  const size_t slash = op_name.rfind('/');
  if (slash == op_name.npos) return {"", std::string(op_name)};
  return {std::string(op_name.substr(0, slash)),
          std::string(op_name.substr(slash + 1))};
}

ProgramWork program_work(const HloModule& module, int tile) {
  return Walk(module, tile).run();
}

}  // namespace systolic::internal::plan
