#include "systolic/plan/collectives.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "systolic/plan/nearest.h"

namespace systolic::internal::plan {
namespace {

using platforms::TpuGeneration;

constexpr double kGiga = 1e9;
// "About 1 us a hop": jax-ml/scaling-book, sharding.md.
constexpr double kHopSeconds = 1e-6;

std::string rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

void set_speed(const TpuGeneration& generation, Links& links) {
  if (generation.link_gb_per_second.is_known()) {
    links.link_bytes_per_second = generation.link_gb_per_second * kGiga;
    links.link_source = describe(generation.link_gb_per_second.source);
  } else if (generation.links_gb_per_second.is_known()) {
    // Both ways of two links along each axis.
    const int ways = 4 * generation.torus_axes;
    links.link_bytes_per_second = generation.links_gb_per_second * kGiga / ways;
    links.link_source =
        "all links of a chip together / " + std::to_string(ways) + ", " +
        std::string(describe(generation.links_gb_per_second.source));
  } else if (const TpuGeneration* other = nearest_known(
                 generation, &TpuGeneration::link_gb_per_second)) {
    links.link_bytes_per_second = other->link_gb_per_second * kGiga;
    links.link_source = "not published: that of " + std::string(other->name);
  }
}

// The chips that a collective spans and the devices on each of them.
struct Span {
  double chips = 1;
  double devices_per_chip = 1;
};

Span span_of(const CollectiveWork& work, const Links& links) {
  const double per_chip = static_cast<double>(links.devices) / links.chips;
  const double devices = work.replicas > 0 ? static_cast<double>(work.replicas)
                                           : static_cast<double>(links.devices);
  const double on_chip = std::min(per_chip, devices);
  return {std::max(1.0, devices / on_chip), on_chip};
}

// What a chip sends of a value of so many bytes, as a multiple of it.
double share_sent(CollectiveKind kind, double chips) {
  const double others = (chips - 1) / chips;
  switch (kind) {
    case CollectiveKind::all_reduce:
      // A reduce-scatter and an all-gather.
      return 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return others;
    case CollectiveKind::all_to_all:
      // A quarter of an all-gather on a ring with links both ways.
      return others / 4;
    case CollectiveKind::permute:
      return 1;
  }
  return 0;
}

}  // namespace

double Links::chip_bytes_per_second() const {
  double links = 0;
  for (size_t axis = 0; axis < grid.size(); ++axis) {
    links += closed[axis] && grid[axis] > 2 ? 2 : 1;
  }
  return links * link_bytes_per_second;
}

std::string Links::to_string() const {
  if (grid.empty()) return "one chip";
  std::string text;
  for (const int axis : grid) {
    text += (text.empty() ? "" : " x ") + std::to_string(axis);
  }
  const bool is_torus =
      std::ranges::find(closed, true) != closed.end() &&
      std::ranges::any_of(grid, [](int axis) { return axis > 2; });
  return text + (is_torus ? " torus" : " grid without rings") + ", " +
         rounded(link_bytes_per_second / kGiga) + " GB/s a link and way (" +
         link_source + ")";
}

Links links_of(const platforms::TpuSlice& slice) {
  Links links;
  links.chips = slice.chips;
  links.devices = slice.devices;
  const TpuGeneration& generation = *slice.generation;
  for (const int axis : platforms::tpu_grid(slice)) {
    if (axis < 2) continue;
    links.grid.push_back(axis);
    links.closed.push_back(axis >= generation.wraps_from);
  }
  set_speed(generation, links);
  return links;
}

double collective_seconds(const CollectiveWork& work, const Links& links) {
  const Span span = span_of(work, links);
  if (span.chips < 2 || links.grid.empty()) return 0;
  double bytes = work.bytes;
  if (work.kind == CollectiveKind::all_gather) {
    // Each device brings its part.
    bytes *= span.chips * span.devices_per_chip;
  }
  if (work.kind == CollectiveKind::all_to_all) {
    // Scaling book: a quarter of an all-gather of the same array.
    bytes *= span.chips * span.devices_per_chip;
  }
  int hops = 0;
  for (size_t axis = 0; axis < links.grid.size(); ++axis) {
    hops += links.closed[axis] ? links.grid[axis] / 2 : links.grid[axis] - 1;
  }
  const double ways = work.kind == CollectiveKind::all_reduce ? 2 : 1;
  const double sent = bytes * share_sent(work.kind, span.chips);
  return work.times * std::max(sent / links.chip_bytes_per_second(),
                               ways * hops * kHopSeconds);
}

}  // namespace systolic::internal::plan
