#include "systolic/plan/beside.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

HloInstruction instruction(int64_t id, std::string opcode, int64_t cycles,
                           std::vector<int64_t> operands = {}) {
  HloInstruction made{.id = id, .name = "i", .opcode = std::move(opcode)};
  made.cycles = cycles;
  made.operands = std::move(operands);
  return made;
}

HloComputation computation() {
  HloComputation made{.name = "main", .id = 1, .root = 5};
  made.instructions = {
      instruction(1, "add", 100), instruction(2, "all-reduce-start", 0, {1}),
      instruction(3, "fusion", 700), instruction(4, "all-reduce-done", 0, {2}),
      instruction(5, "add", 50, {4})};
  return made;
}

TEST(CyclesBeside, AreThoseBetweenBeginAndEnd) {
  const HloComputation main = computation();
  EXPECT_EQ(cycles_beside(main, main.instructions[1]), 700);
}

TEST(CyclesBeside, TheScheduleIsTheOrder) {
  HloComputation main = computation();
  main.schedule = {3, 1, 2, 4, 5};
  EXPECT_EQ(cycles_beside(main, main.instructions[1]), 0);
  main.schedule = {2, 1, 3, 4, 5};
  EXPECT_EQ(cycles_beside(main, main.instructions[1]), 800);
}

// It begins early and gets its values late: only what follows is beside it.
TEST(CyclesBeside, CountFromTheLastUpdate) {
  HloComputation main{.name = "main", .id = 1, .root = 6};
  main.instructions = {
      instruction(1, "async-start", 0),          instruction(2, "fusion", 700),
      instruction(3, "async-update", 0, {1, 2}), instruction(4, "fusion", 30),
      instruction(5, "async-done", 0, {3}),      instruction(6, "add", 9, {5})};
  EXPECT_EQ(cycles_beside(main, main.instructions[0]), 30);
}

TEST(CyclesBeside, NoEndIsNone) {
  HloComputation main = computation();
  main.instructions[3].opcode = "add";
  EXPECT_EQ(cycles_beside(main, main.instructions[1]), 0);
}

}  // namespace
}  // namespace systolic::internal::plan
