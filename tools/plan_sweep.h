// A program planned for several TPUs and batch sizes: the table, the chart, the
// smallest or cheapest TPU that is fast enough.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/planned_program.h"

namespace systolic::tools {

// One planned point.
struct SweepRow {
  std::string topology;
  int chips = 0;
  int replicas = 0;
  int64_t batch_size = 0;
  bool fits = false;
  double step_seconds = 0;
  double matrix_unit = 0;  // of the peak, 0 to 1
  int64_t peak_bytes = 0;  // of one core's memory
  int64_t available_bytes = 0;
  std::string bottleneck;

  // Rows that are trained on in a second.
  double rate() const;
};

// A price of a chip and hour by generation: {"v3", 2.2}.
using Prices = std::map<std::string, double>;

// The points of a sweep: each topology with each batch size; without sizes
// 8, 16 ... 128 rows for each replica.
std::vector<PlanPoint> sweep_points(const std::vector<std::string>& topologies,
                                    const std::vector<int64_t>& batch_sizes);

// The figures of a plan that was written as JSON.
SweepRow sweep_row(const std::string& json);

// Prices from "v3=2.20,v6e=2.70". Throws ValueError for anything else, and for
// generations that there are not.
Prices parse_prices(const std::string& text);

// What a million rows cost; nothing where the price is not known.
std::optional<double> cost_of(const SweepRow& row, const Prices& prices);

// The row that reaches `target` rows a second for the least money where prices
// are known, else on the fewest chips; null where none does.
const SweepRow* best_of(const std::vector<SweepRow>& rows, double target,
                        const Prices& prices);

// The table, a line for each row.
std::string sweep_table(const std::vector<SweepRow>& rows,
                        const Prices& prices);

// Rows a second over rows for each replica, a line for each TPU, as an SVG.
std::string sweep_chart(const std::vector<SweepRow>& rows,
                        std::string_view title);

}  // namespace systolic::tools
