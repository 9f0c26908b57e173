// A scope that has no name ends on the same line.
// first: here: ignoring returned value of type '.*StrategyScope'
#include "systolic/distribute/strategy.h"

// As -Wall -Werror has it.
#pragma GCC diagnostic error "-Wunused-result"

void train(const systolic::distribute::Strategy& strategy) {
#ifdef SYSTOLIC_FIXED
  auto scope = strategy.scope();
#else
  strategy.scope();  // here
#endif
}
