#include "systolic/ops/control_flow.h"

#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/graph/node.h"
#include "systolic/ops/branches.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/loop.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

using internal::Message;
using internal::ops::Branches;
using internal::ops::Loop;
using internal::ops::LoopValues;

std::vector<Tensor> while_loop(const LoopCondition& condition,
                               const LoopBody& body,
                               const std::vector<Tensor>& loop_vars,
                               const WhileLoopOptions& options,
                               SourceLocation where) {
  internal::require_function(condition, "while_loop condition");
  internal::require_function(body, "while_loop body");
  const int64_t most = options.maximum_iterations.value_or(-1);
  if (options.maximum_iterations && most < 0) {
    Message("while_loop")
        .expected("maximum_iterations of 0 or more")
        .got(most)
        .at(where)
        .raise<ValueError>();
  }
  return internal::ops::run_loop(
             {.name = "while_loop",
              .carried = loop_vars,
              .condition = condition,
              .body =
                  [&](const LoopValues& turn) {
                    return LoopValues{body(turn.carried), {}};
                  },
              .length = most,
              .where = where})
      .carried;
}

void for_loop(const Arg& count, const std::function<void(const Tensor&)>& body,
              SourceLocation where) {
  internal::require_function(body, "for_loop body");
  const TensorSpec given{count.dtype(), count.is_scalar()
                                            ? Shape::scalar()
                                            : count.tensor().shape()};
  if (!is_integer(given.dtype) || given.shape.rank() != 0) {
    Message("for_loop")
        .expected("a count that is one integer")
        .got(given)
        .at(where)
        .raise<TypeError>();
  }
  const Tensor limit = cast(count, DType::int32);
  const Tensor zero = Arg(0).tensor(DType::int32);
  while_loop(
      [&](const std::vector<Tensor>& values) { return values[0] < limit; },
      [&](const std::vector<Tensor>& values) {
        body(values[0]);
        return std::vector{values[0] + 1};
      },
      {zero}, {}, where);
}

Tensor fori_loop(
    int64_t lower, int64_t upper,
    const std::function<Tensor(const Tensor&, const Tensor&)>& body,
    const Tensor& init_val, SourceLocation where) {
  internal::require_function(body, "fori_loop body");
  const auto turn = [&](const std::vector<Tensor>& carry,
                        const std::vector<Tensor>&) {
    return ScanValues{{carry[0] + 1, body(carry[0], carry[1])}, {}};
  };
  const Tensor first = Arg(lower).tensor(DType::int32);
  const int64_t length = std::max<int64_t>(upper - lower, 0);
  return scan(turn, {first, init_val}, {}, {.length = length}, where).carry[1];
}

namespace {

int64_t length_of(const std::vector<Tensor>& xs, const ScanOptions& options,
                  const SourceLocation& where) {
  std::optional<int64_t> length = options.length;
  for (const Tensor& rows : xs) {
    if (rows.rank() == 0) {
      Message("scan")
          .expected("sequences with a first axis")
          .got(rows.spec())
          .at(where)
          .raise<ShapeError>();
    }
    if (!length) length = rows.shape()[0];
    if (rows.shape()[0] == *length) continue;
    Message("scan")
        .expected("sequences of ", *length, " rows")
        .got(rows.spec())
        .at(where)
        .raise<ShapeError>();
  }
  if (!length || *length < 0) {
    Message("scan")
        .expected("a sequence, or a .length of 0 or more")
        .got(length ? std::to_string(*length) : std::string("neither"))
        .at(where)
        .raise<ValueError>();
  }
  return *length;
}

}  // namespace

ScanValues scan(const ScanBody& f, const std::vector<Tensor>& init,
                const std::vector<Tensor>& xs, const ScanOptions& options,
                SourceLocation where) {
  internal::require_function(f, "scan body");
  LoopValues found = internal::ops::run_loop(
      {.name = "scan",
       .carried = init,
       .sequences = xs,
       .body =
           [&](const LoopValues& turn) {
             ScanValues next = f(turn.carried, turn.stacked);
             return LoopValues{std::move(next.carry), std::move(next.ys)};
           },
       .length = length_of(xs, options, where),
       .reverse = options.reverse,
       .where = where});
  return {std::move(found.carried), std::move(found.stacked)};
}

Tensor map_fn(const std::function<Tensor(const Tensor&)>& f,
              const Tensor& elems, SourceLocation where) {
  internal::require_function(f, "map_fn");
  return scan(
             [&](const std::vector<Tensor>&, const std::vector<Tensor>& x) {
               return ScanValues{{}, {f(x[0])}};
             },
             {}, {elems}, {}, where)
      .ys[0];
}

std::vector<Tensor> switch_case(
    const Tensor& branch_index,
    const std::vector<std::function<std::vector<Tensor>()>>& branch_fns,
    SourceLocation where) {
  for (const auto& branch : branch_fns) {
    internal::require_function(branch, "switch_case branch");
  }
  if (branch_fns.empty() || !is_integer(branch_index.dtype()) ||
      branch_index.rank() != 0) {
    Message("switch_case")
        .expected("one integer and at least one branch")
        .got(branch_index.spec(), " and ", branch_fns.size(), " branches")
        .at(where)
        .raise<TypeError>();
  }
  return internal::ops::run_branches({.name = "switch_case",
                                      .index = cast(branch_index, DType::int32),
                                      .branches = branch_fns,
                                      .where = where});
}

std::vector<Tensor> internal::ops::cond(
    const Arg& pred, const std::function<std::vector<Tensor>()>& true_fn,
    const std::function<std::vector<Tensor>()>& false_fn,
    const SourceLocation& where) {
  if (pred.is_scalar()) {
    const Tensor known = pred.tensor(DType::boolean);
    return known.ref().node->literal_bits != 0 ? true_fn() : false_fn();
  }
  const TensorSpec given = pred.tensor().spec();
  if (given != TensorSpec{DType::boolean, Shape::scalar()}) {
    Message("cond")
        .expected("one bool")
        .got(given)
        .hint("compare first: cond(x > 0, ...); where chooses by elements")
        .at(where)
        .raise<TypeError>();
  }
  return run_branches({.name = "cond",
                       .index = pred.tensor(),
                       .branches = {true_fn, false_fn},
                       .where = where});
}

}  // namespace systolic
