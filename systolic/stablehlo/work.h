// What a program has the devices do, counted from its text: the same on every
// platform, and with every turn of its loops.
//
//   Work work = work_of(module_text);
//   work.total(turns).flops;  // turns(2): the value of argument 2
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace systolic::internal::stablehlo {

/// What one replica does in one run.
struct WorkAmount {
  /// Of matrix products and convolutions, two for each multiplication that is
  /// added up: what matrix units do. Elementwise operations are none.
  double flops = 0;
  /// Bytes of what collectives take, each value once.
  double exchanged_bytes = 0;

  WorkAmount& operator+=(const WorkAmount& other);
  WorkAmount operator*(double times) const;
  bool operator==(const WorkAmount&) const = default;
};

/// The work of a program or of one turn of a loop.
struct Work {
  struct Loop;

  /// Everything but `loops`; a loop of known length as often as it turns.
  WorkAmount amount;
  /// All flops with one turn of each loop: as a compiler estimates them, that
  /// does not know how often a loop turns.
  double flops_once = 0;
  /// Loops that turn as often as an argument of the program says.
  std::vector<Loop> loops;
  /// Whether there are loops that only the device ends: a turn is counted.
  bool is_least = false;

  bool is_empty() const { return amount == WorkAmount() && loops.empty(); }
  void add(const Work& other, double times = 1);

  /// All of it. `turns` gives the value of an argument; nothing where that is
  /// not known, which counts as one turn.
  WorkAmount total(
      const std::function<std::optional<int64_t>(int argument)>& turns) const;
};

struct Work::Loop {
  int argument = 0;
  Work turn;
};

/// Counts the work in a module that an Emitter wrote. What it does not know,
/// as in another's text, counts nothing.
Work work_of(std::string_view module);

}  // namespace systolic::internal::stablehlo
