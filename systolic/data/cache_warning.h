// What cache(), in memory or in a file, says where every pass would repeat the
// random choices of the first.
#pragma once

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// Logs a warning where the cache's input shuffles.
void warn_of_cached_shuffle(const DatasetBase& input);

// Logs one where the elements of the pass that was just kept depend on random
// numbers, and the first warning was not given.
void warn_of_cached_random(const DatasetBase& input);

}  // namespace systolic::data::detail
