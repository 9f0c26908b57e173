// Arrow's failures as ours.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <string>
#include <utility>

namespace systolic::arrow_module {

// What hdfs:// needs.
inline constexpr const char* kHdfsHint =
    "hdfs:// needs Java (JAVA_HOME), Hadoop's libhdfs.so (HADOOP_HOME, or "
    "ARROW_LIBHDFS_DIR for its folder) and its classes: "
    "CLASSPATH=$(hadoop classpath --glob), set before the program starts";

// What Arrow says where the client of HDFS does not come to a name node.
inline constexpr const char* kNoConnection = "HDFS connection failed";

// What Arrow's message begins with where Hadoop's settings name no cluster.
inline constexpr const char* kNoCluster = "Unexpected HDFS working directory";

// Throws the NotFoundError, PermissionDeniedError or StorageError that `status`
// is, unless it is good.
void require_good(const arrow::Status& status, const std::string& who,
                  const std::string& path);

// The value of a good result.
template <class T>
T value_of(arrow::Result<T> result, const std::string& who,
           const std::string& path) {
  require_good(result.status(), who, path);
  return std::move(result).ValueUnsafe();
}

}  // namespace systolic::arrow_module
