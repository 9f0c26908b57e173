#include "systolic/graph/judge.h"

#include <algorithm>
#include <set>
#include <string>

#include "systolic/base/message.h"
#include "systolic/graph/lowering_target.h"
#include "systolic/graph/miss_history.h"
#include "systolic/graph/op.h"
#include "systolic/graph/region.h"

namespace systolic::internal::graph {

namespace {

using runtime::JudgeException;
using runtime::TpuJudge;

// An op that is refused by itself.
struct Culprit {
  const Node* node = nullptr;
  std::string reason;
};

// The node as if its inputs were data: what it does, and nothing before it.
NodePtr alone(const Node& node) {
  NodePtr copy = make_node(NodeKind::operation, node.num_outputs);
  for (int i = 0; i < node.num_outputs; ++i) {
    copy->output(i).spec = node.output(i).spec;
  }
  std::vector<Ref> inputs;
  for (const Ref& input : node.inputs) {
    const bool is_literal = input.node->kind == NodeKind::literal;
    if (is_literal) {
      inputs.push_back(input);
      continue;
    }
    const NodePtr data = make_node(NodeKind::data, 1);
    data->first.spec = input.spec();
    inputs.push_back({data, 0});
  }
  copy->op = node.op;
  copy->options = node.options;
  copy->inputs = Refs(std::move(inputs));
  copy->where = node.where;
  copy->recorder = node.recorder;
  copy->placement = node.placement;
  copy->in_step = node.in_step;
  return copy;
}

// Finds which ops of a program a slice's compiler refuses.
class Search {
 public:
  Search(TpuJudge& judge, const TpuJudge::Slice& slice, int replicas)
      : judge_(judge), slice_(slice), replicas_(replicas) {}

  void look_at(const Node& node) {
    const size_t before = culprits_.size();
    if (node.op->regions != nullptr) {
      for (const auto& region : node.op->regions(node.options.get())) {
        for (const NodePtr& inner : operations_of(*region)) look_at(*inner);
      }
    }
    // A loop is refused for what is in it.
    if (culprits_.size() == before) try_alone(node);
  }

  std::vector<Culprit> take() { return std::move(culprits_); }

 private:
  void try_alone(const Node& node) {
    std::string text;
    try {
      const NodePtr copy = alone(node);
      std::vector<Root> roots;
      for (int i = 0; i < copy->num_outputs; ++i) {
        roots.push_back({Ref{copy, i}, {}});
      }
      text = Program(roots, copy->placement).emit({});
    } catch (const Error&) {
      return;  // a body that needs what is around it
    }
    if (!seen_.insert(text).second) return;
    std::string reason = judge_.refusal(text, replicas_, slice_);
    if (!reason.empty()) culprits_.push_back({&node, std::move(reason)});
  }

  TpuJudge& judge_;
  const TpuJudge::Slice& slice_;
  int replicas_;
  std::set<std::string> seen_;
  std::vector<Culprit> culprits_;
};

bool has_dtype(const Node& node, std::string_view dtype) {
  for (const Ref& input : node.inputs) {
    if (name(input.spec().dtype) == dtype) return true;
  }
  for (int i = 0; i < node.num_outputs; ++i) {
    if (name(node.output(i).spec.dtype) == dtype) return true;
  }
  return false;
}

const JudgeException* find_exception(
    const Node& node, std::span<const JudgeException> exceptions) {
  for (const JudgeException& exception : exceptions) {
    if (exception.op == node.op->name && has_dtype(node, exception.dtype)) {
      return &exception;
    }
  }
  return nullptr;
}

// "matmul(int64[2,2], int64[2,2])".
std::string call_text(const Node& node) {
  std::string text(node.op->name);
  char separator = '(';
  for (const Ref& input : node.inputs) {
    text += separator + input.spec().to_string();
    separator = ',';
  }
  return separator == '(' ? text + "()" : text + ")";
}

[[noreturn]] void refuse(const TpuJudge::Slice& slice, const Program& program,
                         const Culprit& culprit) {
  Message message("TPU " + slice.name);
  message.rule("its compiler refuses this program");
  message.detail("program", describe(program));
  if (culprit.node != nullptr) {
    message.detail("op", call_text(*culprit.node));
  }
  message.detail("reason", culprit.reason);
  if (culprit.node != nullptr) {
    message.at(culprit.node->where);
  } else if (!program.order().empty()) {
    message.at(program.order().back()->where);
  }
  throw PlatformError(message.str(), "PJRT_Compile", 0);
}

// float64 in its text: TPUs have none. Emulating it takes their compiler
// minutes where the same in float32 takes a second.
bool has_float64(const std::string& text) {
  return text.find("f64") != std::string::npos;
}

void judge_for(TpuJudge& judge, const TpuJudge::Slice& slice,
               const Program& program, const std::string& text,
               std::span<const JudgeException> exceptions) {
  using Outcome = TpuJudge::Outcome;
  const std::string program_name = describe(program);
  if (has_float64(text)) {
    TpuJudge::report(text, slice, Outcome::float64, program_name);
    return;
  }
  const Placement& placement = *program.placement();
  const int replicas =
      placement.is_replicated() ? placement.num_replicas() : slice.devices;
  const std::string reason = judge.refusal(text, replicas, slice);
  if (reason.empty()) {
    TpuJudge::report(text, slice, Outcome::compiles, program_name);
    return;
  }
  Search search(judge, slice, replicas);
  for (const Node* node : program.order()) search.look_at(*node);
  const std::vector<Culprit> culprits = search.take();
  std::string reasons;
  const Culprit whole{nullptr, reason};
  const Culprit* unexpected = culprits.empty() ? &whole : nullptr;
  for (const Culprit& culprit : culprits) {
    const JudgeException* known = find_exception(*culprit.node, exceptions);
    if (known == nullptr) {
      unexpected = &culprit;
      break;
    }
    reasons += (reasons.empty() ? "" : "; ") + call_text(*culprit.node) + ": " +
               known->reason;
  }
  if (unexpected == nullptr) {
    TpuJudge::report(text, slice, Outcome::excepted, program_name, reasons);
    return;
  }
  TpuJudge::report(text, slice, Outcome::refused, program_name,
                   unexpected->reason);
  refuse(slice, program, *unexpected);
}

}  // namespace

void judge(const Program& program, std::span<const int> generic) {
  TpuJudge* chosen = TpuJudge::chosen();
  if (chosen == nullptr) return;
  static const auto* exceptions =
      new std::vector<JudgeException>(TpuJudge::exceptions());
  judge(*chosen, program, generic, *exceptions);
}

void judge(TpuJudge& judge, const Program& program,
           std::span<const int> generic,
           std::span<const JudgeException> exceptions) {
  if (program.order().empty()) return;
  const LoweringTarget tpu(judge.row());
  const std::string text = program.emit(generic);
  for (const TpuJudge::Slice& slice : judge.slices()) {
    judge_for(judge, slice, program, text, exceptions);
  }
}

void judge_values(std::span<const Ref> refs) {
  if (TpuJudge::chosen() == nullptr) return;
  std::vector<Root> roots;
  for (const Ref& ref : refs) {
    if (ref.node->is_pending(ref.output)) roots.push_back({ref, {}});
  }
  if (roots.empty()) return;
  Node& first = *roots.front().ref.node;
  const std::lock_guard lock(first.recorder->mutex());
  judge(Program(roots, first.placement), {});
}

}  // namespace systolic::internal::graph
