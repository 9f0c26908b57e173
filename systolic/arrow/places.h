// Which of Arrow's file systems a path belongs to.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "systolic/io/storage_options.h"

namespace systolic::arrow_module {

// A file system and how its paths are made of ours.
struct Place {
  std::shared_ptr<arrow::fs::FileSystem> files;
  std::string address;  // of its root: "s3://bucket", "hdfs://host:8020"
  std::string root;     // the same for Arrow: "bucket", ""
  // What two addresses of one place have the same; empty for HDFS, whose name
  // nodes have many names.
  std::string identity = {};

  // Arrow's path of one of ours, and back.
  std::string to_arrow(const std::string& path) const;
  std::string from_arrow(const std::string& path) const;
};

// The file systems that were needed so far.
class Places {
 public:
  explicit Places(io::StorageOptions (*options)()) : options_(options) {}

  // The place of a path. Throws StorageError where there is none.
  const Place& of(const std::string& who, const std::string& path);

 private:
  io::StorageOptions (*const options_)();
  std::mutex mutex_;
  // By address and what of the options they were made with.
  std::map<std::string, Place> places_;
};

}  // namespace systolic::arrow_module
