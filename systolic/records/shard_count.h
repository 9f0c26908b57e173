// How many files records are cut into.
#pragma once

#include <cstdint>

#include "systolic/records/record_files.h"

namespace systolic::data::detail {

// The number of files for `bytes` in `records` records: what the options ask
// for. Throws ValueError naming `who`.
int64_t shard_count(const char* who, int64_t bytes, int64_t records,
                    const ReshardOptions& options);

}  // namespace systolic::data::detail
