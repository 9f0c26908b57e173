// LaunchLog: what programs tell the host besides their results: lines to be
// printed and the first bad number. It is kept in variables of the program, so
// that loops, replicas, functions and plans carry it like all other state.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/ops/debug.h"

namespace systolic::internal::ops {

class LaunchLog {
 public:
  /// The log of the step that is recorded on this thread.
  static LaunchLog& of_step();

  LaunchLog(const LaunchLog&) = delete;
  LaunchLog& operator=(const LaunchLog&) = delete;

  /// Records that the parts are printed here.
  void print(const std::vector<debug::Part>& parts);

  /// Records that a value is checked here; `what` and `message` say of what.
  void check(const Tensor& x, std::string_view message, std::string_view what,
             const SourceLocation& where);

 private:
  // A place that prints; it keeps as many of its lines as it has slots.
  struct Printer {
    std::vector<std::string> texts;  // empty where a value stands
    Variable next;                   // int32: lines printed here
    Variable times;                  // int32 (slots): the clock of each
    std::vector<Variable> values;    // (slots, ...)
    int slots = 1;
  };
  // A value that is checked.
  struct Checked {
    TensorSpec spec;
    std::string message;
    std::string what;
    SourceLocation where;
  };
  struct Line {
    int time;
    int replica;
    std::string text;
  };

  explicit LaunchLog(const graph::Placement* placement);

  // Has the step that is recorded flush the log; the first call in a step
  // starts counting the places anew.
  void join_step();
  Variable make(const TensorSpec& spec, int64_t fill) const;
  Printer& printer(const std::vector<debug::Part>& parts);
  void flush();
  void flush_lines();
  void add_lines(const Printer& printer, int since, std::vector<Line>& lines);
  void raise_bad();

  const graph::Placement* placement_;
  graph::AfterLaunch flush_;
  // int32: lines that were printed, all places together.
  Variable clock_;
  int shown_ = 0;
  // int32: which check failed first, 1 + 2 * place (+ 1 for an infinity).
  Variable bad_;
  std::map<std::string, std::vector<std::unique_ptr<Printer>>> printers_;
  std::map<std::string, size_t> used_;
  std::vector<Checked> checks_;
  std::map<std::string, std::vector<int>> check_numbers_;
};

}  // namespace systolic::internal::ops
