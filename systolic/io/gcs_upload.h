// Writes an object of Google Cloud Storage part by part.
#pragma once

#include <memory>
#include <string>

#include "systolic/io/file_system.h"

namespace systolic::io::detail {

// A new object, there when it is closed; at most 16 MiB of it are in memory.
std::unique_ptr<WritableFile> upload_to_gcs(const std::string& path);

}  // namespace systolic::io::detail
