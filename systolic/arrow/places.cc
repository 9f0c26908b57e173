// Tested by: tests/storage/s3_test.cc
#include "systolic/arrow/places.h"

#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <cstdlib>

#include "systolic/arrow/azure_place.h"
#include "systolic/arrow/errors.h"
#include "systolic/arrow/hdfs_files.h"
#include "systolic/arrow/retries.h"
#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/error.h"
#include "systolic/io/path.h"

namespace systolic::arrow_module {
namespace {

using internal::environment;

// The first of two variables that is set.
std::string environment(const char* first, const char* second) {
  const std::string text = internal::environment(first);
  return text.empty() ? internal::environment(second) : text;
}

// Where another server than Amazon's own is; empty for that.
std::string s3_endpoint() {
  return environment("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
}

void stop_s3() { (void)arrow::fs::EnsureS3Finalized(); }

std::shared_ptr<arrow::fs::FileSystem> start_s3(
    const arrow::fs::S3Options& options, const std::string& address) {
  std::shared_ptr<arrow::fs::FileSystem> files =
      value_of(arrow::fs::S3FileSystem::Make(options), "open_file", address);
  // The client has to be stopped before the objects of its library go, which
  // are made with the first file system: what is registered last goes first.
  static const int registered = std::atexit(stop_s3);
  (void)registered;
  return files;
}

Place s3_place(const std::string& bucket, const io::StorageOptions& limits) {
  if (!arrow::fs::IsS3Initialized()) {
    // A connection that breaks while it is written to must not end the process.
    auto global = arrow::fs::S3GlobalOptions::Defaults();
    global.install_sigpipe_handler = true;
    require_good(arrow::fs::InitializeS3(global), "open_file", "s3://");
  }
  arrow::fs::S3Options options = environment("AWS_NO_SIGN_REQUEST").empty()
                                     ? arrow::fs::S3Options::Defaults()
                                     : arrow::fs::S3Options::Anonymous();
  options.connect_timeout = limits.connect_timeout;
  options.request_timeout = limits.stall_timeout;
  options.retry_strategy = make_retries(limits);
  options.region = environment("AWS_REGION", "AWS_DEFAULT_REGION");
  const std::string endpoint = s3_endpoint();
  if (!endpoint.empty()) {
    const std::string scheme = io::detail::scheme_of(endpoint);
    if (!scheme.empty()) options.scheme = scheme;
    options.endpoint_override =
        io::detail::without_scheme(io::detail::without_last_slashes(endpoint));
    if (options.region.empty()) options.region = "us-east-1";
  } else if (options.region.empty()) {
    const auto region = arrow::fs::ResolveS3BucketRegion(bucket);
    if (region.ok()) options.region = *region;
  }
  const std::string address = "s3://" + bucket;
  return {start_s3(options, address), address, bucket, address};
}

// "s3://bucket" of "s3://bucket/folder/file".
std::string address_of(const std::string& path) {
  const size_t begin = path.size() - io::detail::without_scheme(path).size();
  return path.substr(0, path.find('/', begin));
}

}  // namespace

std::string Place::to_arrow(const std::string& path) const {
  const std::string rest(
      io::detail::without_last_slashes(path).substr(address.size()));
  std::string inner = rest == "/" && !root.empty() ? root : root + rest;
  if (files->type_name() != "hdfs") return inner;
  // HDFS alone has a name for its root, and takes "//name" for a host.
  const auto end = std::unique(inner.begin(), inner.end(), [](char a, char b) {
    return a == '/' && b == '/';
  });
  inner.erase(end, inner.end());
  return inner.empty() ? "/" : inner;
}

std::string Place::from_arrow(const std::string& path) const {
  return address + path.substr(root.size());
}

const Place& Places::of(const std::string& who, const std::string& path) {
  const std::string address = address_of(path);
  // Hadoop's own settings name the host of hdfs:///path.
  const bool is_default = address == "hdfs://" && path.size() > address.size();
  if (address.ends_with("://") && !is_default) {
    internal::Message(who)
        .expected("a bucket or host behind the scheme")
        .got('"', path, '"')
        .raise<ValueError>();
  }
  const std::lock_guard lock(mutex_);
  const io::StorageOptions limits = options_();
  const std::string key = address + "\n" +
                          std::to_string(limits.connect_timeout) + "\n" +
                          std::to_string(limits.stall_timeout) + "\n" +
                          std::to_string(limits.max_retries) + "\n" +
                          std::to_string(limits.first_retry_wait) + "\n" +
                          std::to_string(limits.longest_retry_wait) + "\n" +
                          s3_endpoint() + "\n" + azure_environment();
  const auto found = places_.find(key);
  if (found != places_.end()) return found->second;
  // As many requests at once as the readers ahead send; tables alone need no
  // more threads than Arrow has by itself.
  constexpr int kThreads = 32;
  (void)arrow::io::SetIOThreadPoolCapacity(kThreads);
  Place place;
  if (io::detail::scheme_of(path) == "s3") {
    place = s3_place(std::string(io::detail::without_scheme(address)), limits);
  } else {
    if (address.starts_with("abfs")) {
      place.files = azure_files(who, address, {&place.root, &place.identity});
    } else {
      place.files = hdfs_files(who, address, limits);
    }
    place.address = address;
    std::string& root = place.root;
    while (!root.empty() && root.back() == '/') root.pop_back();
  }
  return places_.emplace(key, std::move(place)).first->second;
}

}  // namespace systolic::arrow_module
