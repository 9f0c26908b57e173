// `systolic platforms --check`: the self-test of a platform, in a child
// process, and what is remembered of it.
#pragma once

#include "systolic/platforms/table.h"

namespace systolic::tools {

// Checks a platform whose plugin is installed, unless it is remembered or
// `again` is set, and prints a line for each check. Says whether it passed.
bool check_platform(const internal::platforms::PlatformRow& row, bool again);

// The same for all platforms whose plugins are installed.
bool check_platforms(bool again);

}  // namespace systolic::tools
