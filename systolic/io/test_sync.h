// Counts how often writers wait for the disk, and lets the disk fail.
#pragma once

#include <atomic>

namespace systolic::io::detail {

// What fdatasync() does in these tests besides counting: 0 is what the system
// does, else it fails so. Defined in local_test.cc.
extern std::atomic<int> sync_error;
extern std::atomic<int> syncs;

}  // namespace systolic::io::detail
