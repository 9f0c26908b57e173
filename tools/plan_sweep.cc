#include "tools/plan_sweep.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "systolic/base/message.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::tools {
namespace {

using internal::Message;

constexpr int64_t kRowsPerReplica[] = {8, 16, 32, 64, 128};
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMillion = 1e6;

std::string generation_of(const std::string& topology) {
  return topology.substr(0, topology.rfind('-'));
}

[[noreturn]] void raise_price(const std::string& entry) {
  Message("--price")
      .expected("<generation>=<price of a chip and hour>, separated by commas")
      .got("'", entry, "'")
      .hint("for example v3=2.20,v6e=2.70")
      .raise<ValueError>();
}

}  // namespace

double SweepRow::rate() const {
  return fits && step_seconds > 0
             ? static_cast<double>(batch_size) / step_seconds
             : 0;
}

std::vector<PlanPoint> sweep_points(const std::vector<std::string>& topologies,
                                    const std::vector<int64_t>& batch_sizes) {
  std::vector<PlanPoint> points;
  for (const std::string& name : topologies) {
    const auto slice = internal::platforms::parse_tpu_topology(name);
    if (!batch_sizes.empty()) {
      for (const int64_t rows : batch_sizes) {
        points.push_back({slice.name(), rows});
      }
      continue;
    }
    for (const int64_t rows : kRowsPerReplica) {
      points.push_back({slice.name(), rows * slice.devices});
    }
  }
  return points;
}

SweepRow sweep_row(const std::string& json) {
  const auto plan = nlohmann::json::parse(json);
  const auto& memory = plan.at("memory");
  return {.topology = plan.at("topology"),
          .chips = plan.at("chips"),
          .replicas = plan.at("replicas"),
          .batch_size = plan.at("batch_size"),
          .fits = plan.at("fits"),
          .step_seconds = plan.at("step_seconds"),
          .matrix_unit = plan.at("matrix_unit"),
          .peak_bytes = memory.at("peak"),
          .available_bytes = memory.at("available"),
          .bottleneck = plan.at("bottleneck")};
}

Prices parse_prices(const std::string& text) {
  Prices prices;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) raise_price(entry);
    const auto* generation = internal::platforms::find_tpu_generation(
        std::string_view(entry).substr(0, equals));
    double price = 0;
    const char* const end = entry.data() + entry.size();
    const auto [stop, error] =
        std::from_chars(entry.data() + equals + 1, end, price);
    if (generation == nullptr || error != std::errc() || stop != end ||
        !(price > 0)) {
      raise_price(entry);
    }
    prices[std::string(generation->name)] = price;
  }
  return prices;
}

std::optional<double> cost_of(const SweepRow& row, const Prices& prices) {
  const auto price = prices.find(generation_of(row.topology));
  if (price == prices.end() || row.rate() == 0) return std::nullopt;
  constexpr double kSecondsOfHour = 3600;
  return price->second * row.chips / kSecondsOfHour * kMillion / row.rate();
}

const SweepRow* best_of(const std::vector<SweepRow>& rows, double target,
                        const Prices& prices) {
  const SweepRow* best = nullptr;
  const auto is_better = [&](const SweepRow& row) {
    if (best == nullptr) return true;
    const auto cost = cost_of(row, prices);
    const auto known = cost_of(*best, prices);
    if (cost && known) return *cost < *known;
    if (row.chips != best->chips) return row.chips < best->chips;
    return row.rate() > best->rate();
  };
  for (const SweepRow& row : rows) {
    if (row.rate() >= target && row.rate() > 0 && is_better(row)) best = &row;
  }
  return best;
}

std::string sweep_table(const std::vector<SweepRow>& rows,
                        const Prices& prices) {
  std::string text =
      fmt::format("{:10} {:>6} {:>9} {:>10} {:>11} {:>5} {:>15}  {:11}{}\n",
                  "TPU", "batch", "per core", "step", "rows/s", "MXU",
                  "memory, GiB", "bound by", prices.empty() ? "" : "per 1e6");
  for (const SweepRow& row : rows) {
    const std::string memory = fmt::format(
        "{:.1f} of {:.1f}", static_cast<double>(row.peak_bytes) / kGib,
        static_cast<double>(row.available_bytes) / kGib);
    const int64_t share = row.batch_size / std::max(row.replicas, 1);
    text +=
        fmt::format("{:10} {:>6} {:>9} ", row.topology, row.batch_size, share);
    if (!row.fits) {
      text += fmt::format("{:>10} {:>11} {:>5} {:>15}\n", "-", "-", "-",
                          memory + " !");
      continue;
    }
    text += fmt::format("{:>7.2f} ms {:>11.0f} {:>4.0f}% {:>15}  {:11}",
                        row.step_seconds * 1e3, row.rate(),
                        row.matrix_unit * 100, memory, row.bottleneck);
    if (const auto cost = cost_of(row, prices)) {
      text += fmt::format("{:.4f}", *cost);
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

}  // namespace systolic::tools
