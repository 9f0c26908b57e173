// How patient reads and writes over the network are, and what they keep.
//   io::StorageOptions options = io::storage_options();
//   options.max_retries = 2;
//   options.cache_folder = "/mnt/disk/blocks";
//   io::set_storage_options(options);
#pragma once

#include <cstdint>
#include <string>

namespace systolic::io {

// The settings of the whole process. Times are in seconds.
struct StorageOptions {
  // How often a request is sent again when the connection or the service
  // fails (429, 500, 503, an answer that is cut off); refusals never are.
  int64_t max_retries = 6;
  // The wait before the first retry; each next one is twice as long, up to the
  // longest. A service that says how long to wait is heard, up to the longest
  // (but for s3://, whose client does not tell).
  double first_retry_wait = 0.25;
  double longest_retry_wait = 32;
  // After how long a connection that does not come about has failed.
  double connect_timeout = 20;
  // After how long without a byte an answer has failed.
  double stall_timeout = 30;
  // How remote files are read whose ReadOptions do not say it: the bytes
  // fetched ahead of a reader, those of one request, and the requests of one
  // file at once. All files together have 32 requests under way.
  int64_t read_ahead = int64_t{8} << 20;
  int64_t block_size = int64_t{1} << 20;
  int64_t parallel_requests = 8;
  // Where blocks of remote files are kept for later runs; empty keeps none.
  std::string cache_folder = {};
  // Bytes the folder may take; those not used for longest go first.
  int64_t cache_bytes = int64_t{10} << 30;
};

// The settings in use.
StorageOptions storage_options();
// Replaces the settings; requests under way keep theirs. Throws ValueError for
// a negative number or a time of 0.
void set_storage_options(const StorageOptions& options);

}  // namespace systolic::io
