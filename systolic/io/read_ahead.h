// Reads a remote file in blocks, some at once and ahead of the reader.
//   auto file = read_ahead(source, options);
#pragma once

#include <memory>
#include <string>

#include "systolic/io/file_system.h"
#include "systolic/io/range_source.h"

namespace systolic::io::detail {

// A larger block_size means this: a block is in memory.
inline constexpr int64_t kMostBlockSize = int64_t{1} << 30;

// The options with those unset as StorageOptions have them.
ReadOptions with_defaults(ReadOptions options);

// The source as a file. A reader that goes forward gets blocks that were
// fetched while it used those before; one that jumps gets just what it asks
// for. `first` is what came with the opening: the file's first bytes.
std::unique_ptr<RandomAccessFile> read_ahead(
    std::shared_ptr<RangeSource> source, const ReadOptions& options,
    const std::string& first = "");

}  // namespace systolic::io::detail
