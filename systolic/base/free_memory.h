// How much memory a process can still use, where its control group may allow
// less than the system has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace systolic::internal {

// The bytes of memory that this process can still use, by the system and by
// the limit of its control group.
int64_t available_memory();

// The bytes that the control group in `folder` leaves, either version; nothing
// where it sets no limit. Pages of files that the system keeps in memory count
// as free: they go when memory is needed.
std::optional<int64_t> control_group_memory(const std::string& folder);

}  // namespace systolic::internal
