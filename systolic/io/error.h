// What goes wrong between a program and its files, beside NotFoundError.
//   try { io::read_file(path); } catch (const io::StorageError& e) { ... }
#pragma once

#include <string>

#include "systolic/base/error.h"

namespace systolic::io {

// A disk or a storage service failed: no space, no connection, an answer that
// is no answer. What is worth a retry was tried again before.
class StorageError : public Error {
 public:
  using Error::Error;
};

// The disk or the service refuses: who asks may not do this. Never retried.
class PermissionDeniedError : public StorageError {
 public:
  using StorageError::StorageError;
};

}  // namespace systolic::io
