#include "systolic/platforms/tpu_topology.h"

#include <algorithm>
#include <charconv>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"

namespace systolic::internal::platforms {
namespace {

constexpr std::string_view kVirtual = "virtual:";
constexpr int kMostChips = 10'000;  // the largest pod has 9,216
// Above one cube of 4 x 4 x 4 chips a pod is made of whole ones.
constexpr int kCube = 64;

[[noreturn]] void throw_bad_name(std::string_view name,
                                 const std::string& problem) {
  std::vector<std::string_view> names;
  for (const TpuGeneration& generation : tpu_generations()) {
    names.push_back(generation.name);
  }
  Message("TPU name")
      .expected("<generation>-<number>, for example v3-8")
      .got("'", name, "'")
      .detail("problem", problem)
      .detail("generations", list_names(names))
      .raise<ValueError>();
}

// All ways to write `count` as a product of `axes` rising numbers from `least`
// on; the last one's largest factor is the smallest.
std::vector<int> most_compact(int count, int axes, int least) {
  if (axes == 1)
    return count >= least ? std::vector{count} : std::vector<int>();
  std::vector<int> best;
  for (int first = least; first * first <= count; ++first) {
    if (count % first != 0) continue;
    std::vector<int> rest = most_compact(count / first, axes - 1, first);
    if (rest.empty() || (!best.empty() && rest.back() > best.back())) continue;
    rest.insert(rest.begin(), first);
    best = std::move(rest);
  }
  return best;
}

TpuSlice slice_of(const TpuGeneration& generation, int chips) {
  return {&generation, chips, chips * generation.cores_per_chip,
          chips * generation.devices_per_chip};
}

// "v3-8, v3-32, ...".
std::string slices_text(const TpuGeneration& generation) {
  std::string text;
  for (const std::string& name : tpu_slice_names(generation)) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// The "-8" of "v3-8".
std::string number_of(std::string_view name) {
  const size_t dash = name.rfind('-');
  return dash == std::string_view::npos ? "" : std::string(name.substr(dash));
}

}  // namespace

std::string TpuSlice::name() const {
  return std::string(generation->name) + "-" +
         std::to_string(generation->name_counts_chips ? chips : cores);
}

int64_t TpuSlice::memory_per_device() const {
  return static_cast<int64_t>(generation->memory_per_chip.value) /
         generation->devices_per_chip;
}

TpuSlice parse_tpu(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) {
    throw_bad_name(name, "there is no number behind a '-'");
  }
  const TpuGeneration* generation = find_tpu_generation(name.substr(0, dash));
  if (generation == nullptr) {
    throw_bad_name(name, "no generation of this name is known");
  }
  const std::string_view digits = name.substr(dash + 1);
  int count = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      count < 1) {
    throw_bad_name(
        name, "'" + std::string(digits) + "' is no whole number of at least 1");
  }
  const int per_chip =
      generation->name_counts_chips ? 1 : generation->cores_per_chip;
  if (count % per_chip != 0) {
    throw_bad_name(name, "a chip has " + std::to_string(per_chip) +
                             " cores, so the number must be a multiple");
  }
  const int chips = count / per_chip;
  if (chips > kMostChips) throw_bad_name(name, "no pod is that large");
  return slice_of(*generation, chips);
}

std::optional<TpuSlice> parse_virtual_tpu(std::string_view text) {
  if (!text.starts_with(kVirtual)) return std::nullopt;
  return parse_tpu(text.substr(kVirtual.size()));
}

std::vector<int> tpu_grid(const TpuSlice& slice) {
  if (slice.generation->torus_axes == 2) {
    return most_compact(slice.chips, 2, 1);
  }
  const int cube = slice.chips % kCube == 0 ? kCube : 1;
  std::vector<int> grid = most_compact(slice.chips / cube, 3, 1);
  for (int& axis : grid) axis *= cube == 1 ? 1 : 4;
  // Four chips are a square: 2 x 2 x 1.
  if (grid.front() == 1)
    std::rotate(grid.begin(), grid.begin() + 1, grid.end());
  return grid;
}

TpuTopologyName tpu_topology_name(const TpuSlice& slice) {
  std::string name = std::string(slice.generation->name);
  char separator = ':';
  for (const int axis : tpu_grid(slice)) {
    name += separator + std::to_string(axis);
    separator = 'x';
  }
  return {std::move(name), std::string(slice.generation->chip_config)};
}

TpuSlice parse_tpu_topology(std::string_view name) {
  std::string_view bare = name;
  if (bare.starts_with(kVirtual)) bare.remove_prefix(kVirtual.size());
  const TpuGeneration* generation =
      find_tpu_generation(bare.substr(0, bare.rfind('-')));
  Message message("TPU topology");
  message.got("'", name, "'");
  if (generation == nullptr) {
    message.expected("the name of a slice, for example v3-8");
    for (const TpuGeneration& known : tpu_generations()) {
      message.detail(known.name, slices_text(known));
    }
    message.raise<ValueError>();
  }
  for (const int chips : generation->slices) {
    const TpuSlice slice = slice_of(*generation, chips);
    if (number_of(slice.name()) == number_of(bare)) return slice;
  }
  message.expected("one of ", slices_text(*generation)).raise<ValueError>();
}

std::vector<std::string> tpu_slice_names(const TpuGeneration& generation) {
  std::vector<std::string> names;
  for (const int chips : generation.slices) {
    names.push_back(slice_of(generation, chips).name());
  }
  return names;
}

}  // namespace systolic::internal::platforms
