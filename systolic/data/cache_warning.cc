// Tested by: systolic/data/file_cache_test.cc
#include "systolic/data/cache_warning.h"

#include <algorithm>
#include <vector>

#include "systolic/base/log.h"

namespace systolic::data::detail {
namespace {

// Whether a data set below shuffles and no cache above it keeps its order.
bool has_shuffle(const DatasetBase& dataset) {
  if (dataset.reshuffles()) return true;
  if (!dataset.randomizes()) return false;
  const std::vector<const DatasetBase*> inputs = dataset.inputs();
  return std::any_of(
      inputs.begin(), inputs.end(),
      [](const DatasetBase* input) { return has_shuffle(*input); });
}

}  // namespace

void warn_of_cached_shuffle(const DatasetBase& input) {
  if (!has_shuffle(input)) return;
  log(LogLevel::warning,
      "cache: the input shuffles, so every pass will have the order of the "
      "first; to reshuffle, cache() before shuffle()");
}

void warn_of_cached_random(const DatasetBase& input) {
  if (!input.randomizes() || has_shuffle(input)) return;
  log(LogLevel::warning,
      "cache: the input draws random numbers, so every pass will have those of "
      "the first; to draw new ones, cache() before the random map()");
}

}  // namespace systolic::data::detail
