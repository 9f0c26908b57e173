#include "systolic/plan/operations.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/plan/test_modules.h"

namespace systolic::internal::plan {
namespace {

constexpr int kTile = 128;

const OperationWork* find(const ProgramWork& work, std::string_view layer,
                          std::string_view name) {
  for (const OperationWork& operation : work.operations) {
    if (operation.layer == layer && operation.name == name) return &operation;
  }
  return nullptr;
}

TEST(Operations, SplitsOpNames) {
  EXPECT_EQ(split_op_name("conv1_conv/convolution").layer, "conv1_conv");
  EXPECT_EQ(split_op_name("conv1_conv/convolution").op, "convolution");
  EXPECT_EQ(split_op_name("a/b (gradient)/matmul").layer, "a/b (gradient)");
  EXPECT_EQ(split_op_name("matmul").layer, "");
  EXPECT_EQ(split_op_name("a/add;b/multiply").op, "add");
}

// Six turns of the loop, and what is done once before it.
TEST(Operations, LoopsCountAsOftenAsTheyTurn) {
  const ProgramWork work =
      program_work(read_hlo_module(recorded_module("loop_v3.pb")), kTile);
  EXPECT_EQ(work.loops_of_unknown_length, 0);
  const OperationWork* gradient = find(work, "dense_1 (gradient)", "matmul");
  ASSERT_NE(gradient, nullptr);
  EXPECT_EQ(gradient->where, "my model.cc:58");
  // Two products of 32 x 96 x 10, which the compiler has put together.
  EXPECT_EQ(gradient->flops, 6 * 2 * 2.0 * 32 * 96 * 10);
  EXPECT_EQ(gradient->padded_flops,
            6 * 2.0 * (32 * 128 * 128 + 96 * 128 * 128));
  double sum = 0;
  for (const OperationWork& operation : work.operations) {
    sum += operation.cycles;
  }
  EXPECT_EQ(sum, work.cycles());
  ASSERT_EQ(work.collectives.size(), 1u);
  EXPECT_EQ(work.collectives[0].times, 6);
  EXPECT_EQ(work.collectives[0].bytes, 96 * 10 * 4);
  EXPECT_EQ(work.collectives[0].replicas, 8);
  EXPECT_EQ(work.collectives[0].beside, 0);
}

TEST(Operations, WithoutALengthLoopsCountOnce) {
  HloModule module = read_hlo_module(recorded_module("loop_v3.pb"));
  const double once = 6;
  const double known = program_work(module, kTile).collectives[0].times;
  for (auto& [id, computation] : module.computations) {
    for (HloInstruction& instruction : computation.instructions) {
      if (instruction.opcode == "while") instruction.op_name = "fit/while";
    }
  }
  const ProgramWork work = program_work(module, kTile);
  EXPECT_EQ(work.loops_of_unknown_length, 1);
  EXPECT_EQ(work.collectives[0].times, known / once);
  for (auto& [id, computation] : module.computations) {
    for (HloInstruction& instruction : computation.instructions) {
      if (instruction.opcode == "while") instruction.trips = 9;
    }
  }
  EXPECT_EQ(program_work(module, kTile).collectives[0].times, 9);
}

TEST(Operations, CopiesBesideTheWorkAreNoTime) {
  const ProgramWork work = program_work(
      read_hlo_module(recorded_module("convolution_v5e.pb")), kTile);
  EXPECT_GT(work.overlapped_copies, 0);
  const OperationWork* convolution = find(work, "conv1_conv", "convolution");
  ASSERT_NE(convolution, nullptr);
  EXPECT_EQ(convolution->cycles, 5287);
  // 16 x 16 outputs of 3 x 3, less those on the padding.
  EXPECT_EQ(convolution->flops, 2.0 * 8 * 46 * 46 * 8 * 32);
  // Layouts are changed by copies; that of an argument has no name.
  EXPECT_EQ(find(work, "conv1_conv", "add")->cycles, 5206);
  EXPECT_EQ(find(work, "arguments", "copy")->cycles, 2966);
  EXPECT_EQ(find(work, "", "copy-start"), nullptr);
}

// A conditional of two branches, the second longer.
HloModule branches() {
  HloModule module;
  module.entry_id = 1;
  HloInstruction choice{.id = 1, .name = "c", .opcode = "conditional"};
  choice.computations = {2, 3};
  module.computations[1] = {
      .name = "main", .id = 1, .root = 1, .instructions = {choice}};
  for (int64_t id : {2, 3}) {
    HloInstruction add{.id = 10 * id, .name = "a", .opcode = "add"};
    add.cycles = 100 * id;
    module.computations[id] = {
        .name = "branch", .id = id, .root = add.id, .instructions = {add}};
  }
  return module;
}

TEST(Operations, TheLongestBranchCounts) {
  const ProgramWork work = program_work(branches(), kTile);
  EXPECT_EQ(work.branches, 1);
  EXPECT_EQ(work.cycles(), 300);
}

TEST(Operations, FusionsWithoutANameStayApart) {
  HloModule module = read_hlo_module(recorded_module("loop_v3.pb"));
  for (auto& [id, computation] : module.computations) {
    for (HloInstruction& instruction : computation.instructions) {
      if (instruction.opcode != "while") instruction.op_name.clear();
    }
  }
  const ProgramWork work = program_work(module, kTile);
  EXPECT_NE(find(work, "", "fusion.19"), nullptr);
  EXPECT_NE(find(work, "", "subtract"), nullptr);
}

// A slice that is fetched beside the work.
TEST(Operations, WrappedCopiesOverlap) {
  HloModule module = branches();
  HloInstruction start{.id = 5, .name = "s", .opcode = "async-start"};
  start.computations = {2};
  HloInstruction buffer{.id = 6, .name = "b", .opcode = "custom-call"};
  buffer.shape = {.element_type = 11, .dimensions = {1000}};
  module.computations[1].instructions = {start, buffer};
  HloInstruction& copy = module.computations[2].instructions[0];
  copy.cycles = 0;
  copy.shape = buffer.shape;
  const ProgramWork work = program_work(module, kTile);
  EXPECT_EQ(work.overlapped_copies, 4000);
  EXPECT_TRUE(work.operations.empty());
}

TEST(Operations, ComputationsThatCallThemselvesAreAnError) {
  HloModule module = branches();
  HloInstruction call{.id = 40, .name = "c", .opcode = "call"};
  call.computations = {1};
  module.computations[3].instructions = {call};
  EXPECT_THROW(program_work(module, kTile), DataError);
}

// A collective that begins in one place and ends in another.
TEST(Operations, AsynchronousCollectivesAreBesideTheWork) {
  HloModule module;
  module.entry_id = 1;
  HloInstruction value{.id = 1, .name = "p", .opcode = "parameter"};
  value.shape = {.element_type = 11, .dimensions = {1000}};
  HloInstruction start{.id = 2, .name = "s", .opcode = "all-reduce-start"};
  start.operands = {1};
  HloInstruction add{.id = 3, .name = "a", .opcode = "add"};
  add.cycles = 70;
  HloInstruction done{.id = 4, .name = "d", .opcode = "all-reduce-done"};
  done.operands = {2};
  module.computations[1] = {.name = "main", .id = 1, .root = 4};
  module.computations[1].instructions = {value, start, add, done};
  const ProgramWork work = program_work(module, kTile);
  ASSERT_EQ(work.collectives.size(), 1u);
  EXPECT_EQ(work.collectives[0].beside, 70);
  EXPECT_EQ(work.collectives[0].bytes, 4000);
  EXPECT_EQ(work.cycles(), 70);
}

// As tpu7x has it: a custom call in an asynchronous computation.
TEST(Operations, OffloadedCollectivesAreFound) {
  HloModule module;
  module.entry_id = 1;
  HloInstruction start{.id = 1, .name = "s", .opcode = "async-start"};
  start.computations = {2};
  HloInstruction done{.id = 2, .name = "d", .opcode = "async-done"};
  done.operands = {1};
  module.computations[1] = {.name = "main", .id = 1, .root = 2};
  module.computations[1].instructions = {start, done};
  HloInstruction value{.id = 3, .name = "p", .opcode = "parameter"};
  value.shape = {.element_type = 11, .dimensions = {1000}};
  HloInstruction call{.id = 4, .name = "c", .opcode = "custom-call"};
  call.operands = {3};
  call.computations = {3};
  module.computations[2] = {.name = "async", .id = 2, .root = 4};
  module.computations[2].instructions = {value, call};
  HloInstruction reduce{.id = 6, .name = "r", .opcode = "all-reduce"};
  reduce.operands = {5};
  reduce.group_size = 8;
  value.id = 5;
  module.computations[3] = {.name = "called", .id = 3, .root = 6};
  module.computations[3].instructions = {value, reduce};
  const ProgramWork work = program_work(module, kTile);
  ASSERT_EQ(work.collectives.size(), 1u);
  EXPECT_EQ(work.collectives[0].bytes, 4000);
  EXPECT_EQ(work.collectives[0].replicas, 8);
  EXPECT_EQ(work.overlapped_copies, 0);
  EXPECT_TRUE(work.operations.empty());
}

}  // namespace
}  // namespace systolic::internal::plan
