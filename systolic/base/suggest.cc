#include "systolic/base/suggest.h"

#include <algorithm>
#include <vector>

namespace systolic::internal {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Levenshtein distance without regard to case.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view closest_name(std::string_view name,
                              std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t best_distance = 0;
  for (std::string_view candidate : candidates) {
    size_t distance = edit_distance(name, candidate);
    size_t letters = std::max(name.size(), candidate.size());
    if (3 * distance > letters) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string list_names(std::span<const std::string_view> names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += '\'';
    out += names[i];
    out += '\'';
  }
  return out;
}

}  // namespace systolic::internal
