#include "systolic/plan/matrix_work.h"

#include <algorithm>
#include <cmath>

namespace systolic::internal::plan {
namespace {

constexpr int kSublanes = 8;

double size_of(const HloShape& shape, int64_t dimension) {
  const bool is_there =
      dimension >= 0 && dimension < std::ssize(shape.dimensions);
  return is_there ? static_cast<double>(
                        shape.dimensions[static_cast<size_t>(dimension)])
                  : 1;
}

double elements(const HloShape& shape) {
  double product = 1;
  for (const int64_t size : shape.dimensions) {
    product *= static_cast<double>(size);
  }
  return product;
}

double filled_up(double size, int tile) {
  return std::ceil(size / tile) * tile;
}

// Pairs of an output's and a window's position that read an element of the
// input, along one dimension.
double valid_positions(const HloWindow& window, int64_t input, int64_t output) {
  int64_t valid = 0;
  for (int64_t k = 0; k < window.size; ++k) {
    for (int64_t o = 0; o < output; ++o) {
      const int64_t place =
          o * window.stride + k * window.window_dilation - window.padding_low;
      if (place < 0 || place % window.base_dilation != 0) continue;
      if (place / window.base_dilation < input) ++valid;
    }
  }
  return static_cast<double>(valid);
}

MatrixWork convolution_work(const HloInstruction& instruction,
                            const HloShape& input, const HloShape& kernel,
                            int tile) {
  const HloConvolution& sides = instruction.convolution;
  const double features = size_of(input, sides.input_feature) /
                          static_cast<double>(instruction.feature_groups);
  const double batch = size_of(input, sides.input_batch) /
                       static_cast<double>(instruction.batch_groups);
  double positions = 1;
  double valid = 1;
  for (size_t i = 0; i < instruction.window.size(); ++i) {
    if (i >= sides.input_spatial.size() || i >= sides.output_spatial.size()) {
      break;
    }
    const double in = size_of(input, sides.input_spatial[i]);
    const double out = size_of(instruction.shape, sides.output_spatial[i]);
    positions *= out;
    valid *= valid_positions(instruction.window[i], static_cast<int64_t>(in),
                             static_cast<int64_t>(out));
  }
  // Groups are products of their own.
  const auto groups = static_cast<double>(
      std::max(instruction.feature_groups, instruction.batch_groups));
  const double outputs = size_of(kernel, sides.kernel_output_feature);
  return matrix_work(
      {.rows = batch * positions,
       .contracted = positions > 0 ? features * valid / positions : 0,
       .columns = outputs / groups,
       .times = groups},
      tile);
}

MatrixWork dot_work(const HloInstruction& instruction, const HloShape& left,
                    int tile) {
  double contracted = 1;
  for (const int64_t side : instruction.dot.lhs_contracting) {
    contracted *= size_of(left, side);
  }
  double times = 1;
  for (const int64_t side : instruction.dot.lhs_batch) {
    times *= size_of(left, side);
  }
  const double rows = elements(left) / std::max(contracted * times, 1.0);
  const double columns =
      elements(instruction.shape) / std::max(rows * times, 1.0);
  return matrix_work({rows, contracted, columns, times}, tile);
}

}  // namespace

MatrixWork matrix_work(const MatrixSides& sides, int tile) {
  constexpr double kOperations = 2;  // a product and a sum
  return {
      kOperations * sides.times * sides.rows * sides.contracted * sides.columns,
      kOperations * sides.times * filled_up(sides.rows, kSublanes) *
          filled_up(sides.contracted, tile) * filled_up(sides.columns, tile)};
}

MatrixWork matrix_work(const HloInstruction& instruction, const HloShape& left,
                       const HloShape& right, int tile) {
  if (instruction.opcode == "convolution") {
    return convolution_work(instruction, left, right, tile);
  }
  if (instruction.opcode == "dot") return dot_work(instruction, left, tile);
  return {};
}

}  // namespace systolic::internal::plan
