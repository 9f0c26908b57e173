#include "systolic/graph/lowering_target.h"

// Tested by: systolic/graph/judge_platform_test.cc

namespace systolic::internal::graph {

namespace {

thread_local const platforms::PlatformRow* lowering_row = nullptr;

}  // namespace

LoweringTarget::LoweringTarget(const platforms::PlatformRow& row)
    : previous_(lowering_row) {
  lowering_row = &row;
}

LoweringTarget::~LoweringTarget() { lowering_row = previous_; }

const platforms::PlatformRow* LoweringTarget::current() { return lowering_row; }

}  // namespace systolic::internal::graph
