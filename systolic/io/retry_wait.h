// How long a client waits before it asks a service again.
//   wait(retry_wait(storage_options(), tries), stop);
#pragma once

#include <cstdint>

#include "systolic/io/storage_options.h"

namespace systolic::io::detail {

// Seconds to wait behind request number `tries` of the same thing, counted
// from 1: between half and all of the wait of the options, so that many readers
// do not come back at the same moment.
double retry_wait(const StorageOptions& limits, int64_t tries);

}  // namespace systolic::io::detail
