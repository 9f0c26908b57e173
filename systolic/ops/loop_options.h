// The node of a loop: how its inputs, its bodies and its outputs lie.
//
// Inputs: the first values of what is carried (variables that the body assigns
// last), the sequences, the variables that the body only reads, those that the
// condition only reads, the count if there is one, what the body uses of the
// outer program, what the condition does.
// Parameters of the body: what is carried without the variables, rows of the
// sequences, the variables carried, those only read.
// Results of the body, and outputs: what is carried, rows (stacks), residuals
// last. A loop with a condition and a bound also gives its number of turns.
#pragma once

#include <vector>

#include "systolic/graph/op.h"

namespace systolic::internal::ops {

struct LoopOptions {
  /// The body and, if there is one, the condition.
  graph::Regions regions = {};
  int carried = 0;
  int variables = 0;
  int sequences = 0;
  int body_reads = 0;
  int condition_reads = 0;
  /// Of the body.
  int captures = 0;
  bool has_count = false;
  /// Rows that each turn gives, with the residuals.
  int stacked = 0;
  int residuals = 0;
  bool keeps_residuals = false;
  int64_t length = -1;
  bool reverse = false;

  bool has_condition() const { return regions.size() > 1; }
  bool gives_turns() const { return has_condition() && length >= 0; }
  int own() const { return carried - variables; }
  int first_read() const { return carried + sequences; }
  int count_input() const {
    return first_read() + body_reads + condition_reads;
  }
  int first_capture() const { return count_input() + (has_count ? 1 : 0); }
  int first_residual() const { return carried + stacked - residuals; }
  int turns_output() const { return carried + stacked; }

  template <class V>
  void visit(V&& v) const {
    v("carried", carried);
    v("variables", variables);
    v("sequences", sequences);
    v("body_reads", body_reads);
    v("condition_reads", condition_reads);
    v("stacked", stacked);
    v("has_count", has_count);
    v("length", length);
    v("reverse", reverse);
  }
};

/// Records the node; `is_while`: with a condition.
std::vector<Tensor> record_loop(std::vector<graph::Ref> inputs,
                                LoopOptions options, bool is_while,
                                const SourceLocation& where);

/// The shape of a stack's rows; of a stack of such rows.
Shape row_shape(const Shape& stack);
Shape stack_shape(int64_t rows, const Shape& row);

/// The gradient rule of the loop.
graph::Grads loop_gradient(graph::Vjp& v, const LoopOptions& o);

}  // namespace systolic::internal::ops
