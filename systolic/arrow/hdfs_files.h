// HDFS, by Hadoop's own client, which is Java.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

#include "systolic/io/storage_options.h"

namespace systolic::arrow_module {

// The file system of "hdfs://user@host:port", where the user may be left out,
// or of Hadoop's fs.defaultFS for "hdfs://". Arrow's, but for this: what fails
// is not taken for a file that is not there, errors have the words of Java,
// nothing is moved into a folder that is there, and a file that is moved over
// another is never lost. Throws StorageError where there is no Java or no
// client.
std::shared_ptr<arrow::fs::FileSystem> hdfs_files(
    const std::string& who, const std::string& address,
    const io::StorageOptions& limits);

}  // namespace systolic::arrow_module
