#include "systolic/io/storage_options.h"

#include <mutex>

#include "systolic/base/error.h"
#include "systolic/base/message.h"

namespace systolic::io {
namespace {

std::mutex mutex;

StorageOptions& current() {
  static StorageOptions options;
  return options;
}

void require(bool good, const char* rule, double got) {
  if (good) return;
  internal::Message("set_storage_options")
      .expected(rule)
      .got(got)
      .raise<ValueError>();
}

}  // namespace

StorageOptions storage_options() {
  const std::lock_guard lock(mutex);
  return current();
}

void set_storage_options(const StorageOptions& options) {
  require(options.max_retries >= 0, "max_retries of at least 0",
          static_cast<double>(options.max_retries));
  require(options.first_retry_wait >= 0, "first_retry_wait of at least 0",
          options.first_retry_wait);
  require(options.longest_retry_wait >= 0, "longest_retry_wait of at least 0",
          options.longest_retry_wait);
  require(options.connect_timeout > 0, "connect_timeout above 0",
          options.connect_timeout);
  require(options.stall_timeout > 0, "stall_timeout above 0",
          options.stall_timeout);
  require(options.read_ahead >= 0, "read_ahead of at least 0",
          static_cast<double>(options.read_ahead));
  require(options.block_size >= 1, "block_size of at least 1",
          static_cast<double>(options.block_size));
  require(options.parallel_requests >= 1, "parallel_requests of at least 1",
          static_cast<double>(options.parallel_requests));
  require(options.cache_bytes >= 0, "cache_bytes of at least 0",
          static_cast<double>(options.cache_bytes));
  const std::lock_guard lock(mutex);
  current() = options;
}

}  // namespace systolic::io
