#include "systolic/plan/refusal.h"

#include <algorithm>
#include <charconv>

namespace systolic::internal::plan {
namespace {

constexpr size_t kMostAllocations = 5;
constexpr size_t kMostLine = 200;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The size that follows the first `label` in a text; 0 where there is none.
int64_t size_behind(std::string_view text, std::string_view label) {
  const size_t place = text.find(label);
  if (place == text.npos) return 0;
  std::string_view rest = text.substr(place + label.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '(')) {
    rest.remove_prefix(1);
  }
  return read_size(rest.substr(0, rest.find_first_of(" ,;)\n"))).value_or(0);
}

// What follows a label on its line.
std::string_view behind(std::string_view text, std::string_view label) {
  const size_t place = text.find(label);
  if (place == text.npos) return {};
  const std::string_view rest = text.substr(place + label.size());
  return trimmed(rest.substr(0, rest.find('\n')));
}

systolic::plan::Allocation read_allocation(std::string_view text) {
  systolic::plan::Allocation allocation;
  allocation.bytes = size_behind(text, "Size:");
  const std::string_view shape = behind(text, "Shape:");
  allocation.shape = shape.substr(0, shape.find('{'));
  constexpr std::string_view kOpName = "op_name=\"";
  if (const size_t place = text.find(kOpName); place != text.npos) {
    const std::string_view name = text.substr(place + kOpName.size());
    allocation.name = name.substr(0, name.find('"'));
  } else {
    const std::string_view label = behind(text, "XLA label:");
    allocation.name = label.substr(0, label.find(" ="));
  }
  return allocation;
}

// The parts that begin with "  1. Size:", "  2. Size:" ...
std::vector<systolic::plan::Allocation> read_largest(std::string_view text) {
  std::vector<systolic::plan::Allocation> largest;
  const size_t start = text.find("Largest program allocations");
  if (start == text.npos) return largest;
  text.remove_prefix(start);
  for (size_t number = 1; number <= kMostAllocations; ++number) {
    const size_t begin = text.find(std::to_string(number) + ". Size:");
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    largest.push_back(read_allocation(
        text.substr(0, text.find(std::to_string(number + 1) + ". Size:"))));
  }
  return largest;
}

std::string first_sentence(std::string_view text) {
  const size_t start = std::min(text.find("Ran out of memory"), text.size());
  std::string line(text.substr(start, text.find('\n', start) - start));
  return line.substr(0, kMostLine);
}

}  // namespace

std::optional<int64_t> read_size(std::string_view text) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end == last) return std::nullopt;
  constexpr std::string_view kUnits = "BKMGT";
  const size_t power = kUnits.find(*end);
  if (power == kUnits.npos || end + 1 != last) return std::nullopt;
  for (size_t i = 0; i < power; ++i) value *= 1024;
  return static_cast<int64_t>(value);
}

std::optional<Refusal> read_refusal(std::string_view text) {
  const bool is_memory =
      text.find("Ran out of memory") != text.npos &&
      (text.find("hbm") != text.npos || text.find("HBM") != text.npos);
  if (!is_memory) return std::nullopt;
  Refusal refusal;
  refusal.line = first_sentence(text);
  // "Used 20.10G of 15.48G hbm.", or "... the total memory required for HLO
  // temporaries (16.00G) exceeds available HBM (15.48G).", which counts
  // arguments and results too.
  refusal.wanted = size_behind(text, "Used ");
  refusal.temporaries = size_behind(text, "HLO temp ");
  if (refusal.wanted == 0) {
    refusal.wanted = size_behind(text, "required for HLO temporaries");
  }
  const size_t used = text.find("Used ");
  refusal.available = used == text.npos
                          ? size_behind(text, "exceeds available HBM")
                          : size_behind(text.substr(used), " of ");
  refusal.arguments = size_behind(text, "  arguments ");
  refusal.largest = read_largest(text);
  return refusal;
}

}  // namespace systolic::internal::plan
