// Tested by: systolic/records/record_writer_test.cc
#include "systolic/records/open_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

// For what else the program opens meanwhile.
constexpr int64_t kOthers = 32;

// The files that are open now; 0 where the system does not tell.
int64_t open_files() {
  std::error_code failed;
  const std::filesystem::directory_iterator files("/proc/self/fd", failed);
  return failed ? 0 : std::distance(begin(files), end(files));
}

}  // namespace

void require_open_files(const char* who, int64_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = static_cast<rlim_t>(open_files()) +
                        static_cast<rlim_t>(count) + rlim_t{kOthers};
  if (needed <= limit.rlim_cur) return;
  const rlim_t allowed = limit.rlim_max;
  limit.rlim_cur = std::min(needed, allowed);
  if (needed <= allowed && setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  internal::Message(who)
      .expected("at most as many shards as files may be open at once")
      .got(count, " shards, where the system allows ", allowed, " files")
      .hint("fewer num_shards, a larger shard_bytes, or `ulimit -Hn` raised")
      .raise<ValueError>();
}

}  // namespace systolic::data::detail
