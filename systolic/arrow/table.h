// Parquet files and Arrow's own (IPC, Feather).
#pragma once

#include <memory>

#include "systolic/io/arrow_module.h"

namespace systolic::arrow_module {

// As ArrowModule::read_table.
std::unique_ptr<io::detail::TableReader> read_table(
    std::unique_ptr<io::RandomAccessFile> file, io::detail::TableFormat format,
    const io::detail::TableOptions& options);

}  // namespace systolic::arrow_module
