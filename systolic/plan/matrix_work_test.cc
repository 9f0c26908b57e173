#include "systolic/plan/matrix_work.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

constexpr int kTile = 128;

HloShape shape(std::vector<int64_t> dimensions) {
  return {.element_type = 11, .dimensions = std::move(dimensions)};
}

// A layer of 10 classes fills 10 of 128 columns.
TEST(MatrixWork, TenClassesOn128Lanes) {
  HloInstruction dot;
  dot.opcode = "dot";
  dot.shape = shape({256, 10});
  dot.dot = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  const MatrixWork work =
      matrix_work(dot, shape({256, 512}), shape({512, 10}), kTile);
  EXPECT_EQ(work.flops, 2.0 * 256 * 512 * 10);
  EXPECT_EQ(work.padded_flops, 2.0 * 256 * 512 * 128);
}

TEST(MatrixWork, BatchesOfProductsAreCounted) {
  HloInstruction dot;
  dot.opcode = "dot";
  dot.shape = shape({4, 6, 30, 30});
  dot.dot = {.lhs_contracting = {3}, .lhs_batch = {0, 1}};
  const MatrixWork work =
      matrix_work(dot, shape({4, 6, 30, 64}), shape({4, 6, 64, 30}), kTile);
  EXPECT_EQ(work.flops, 2.0 * 24 * 30 * 64 * 30);
  EXPECT_EQ(work.padded_flops, 2.0 * 24 * 32 * 128 * 128);
}

HloInstruction convolution() {
  HloInstruction instruction;
  instruction.opcode = "convolution";
  instruction.shape = shape({2, 112, 112, 64});
  instruction.convolution = {.input_batch = 0,
                             .input_feature = 3,
                             .kernel_input_feature = 2,
                             .kernel_output_feature = 3,
                             .output_feature = 3,
                             .input_spatial = {1, 2},
                             .output_spatial = {1, 2}};
  instruction.window = {{.size = 7, .stride = 2}, {.size = 7, .stride = 2}};
  return instruction;
}

// conv1 of ResNet-50, its input filled up to 229 before.
TEST(MatrixWork, ConvolutionsAreProductsOfTheirWindows) {
  const MatrixWork work = matrix_work(convolution(), shape({2, 229, 229, 3}),
                                      shape({7, 7, 3, 64}), kTile);
  EXPECT_EQ(work.flops, 2.0 * 2 * 112 * 112 * 147 * 64);
  EXPECT_EQ(work.padded_flops, 2.0 * 2 * 112 * 112 * 256 * 128);
}

TEST(MatrixWork, PaddingIsNoWork) {
  HloInstruction instruction = convolution();
  instruction.shape = shape({1, 4});
  instruction.convolution = {.input_batch = 0,
                             .input_feature = 2,
                             .kernel_input_feature = 1,
                             .kernel_output_feature = 2,
                             .output_feature = 2,
                             .input_spatial = {1},
                             .output_spatial = {1}};
  instruction.shape = shape({1, 4, 1});
  instruction.window = {{.size = 3, .padding_low = 1, .padding_high = 1}};
  // Four outputs of three each, less one at each end.
  EXPECT_EQ(
      matrix_work(instruction, shape({1, 4, 1}), shape({3, 1, 1}), kTile).flops,
      2.0 * 10);
  // A gradient: elements between those of the input are zeros.
  instruction.shape = shape({1, 7, 1});
  instruction.window[0].base_dilation = 2;
  EXPECT_EQ(
      matrix_work(instruction, shape({1, 4, 1}), shape({3, 1, 1}), kTile).flops,
      2.0 * 10);
}

// A depthwise convolution: each group uses one column of a tile.
TEST(MatrixWork, GroupsAreProductsOfTheirOwn) {
  HloInstruction instruction = convolution();
  instruction.feature_groups = 64;
  instruction.window = {{.size = 1}, {.size = 1}};
  instruction.shape = shape({2, 16, 16, 64});
  const MatrixWork work = matrix_work(instruction, shape({2, 16, 16, 64}),
                                      shape({1, 1, 1, 64}), kTile);
  EXPECT_EQ(work.flops, 2.0 * 2 * 16 * 16 * 64);
  EXPECT_EQ(work.padded_flops, 2.0 * 64 * 512 * 128 * 128);
}

TEST(MatrixWork, OtherInstructionsHaveNone) {
  HloInstruction add;
  add.opcode = "add";
  EXPECT_EQ(matrix_work(add, shape({8}), shape({8}), kTile).padded_flops, 0);
}

}  // namespace
}  // namespace systolic::internal::plan
