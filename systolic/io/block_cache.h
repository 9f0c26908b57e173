// Blocks of remote files on a local disk, for later runs.
//   set_storage_options({.cache_folder = "/mnt/disk/blocks"});
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

#include "systolic/io/range_source.h"

namespace systolic::io::detail {

// Fills `out` from the cache folder of StorageOptions, or else from the source
// and into the folder. Just the source where there is no folder or the source
// has no version; a disk that fails is logged and does no more harm.
void fetch_through_cache(RangeSource& source, int64_t offset,
                         std::span<std::byte> out, const std::stop_token& stop);

}  // namespace systolic::io::detail
