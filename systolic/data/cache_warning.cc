// Tested by: systolic/data/file_cache_test.cc
#include "systolic/data/cache_warning.h"

#include "systolic/base/log.h"

namespace systolic::data::detail {

void warn_of_cached_shuffle(const DatasetBase& input) {
  if (!input.reshuffles()) return;
  log(LogLevel::warning,
      "cache: the input shuffles, so every pass will have the order of the "
      "first; to reshuffle, cache() before shuffle()");
}

void warn_of_cached_random(const DatasetBase& input) {
  if (!input.randomizes() || input.reshuffles()) return;
  log(LogLevel::warning,
      "cache: the input draws random numbers, so every pass will have those of "
      "the first; to draw new ones, cache() before the random map()");
}

}  // namespace systolic::data::detail
