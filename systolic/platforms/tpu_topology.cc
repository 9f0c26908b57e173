#include "systolic/platforms/tpu_topology.h"

#include <array>
#include <charconv>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"

namespace systolic::internal::platforms {
namespace {

constexpr int64_t kGb = 1'000'000'000;
constexpr int64_t kGib = int64_t{1} << 30;
constexpr int kMostChips = 10'000;  // the largest pod has 9,216

constexpr std::array<TpuGeneration, 7> kGenerations{{
    {"v2", 2, 2, false, 16 * kGb, 46, 716, 1, 128},
    {"v3", 2, 2, false, 32 * kGib, 123, 900, 2, 128},
    {"v4", 2, 1, false, 32 * kGib, 275, 1200, 4, 128},
    {"v5e", 1, 1, true, 16 * kGb, 197, 819, 4, 128},
    {"v5p", 2, 1, false, 95 * kGib, 459, 2765, 4, 128},
    {"v6e", 1, 1, true, 32 * kGb, 918, 1638, 2, 256},
    {"tpu7x", 2, 2, false, 192 * kGib, 2307, 7380, 2, 256},
}};

const TpuGeneration* find_generation(std::string_view name) {
  for (const TpuGeneration& generation : kGenerations) {
    if (generation.name == name) return &generation;
  }
  // As Google Cloud's accelerator types spell it.
  return name == "v5litepod" ? find_generation("v5e") : nullptr;
}

[[noreturn]] void throw_bad_name(std::string_view name,
                                 const std::string& problem) {
  std::vector<std::string_view> names;
  for (const TpuGeneration& generation : kGenerations) {
    names.push_back(generation.name);
  }
  Message("TPU name")
      .expected("<generation>-<number>, for example v3-8")
      .got("'", name, "'")
      .detail("problem", problem)
      .detail("generations", list_names(names))
      .raise<ValueError>();
}

}  // namespace

std::string TpuSlice::name() const {
  return std::string(generation->name) + "-" +
         std::to_string(generation->name_counts_chips ? chips : cores);
}

int64_t TpuSlice::memory_per_device() const {
  return generation->memory_per_chip / generation->devices_per_chip;
}

std::span<const TpuGeneration> tpu_generations() { return kGenerations; }

TpuSlice parse_tpu(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) {
    throw_bad_name(name, "there is no number behind a '-'");
  }
  const TpuGeneration* generation = find_generation(name.substr(0, dash));
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
  return {generation, chips, chips * generation->cores_per_chip,
          chips * generation->devices_per_chip};
}

std::optional<TpuSlice> parse_virtual_tpu(std::string_view text) {
  constexpr std::string_view kPrefix = "virtual:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  return parse_tpu(text.substr(kPrefix.size()));
}

}  // namespace systolic::internal::platforms
