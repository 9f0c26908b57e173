// Tested by: systolic/ops/debug_platform_test.cc
#include "systolic/ops/launch_log.h"

#include <algorithm>
#include <ostream>

#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::internal::ops {

using graph::Context;

namespace {

// What a place in a loop keeps at most.
constexpr int kMostLines = 1024;
constexpr size_t kMostBytes = size_t{16} << 20;

// Lines that a place keeps: outside of loops each launch passes it once.
int slots_for(const std::vector<debug::Part>& parts) {
  if (graph::context().region == 0) return 1;
  size_t bytes = 4;
  for (const debug::Part& part : parts) {
    if (!part.is_value()) continue;
    const TensorSpec& spec = part.tensor().spec();
    bytes += static_cast<size_t>(spec.shape.elements()) * size_of(spec.dtype);
  }
  return static_cast<int>(
      std::clamp<size_t>(kMostBytes / bytes, 1, kMostLines));
}

TensorSpec with_slots(const TensorSpec& spec, int slots) {
  TensorSpec stacked = spec;
  stacked.shape.insert(0, slots);
  return stacked;
}

}  // namespace

LaunchLog& LaunchLog::of_step() {
  // For the life of the thread: plans of its steps refer to it.
  thread_local std::map<const graph::Placement*, std::unique_ptr<LaunchLog>>
      logs;
  const graph::Placement* placement = graph::enclosing_step()->placement;
  if (placement == nullptr) {
    placement = graph::Placement::current_default();
  }
  auto& log = logs[placement];
  if (log == nullptr || log->clock_.state()->is_lost) {
    log.reset(new LaunchLog(placement));
  }
  log->join_step();
  return *log;
}

LaunchLog::LaunchLog(const graph::Placement* placement)
    : placement_(placement),
      flush_(
          std::make_shared<const std::function<void()>>([this] { flush(); })),
      clock_(make({DType::int32, Shape::scalar()}, 0)),
      bad_(make({DType::int32, Shape::scalar()}, 0)) {}

void LaunchLog::join_step() {
  auto& acts = graph::enclosing_step()->after_launch;
  if (std::ranges::find(acts, flush_) != acts.end()) return;
  acts.push_back(flush_);
  used_.clear();
}

// A part for each replica, which steps read and write.
Variable LaunchLog::make(const TensorSpec& spec, int64_t fill) const {
  const graph::VariablePlacementGuard here(placement_);
  const Array first = cast(Array::full(spec.shape, fill), spec.dtype);
  return Variable([first] { return constant(first); },
                  {.trainable = false,
                   .name = "debug",
                   .synchronization = VariableSynchronization::on_read,
                   .aggregation = VariableAggregation::only_first_replica});
}

// The same place in each recording of a step: known by what it prints, and by
// how many of that kind were before it.
LaunchLog::Printer& LaunchLog::printer(const std::vector<debug::Part>& parts) {
  const int slots = slots_for(parts);
  std::string key = std::to_string(slots);
  for (const debug::Part& part : parts) {
    key += part.is_value() ? "\n" + part.tensor().spec().to_string()
                           : "\n\"" + part.text();
  }
  auto& alike = printers_[key];
  const size_t number = used_[key]++;
  if (number < alike.size()) return *alike[number];
  auto made = std::make_unique<Printer>();
  made->slots = slots;
  const TensorSpec count{DType::int32, Shape::scalar()};
  made->next = make(count, 0);
  made->times = make(with_slots(count, slots), -1);
  for (const debug::Part& part : parts) {
    made->texts.push_back(part.text());
    if (!part.is_value()) continue;
    made->texts.back().clear();
    made->values.push_back(make(with_slots(part.tensor().spec(), slots), 0));
  }
  alike.push_back(std::move(made));
  return *alike.back();
}

void LaunchLog::print(const std::vector<debug::Part>& parts) {
  Printer& here = printer(parts);
  const Tensor slot = here.next % here.slots;
  here.times.assign(dynamic_update(here.times, slot, clock_));
  size_t next = 0;
  for (const debug::Part& part : parts) {
    if (!part.is_value()) continue;
    Variable& kept = here.values[next++];
    kept.assign(dynamic_update(kept, slot, stop_gradient(part.tensor())));
  }
  here.next.assign_add(1);
  clock_.assign_add(1);
}

void LaunchLog::check(const Tensor& x, std::string_view message,
                      std::string_view what, const SourceLocation& where) {
  const std::string key =
      concatenate_text(message, "\n", what, "\n", where.file_name(), ":",
                       where.line(), ":", where.column(), "\n", x.spec());
  auto& alike = check_numbers_[key];
  const size_t number = used_["check " + key]++;
  if (number == alike.size()) {
    alike.push_back(static_cast<int>(checks_.size()));
    checks_.push_back(
        {x.spec(), std::string(message), std::string(what), where});
  }
  const int code = 1 + 2 * alike[number];
  const Tensor value = stop_gradient(x);
  const Tensor is_nan = any(not_equal(value, value));
  const Tensor is_bad = any(logical_not(isfinite(value)));
  const Tensor found =
      systolic::where(is_nan, code, systolic::where(is_bad, code + 1, 0));
  bad_.assign(systolic::where(equal(bad_, 0), found, bad_));
}

void LaunchLog::flush() {
  const graph::OutsideSteps outside;
  flush_lines();
  raise_bad();
}

void LaunchLog::flush_lines() {
  const int now = clock_.replica_values().front().item<int>();
  if (now == shown_) return;
  const int since = shown_;
  shown_ = now;
  std::vector<Line> lines;
  for (const auto& [key, printers] : printers_) {
    for (const auto& printer : printers) add_lines(*printer, since, lines);
  }
  std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
    return std::pair(a.time, a.replica) < std::pair(b.time, b.replica);
  });
  const int replicas = placement_->num_replicas();
  const int missing = now - since - static_cast<int>(lines.size()) / replicas;
  if (missing > 0) {
    output() << "(" << missing << " earlier lines of a loop are left out)\n";
  }
  for (const Line& line : lines) {
    if (replicas > 1) output() << "replica " << line.replica << ": ";
    output() << line.text << "\n";
  }
  output().flush();
}

void LaunchLog::add_lines(const Printer& printer, int since,
                          std::vector<Line>& lines) {
  const std::vector<Array> times = printer.times.replica_values();
  std::vector<std::vector<Array>> values;
  for (int r = 0; r < static_cast<int>(times.size()); ++r) {
    const auto all = times[static_cast<size_t>(r)].span<int32_t>();
    for (int slot = 0; slot < printer.slots; ++slot) {
      const int time = all[static_cast<size_t>(slot)];
      if (time < since) continue;
      if (values.empty()) {
        for (const Variable& v : printer.values) {
          values.push_back(v.replica_values());
        }
      }
      std::string text;
      size_t next = 0;
      for (const std::string& part : printer.texts) {
        const bool is_value = part.empty() && next < values.size();
        if (!text.empty()) text += " ";
        text +=
            is_value
                ? values[next][static_cast<size_t>(r)].slice({slot}).to_string()
                : part;
        if (is_value) ++next;
      }
      lines.push_back({time, r, std::move(text)});
    }
  }
}

void LaunchLog::raise_bad() {
  if (checks_.empty()) return;
  const std::vector<Array> codes = bad_.replica_values();
  for (size_t r = 0; r < codes.size(); ++r) {
    const int code = codes[r].item<int>();
    if (code == 0) continue;
    bad_.assign(0);
    const Checked& found = checks_[static_cast<size_t>((code - 1) / 2)];
    const bool is_nan = code % 2 == 1;
    Message message(found.message.empty()
                        ? "check_numerics"
                        : "check_numerics \"" + found.message + "\"");
    message
        .rule("the result of ", found.what, " has ",
              is_nan ? "NaN" : "infinite", " values")
        .detail("value", found.spec);
    if (codes.size() > 1) message.detail("replica", r);
    message.at(found.where).raise<ValueError>();
  }
}

}  // namespace systolic::internal::ops
