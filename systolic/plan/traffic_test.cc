#include "systolic/plan/traffic.h"

#include <gtest/gtest.h>

#include "systolic/plan/test_modules.h"

namespace systolic::internal::plan {
namespace {

HloShape floats(std::vector<int64_t> dimensions) {
  return {.element_type = 11, .dimensions = std::move(dimensions)};
}

HloInstruction instruction(int64_t id, std::string opcode, HloShape shape,
                           std::vector<int64_t> operands = {}) {
  HloInstruction made{.id = id, .name = opcode, .opcode = opcode};
  made.shape = std::move(shape);
  made.operands = std::move(operands);
  return made;
}

HloModule module_of(std::vector<HloInstruction> instructions) {
  HloModule module;
  module.entry_id = 1;
  HloComputation& main = module.computations[1];
  main.id = 1;
  main.root = instructions.back().id;
  main.instructions = std::move(instructions);
  return module;
}

double last(const HloModule& module) {
  return traffic(module, module.entry(), module.entry().instructions.back());
}

TEST(Traffic, OperandsAreReadAndResultsWritten) {
  EXPECT_EQ(last(module_of({instruction(1, "parameter", floats({100})),
                            instruction(2, "parameter", floats({100})),
                            instruction(3, "add", floats({100}), {1, 2})})),
            1200);
}

TEST(Traffic, SlicesReadOnlyTheirPart) {
  EXPECT_EQ(last(module_of(
                {instruction(1, "parameter", floats({50, 10})),
                 instruction(2, "parameter", floats({})),
                 instruction(3, "dynamic-slice", floats({1, 10}), {1, 2})})),
            40 + 40 + 4);
}

TEST(Traffic, UpdatesInPlaceWriteOnlyTheirPart) {
  EXPECT_EQ(last(module_of({instruction(1, "parameter", floats({50, 10})),
                            instruction(2, "parameter", floats({1, 10})),
                            instruction(3, "dynamic-update-slice",
                                        floats({50, 10}), {1, 2})})),
            40 + 40);
}

TEST(Traffic, TheCoresOwnMemoryIsNoTraffic) {
  HloShape near = floats({100});
  near.memory_space = 1;
  EXPECT_EQ(last(module_of({instruction(1, "parameter", near),
                            instruction(2, "negate", floats({100}), {1})})),
            400);
}

// Into the core's memory: the copy reads, and writes nothing.
TEST(Traffic, AsynchronousCopiesCountOnce) {
  HloShape near = floats({100});
  near.memory_space = 1;
  HloShape all{.element_type = 13};
  all.parts = {near, floats({100}), {.element_type = 8}};
  EXPECT_EQ(last(module_of({instruction(1, "parameter", floats({100})),
                            instruction(2, "copy-start", all, {1})})),
            400);
}

// The gradient reads a batch of the six and the weights twice.
TEST(Traffic, FusionsReadWhatTheyUse) {
  const HloModule module = read_hlo_module(recorded_module("loop_v3.pb"));
  int found = 0;
  for (const auto& [id, computation] : module.computations) {
    for (const HloInstruction& one : computation.instructions) {
      if (one.opcode != "fusion" || one.cycles == 0) continue;
      ++found;
      const double weights = 96 * 10 * 4;
      const double batch = 32 * 96 * 2;  // bfloat16
      const double scalars = 4;
      EXPECT_LE(traffic(module, computation, one),
                2 * weights + 2 * batch + 3 * scalars);
      EXPECT_GE(traffic(module, computation, one), 2 * weights + batch);
    }
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace systolic::internal::plan
