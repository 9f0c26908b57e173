// How often Amazon's client asks again, and how long it waits before.
#pragma once

#include <arrow/filesystem/s3fs.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "systolic/io/storage_options.h"

namespace systolic::arrow_module {

// Max_retries and the waits of `limits`, in place of the client's own.
std::shared_ptr<arrow::fs::S3RetryStrategy> make_retries(
    const io::StorageOptions& limits);

// How a request ended that had no success.
struct LastTry {
  int64_t tries = 1;
  // Whether it would have been sent again but for max_retries.
  bool used_up = false;
};

// What is known of the request that failed with `status`: the latest of s3://
// whose kind and message its text has; nothing of others.
std::optional<LastTry> last_try(const arrow::Status& status);

// Whether the service was asked max_retries times again: to ask it something
// else would double them.
bool is_used_up(const arrow::Status& status);

}  // namespace systolic::arrow_module
