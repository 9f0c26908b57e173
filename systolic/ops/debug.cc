#include "systolic/ops/debug.h"

#include <cmath>
#include <ostream>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/graph/op.h"
#include "systolic/graph/record_hook.h"
#include "systolic/graph/symbolic.h"
#include "systolic/graph/tape_state.h"
#include "systolic/ops/launch_log.h"

namespace systolic::debug {

namespace graph = internal::graph;
using internal::ops::LaunchLog;

namespace {

// Where nothing is computed: a model that is built of symbolic values.
bool has_no_value(const Tensor& tensor) {
  return graph::is_symbolic(tensor) ||
         (tensor.ref().node->kind == graph::NodeKind::parameter &&
          graph::step_around() == nullptr);
}

std::string place(const graph::Node& node) {
  const std::string_view file = node.where.file_name();
  return std::string(node.op->name) + " at " +
         std::string(file.substr(file.rfind('/') + 1)) + ":" +
         std::to_string(node.where.line());
}

void check_now(const Tensor& x, std::string_view message, std::string_view what,
               const SourceLocation& where) {
  const Array value = cast(x.numpy(where), DType::float64);
  bool is_nan = false, is_infinite = false;
  for (const double element : value.span<double>()) {
    is_nan = is_nan || std::isnan(element);
    is_infinite = is_infinite || std::isinf(element);
  }
  if (!is_nan && !is_infinite) return;
  internal::Message(message.empty()
                        ? std::string("check_numerics")
                        : "check_numerics \"" + std::string(message) + "\"")
      .rule("the result of ", what, " has ", is_nan ? "NaN" : "infinite",
            " values")
      .detail("value", x.spec())
      .at(where)
      .raise<ValueError>();
}

void check(const Tensor& x, std::string_view message, std::string_view what,
           const SourceLocation& where) {
  if (!is_floating(x.dtype()) || has_no_value(x)) return;
  if (graph::enclosing_step() == nullptr) {
    check_now(x, message, what, where);
  } else {
    LaunchLog::of_step().check(x, message, what, where);
  }
}

// What the check itself records is not checked.
thread_local bool is_checking = false;

void check_results(const graph::NodePtr& node) {
  if (is_checking || graph::context().step_name == "a loop condition") return;
  is_checking = true;
  struct End {
    ~End() { is_checking = false; }
  } end;
  for (int i = 0; i < node->num_outputs; ++i) {
    check(Tensor(graph::Ref{node, i}), "", node->op->name, node->where);
  }
}

}  // namespace

void print_parts(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.is_value() && has_no_value(part.tensor())) return;
  }
  if (graph::enclosing_step() != nullptr) {
    LaunchLog::of_step().print(parts);
    return;
  }
  std::string line;
  for (const Part& part : parts) {
    if (!line.empty()) line += " ";
    line += part.is_value() ? part.tensor().numpy().to_string() : part.text();
  }
  output() << line << std::endl;
}

Tensor check_numerics(const Arg& x, std::string_view message) {
  Tensor value = x.tensor();
  const graph::Node& node = *value.ref().node;
  check(value, message,
        node.kind == graph::NodeKind::operation ? place(node) : "its input",
        x.where());
  return value;
}

void enable_check_numerics() { graph::set_record_hook(&check_results); }

void disable_check_numerics() { graph::set_record_hook(nullptr); }

}  // namespace systolic::debug
