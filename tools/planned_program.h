// Plans a program of any kind: it is run with SYSTOLIC_PLAN set, and ends where
// its first training step would begin.
//
//   PlannedProgram plan = plan_program({"build/bin/mnist"}, {"v3-8", 1024});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systolic::tools {

// What a program is planned for.
struct PlanPoint {
  std::string topology;
  int64_t batch_size = 0;  // 0: the program's own
};

// What came of it.
struct PlannedProgram {
  bool fits = false;
  std::string text;  // the report
  std::string json;
};

// Runs a program, its arguments behind its name, until it has been planned.
// What it prints is kept from the terminal unless `shows_output`. Throws
// NotFoundError where it can not be started, Error with the last of what it
// said where it ends without a plan.
PlannedProgram plan_program(const std::vector<std::string>& command,
                            const PlanPoint& point, bool shows_output = false);

}  // namespace systolic::tools
