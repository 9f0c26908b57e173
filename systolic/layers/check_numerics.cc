// Tested by: systolic/models/check_numerics_platform_test.cc
#include "systolic/layers/check_numerics.h"

#include <atomic>

namespace systolic::layers {

namespace {

std::atomic<bool> checks{false};

}  // namespace

void enable_check_numerics() { checks = true; }

void disable_check_numerics() { checks = false; }

bool is_checking_numerics() { return checks; }

}  // namespace systolic::layers
