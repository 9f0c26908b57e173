// Storage options for the length of a test.
#pragma once

#include "systolic/io/storage_options.h"

namespace systolic::io::detail {

// Sets the options and brings back those before.
class StorageOptionsGuard {
 public:
  explicit StorageOptionsGuard(const StorageOptions& options)
      : before_(storage_options()) {
    set_storage_options(options);
  }
  ~StorageOptionsGuard() { set_storage_options(before_); }
  StorageOptionsGuard(const StorageOptionsGuard&) = delete;
  StorageOptionsGuard& operator=(const StorageOptionsGuard&) = delete;

 private:
  const StorageOptions before_;
};

}  // namespace systolic::io::detail
