#include "systolic/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "systolic/plan/units.h"

namespace systolic::plan {
namespace {

using internal::plan::bytes_text;
using internal::plan::number_text;
using internal::plan::percent_text;
using internal::plan::seconds_text;

constexpr size_t kColumns = 80;
constexpr size_t kIndent = 13;
// Operations that take less are not worth a line.
constexpr double kLeastShare = 0.0005;

std::string bytes(int64_t count) {
  return bytes_text(static_cast<double>(count));
}

// "label        text", the text broken between words, below itself.
void add(std::string& out, std::string_view label, std::string_view text) {
  std::string line = fmt::format("{:<{}}", label, kIndent);
  size_t begin = kIndent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const bool is_first = line.size() <= begin;
    if (!is_first && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line.assign(kIndent, ' ');
    } else if (!is_first) {
      line += ' ';
    }
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += line + "\n";
}

void add_list(std::string& out, std::string_view label,
              const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    add(out, i == 0 ? label : "", lines[i]);
  }
}

std::string title(const Plan& plan) {
  std::string text =
      fmt::format("{}: {} chip{}, {} cores, {} replica{}", plan.topology,
                  plan.chips, plan.chips == 1 ? "" : "s", plan.cores,
                  plan.replicas, plan.replicas == 1 ? "" : "s");
  if (plan.batch_size > 0) {
    text += fmt::format(", batch {}", plan.batch_size);
    if (plan.replicas > 0) {
      // What does not divide is filled up with zeros.
      const int64_t each = (plan.batch_size - 1) / plan.replicas + 1;
      text += fmt::format(" ({} each)", each);
    }
  }
  return text;
}

void add_memory(std::string& out, const Plan& plan) {
  const Memory& memory = plan.memory;
  add(out, "memory",
      fmt::format("{}: {} of {} a core", plan.fits ? "fits" : "DOES NOT FIT",
                  bytes(memory.peak), bytes(memory.available)));
  add(out, "",
      fmt::format("weights {}, optimizer {}, inputs {}, activations {}, "
                  "code {}",
                  bytes(memory.weights), bytes(memory.optimizer),
                  bytes(memory.inputs), bytes(memory.activations),
                  bytes(memory.code)));
  if (plan.fits) return;
  add(out, "compiler", plan.refusal);
  for (const Allocation& one : plan.largest) {
    add(out, "",
        fmt::format("{:>10}  {} {}", bytes(one.bytes), one.shape, one.name));
  }
}

void add_time(std::string& out, const Plan& plan) {
  std::string step = seconds_text(plan.step_seconds) + " a step";
  if (plan.batch_size > 0 && plan.step_seconds > 0) {
    step += fmt::format(
        ", {} examples a second",
        number_text(static_cast<double>(plan.batch_size) / plan.step_seconds));
  }
  add(out, "time", step + ", bound by " + plan.bottleneck);
  const auto term = [&](std::string_view label, double seconds,
                        const std::string& more) {
    out += fmt::format("  {:<11}{:>9}{}{}\n", label, seconds_text(seconds),
                       more.empty() ? "" : "  ", more);
  };
  term("compute", plan.compute_seconds,
       fmt::format("MXU {}, memory bandwidth {}, padding waste {}",
                   percent_text(plan.matrix_unit),
                   percent_text(plan.memory_bandwidth),
                   percent_text(plan.padding_waste)));
  term("collectives", plan.collective_seconds, "");
  term("input", plan.input_seconds, "");
  term("launch", plan.launch_seconds,
       fmt::format("{} step{} a launch", plan.steps_per_execution,
                   plan.steps_per_execution == 1 ? "" : "s"));
  out += fmt::format("  {:<11}{:>9}\n", "idle", percent_text(plan.idle));
}

// "models/resnet50.cc:58" without the folders.
std::string file_name(const std::string& where) {
  return where.substr(where.rfind('/') + 1);
}

std::string shortened(std::string text, size_t most) {
  if (text.size() <= most) return text;
  return "..." + text.substr(text.size() - (most - 3));
}

void add_slowest(std::string& out, const Plan& plan) {
  if (plan.slowest.empty()) return;
  out += fmt::format("{:<8}{:>6}{:>6}{:>6}  {}\n", "slowest", "share", "MXU",
                     "waste", "layer, op, line");
  for (const Operation& one : plan.slowest) {
    if (one.share < kLeastShare) break;
    std::string what =
        one.layer.empty() ? one.name : one.layer + "/" + one.name;
    if (!one.where.empty()) what += "  " + file_name(one.where);
    const bool multiplies = one.matrix_unit > 0;
    out += fmt::format("{:>8}{:>6}{:>6}{:>6}  {}\n", seconds_text(one.seconds),
                       percent_text(one.share),
                       multiplies ? percent_text(one.matrix_unit) : "-",
                       multiplies ? percent_text(one.padding_waste) : "-",
                       shortened(what, 52));
  }
}

}  // namespace

std::string Plan::to_string() const {
  std::string out;
  add(out, "plan", program + (where.empty() ? "" : "  " + where));
  add(out, "slice", title(*this));
  add_memory(out, *this);
  if (fits || compute_seconds > 0) {
    add_time(out, *this);
    add_slowest(out, *this);
  }
  add_list(out, "advice", advice);
  add_list(out, "assumed", assumptions);
  add(out, "compiled",
      fmt::format("in {}{}", internal::plan::seconds_text(compile_seconds),
                  from_cache ? ", remembered" : ""));
  return out;
}

}  // namespace systolic::plan
