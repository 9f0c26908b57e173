#include "systolic/plan/hlo_module.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/plan/test_modules.h"

namespace systolic::internal::plan {
namespace {

const HloInstruction* find(const HloModule& module, std::string_view opcode) {
  for (const auto& [id, computation] : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (instruction.opcode == opcode) return &instruction;
    }
  }
  return nullptr;
}

TEST(HloModule, ReadsALoop) {
  const HloModule module = read_hlo_module(recorded_module("loop_v3.pb"));
  EXPECT_EQ(module.entry().name, "main.4");
  const HloInstruction* loop = find(module, "while");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->op_name, "fit/while [trips=6]");
  EXPECT_EQ(loop->where, "train.cc:31");
  EXPECT_EQ(loop->computations.size(), 2u);
  EXPECT_EQ(loop->shape.parts.size(), 5u);
  EXPECT_EQ(loop->trips, 0);  // libtpu does not say
}

TEST(HloModule, ReadsCyclesMetadataAndGroups) {
  const HloModule module = read_hlo_module(recorded_module("loop_v3.pb"));
  const HloInstruction* reduce = find(module, "all-reduce");
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->group_size, 8);
  EXPECT_EQ(reduce->cycles, 0);
  EXPECT_EQ(reduce->shape.dimensions, (std::vector<int64_t>{96, 10}));
  EXPECT_EQ(reduce->shape.bytes(), 96 * 10 * 4);
  const HloInstruction* subtract = find(module, "subtract");
  ASSERT_NE(subtract, nullptr);
  EXPECT_EQ(subtract->op_name, "sgd/subtract");
  EXPECT_GT(subtract->cycles, 0);
  ASSERT_EQ(subtract->operands.size(), 2u);
  EXPECT_EQ(subtract->operands[1], reduce->id);
}

TEST(HloModule, ReadsConvolutions) {
  const HloModule module =
      read_hlo_module(recorded_module("convolution_v5e.pb"));
  const HloInstruction* convolution = find(module, "convolution");
  ASSERT_NE(convolution, nullptr);
  EXPECT_EQ(convolution->where, "my model.cc:12");
  ASSERT_EQ(convolution->window.size(), 2u);
  EXPECT_EQ(convolution->window[0].size, 3);
  EXPECT_EQ(convolution->window[0].padding_low, 1);
  EXPECT_EQ(convolution->convolution.input_batch, 0);
  EXPECT_EQ(convolution->convolution.input_feature, 3);
  EXPECT_EQ(convolution->convolution.kernel_output_feature, 3);
  EXPECT_EQ(convolution->feature_groups, 1);
  // The kernel is copied into the core's memory before.
  const HloInstruction* copy = find(module, "copy-done");
  ASSERT_NE(copy, nullptr);
  EXPECT_NE(copy->shape.memory_space, 0);
  EXPECT_EQ(copy->shape.large_memory_bytes(), 0);
}

// At whatever place it ends, and whatever is in it: an error, no crash.
TEST(HloModule, RefusesDamage) {
  const std::string whole = recorded_module("loop_v3.pb");
  for (size_t size = 1; size < whole.size(); size += 97) {
    EXPECT_THROW(read_hlo_module(whole.substr(0, size)), DataError) << size;
  }
  EXPECT_THROW(read_hlo_module(""), DataError);
  EXPECT_THROW(read_hlo_module("HloModule tiny, entry"), DataError);
}

TEST(HloModule, DamageInTheMiddleIsNoCrash) {
  const std::string whole = recorded_module("convolution_v5e.pb");
  for (size_t place = 0; place < whole.size(); place += 13) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(~damaged[place]);
    try {
      read_hlo_module(damaged);
    } catch (const DataError&) {
    }
  }
}

TEST(HloShape, CountsBitsAndParts) {
  HloShape four_bits{.element_type = 21, .dimensions = {3, 5}};
  EXPECT_EQ(four_bits.bytes(), 8);
  HloShape tuple{.element_type = 13};
  tuple.parts = {four_bits, {.element_type = 11, .dimensions = {2}}};
  EXPECT_EQ(tuple.bytes(), 16);
}

}  // namespace
}  // namespace systolic::internal::plan
