// Files of Arrow's file systems, read by ranges.
#pragma once

#include <memory>
#include <string>

#include "systolic/arrow/places.h"
#include "systolic/io/range_source.h"

namespace systolic::arrow_module {

// Opens a file for reading. That it became another one meanwhile is noticed at
// its end, and within a second of reading.
std::shared_ptr<io::detail::RangeSource> open_source(const Place& place,
                                                     const std::string& path);

}  // namespace systolic::arrow_module
