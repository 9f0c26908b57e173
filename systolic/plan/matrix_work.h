// What matrix products and convolutions ask of the matrix units (MXU), and how
// much of the units' tiles stays empty.
//
//   MatrixWork work = matrix_work(instruction, operands, 128);
//   double waste = 1 - work.flops / work.padded_flops;
#pragma once

#include <cstdint>

#include "systolic/plan/hlo_module.h"

namespace systolic::internal::plan {

// Multiplications and additions, each counted.
struct MatrixWork {
  double flops = 0;
  double padded_flops = 0;  // with the tiles' empty places

  MatrixWork& operator+=(const MatrixWork& other) {
    flops += other.flops;
    padded_flops += other.padded_flops;
    return *this;
  }
};

// The three sides of a product: rows x contracted times contracted x columns,
// done `times` times.
struct MatrixSides {
  double rows = 0;
  double contracted = 0;
  double columns = 0;
  double times = 1;
};

// The work of a product on units of `tile` x `tile`: columns and what is
// contracted are filled up to whole tiles, rows to 8 sublanes.
MatrixWork matrix_work(const MatrixSides& sides, int tile);

// The work of an instruction; none of one that is no "dot" or "convolution".
// A convolution is taken as the product of batch and positions by the window's
// inputs by output features; window positions that fall on padding or between
// the elements of a dilated input are not counted, as in XLA's analysis.
MatrixWork matrix_work(const HloInstruction& instruction, const HloShape& left,
                       const HloShape& right, int tile);

}  // namespace systolic::internal::plan
