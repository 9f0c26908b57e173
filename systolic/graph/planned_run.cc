#include "systolic/graph/planned_run.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <span>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/base/user_folders.h"
#include "systolic/graph/judge.h"
#include "systolic/graph/lowering_target.h"
#include "systolic/graph/op.h"
#include "systolic/io/file.h"
#include "systolic/plan/make_plan.h"
#include "systolic/platforms/search.h"

namespace systolic::internal::graph {

namespace {

constexpr int kFits = 0;
constexpr int kDoesNotFit = 1;
constexpr int kFailed = 2;

// Rows of a batch and bytes of a step, from the arguments that are data.
void add_inputs(const Program& program, const Planning& planning,
                plan::Request& request) {
  const int64_t replicas = request.replicas;
  const bool is_known = request.batch_size > 0;
  for (const Ref& argument : program.arguments()) {
    const TensorSpec& spec = argument.spec();
    const auto bytes = static_cast<int64_t>(spec.nbytes());
    const VariablePtr state = planning.owner(argument);
    if (state == nullptr) {
      if (!argument.node->in_step) continue;  // a constant of the program
      request.input_bytes += replicas * bytes;
      if (spec.shape.rank() == 0 || is_known) continue;
      request.batch_size =
          std::max(request.batch_size, replicas * spec.shape[0]);
    } else if (state->is_of_optimizer) {
      request.optimizer_bytes += bytes;
    } else {
      request.weight_bytes += bytes;
    }
  }
}

// The dtype that most products of matrices are in, for the advice.
std::string matmul_dtype(const Program& program) {
  int64_t narrow = 0;
  int64_t wide = 0;
  for (const Node* node : program.order()) {
    const std::string_view op = node->op->name;
    if (!op.starts_with("conv") && op != "matmul") continue;
    const DType dtype = node->output(0).spec.dtype;
    ++(dtype == DType::bfloat16 || dtype == DType::float16 ? narrow : wide);
  }
  return narrow > wide ? "bfloat16" : "float32";
}

// Says again why the compiler refuses the program, with its op and line.
void explain_refusal(const Planning& planning, const Program& program) {
  runtime::TpuJudge one(planning.slice().name());
  judge(one, program, {}, {});
}

// A line on the terminal while the compiler works; gone after it.
void show_progress(std::string_view text) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r\x1b[K%.*s", static_cast<int>(text.size()),
               text.data());
  if (text.empty()) std::fputc('\r', stderr);
  std::fflush(stderr);
}

// Nothing of the program runs after its plan: threads of its own may be in the
// middle of anything.
[[noreturn]] void end_process(int status) {
  output().flush();
  std::fflush(nullptr);
  std::_Exit(status);
}

[[noreturn]] void fail(std::string_view text) {
  show_progress("");
  std::cerr << text << std::endl;
  end_process(kFailed);
}

void write(const std::string& path, const std::string& text) {
  io::detail::write_file(path, std::as_bytes(std::span(text)));
}

void plan_and_end(const Program& program) {
  Planning& planning = *Planning::current();
  try {
    const systolic::plan::Plan plan = plan_program(planning, program);
    show_progress("");
    const std::string folder = environment("SYSTOLIC_PLAN_OUTPUT");
    if (folder.empty()) {
      output() << plan.to_string();
    } else {
      write(folder + "/plan.txt", plan.to_string());
      write(folder + "/plan.json", plan.to_json());
    }
    end_process(plan.fits ? kFits : kDoesNotFit);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void tell_of_no_plan() {
  log(LogLevel::warning,
      "SYSTOLIC_PLAN: the program ended without a step that reads and writes "
      "a trainable variable, so there is no plan");
}

int64_t batch_size_of(const std::string& text) {
  int64_t rows = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rows);
  if (error != std::errc() || stop != end || rows < 1) {
    Message("SYSTOLIC_PLAN_BATCH")
        .expected("a number of rows, at least 1")
        .got("'", text, "'")
        .raise<ValueError>();
  }
  return rows;
}

}  // namespace

systolic::plan::Plan plan_program(const Planning& planning,
                                  const Program& program) {
  const PlanningFacts& facts = planning.facts();
  const platforms::TpuSlice& slice = planning.slice();
  const Placement& placement = *program.placement();
  plan::Request request;
  request.program =
      facts.what.empty() ? std::string(context().step_name) : facts.what;
  request.batch_size = facts.batch_size;
  request.where = place_text(facts.where);
  request.topology = slice.name();
  request.replicas = placement.is_replicated() ? placement.num_replicas() : 1;
  request.steps_per_execution = static_cast<int>(facts.steps_per_execution);
  request.steps_in_program = 1;
  request.trains = true;
  request.matmul_dtype = matmul_dtype(program);
  request.learning_rate = facts.learning_rate;
  add_inputs(program, planning, request);
  {
    const LoweringTarget tpu(platforms::find_row("tpu"));
    request.text = program.emit_with_places();
  }
  try {
    return plan::make_plan(request, show_progress);
  } catch (const PlatformError&) {
    explain_refusal(planning, program);
    throw;
  }
}

void start_planned_run() {
  const std::string name = environment("SYSTOLIC_PLAN");
  if (name.empty()) return;
  try {
    const platforms::TpuSlice slice = platforms::parse_tpu_topology(name);
    const auto& row = platforms::find_row("tpu");
    const platforms::SearchResult plugin = platforms::search(row);
    if (!plugin.found) platforms::throw_not_found(row, plugin);
    auto* planning = new Planning(slice, plan_and_end);
    const std::string rows = environment("SYSTOLIC_PLAN_BATCH");
    if (!rows.empty()) planning->set_batch_size(batch_size_of(rows));
    std::atexit(tell_of_no_plan);
  } catch (const std::exception& error) {
    fail(std::string("SYSTOLIC_PLAN: ") + error.what());
  }
}

}  // namespace systolic::internal::graph
