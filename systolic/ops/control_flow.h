// Control flow on the device.
//
//   Tensor y = cond(sum(x) > 0, [&] { return log(x); }, [&] { return -x; });
//   auto [last, all] = scan([&](const Tensor& h, const Tensor& x) {
//     const Tensor next = tanh(matmul(h, w) + x);
//     return std::pair(next, next);
//   }, h0, xs);
//
// A body is recorded once, and may use any values; Variables that it assigns
// are changed when the device runs it. All but an unbounded while_loop have
// gradients; what a Variable is assigned is no part of them.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"

namespace systolic {

using LoopCondition = std::function<Tensor(const std::vector<Tensor>&)>;
using LoopBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct WhileLoopOptions {
  /// The most turns. The gradient needs it: the memory for what the turns
  /// leave to it is for so many.
  std::optional<int64_t> maximum_iterations = {};
};

/// Runs `body` while `condition` is true; returns the last values. The specs
/// of the values must not change. Throws ShapeError naming the one that does.
std::vector<Tensor> while_loop(
    const LoopCondition& condition, const LoopBody& body,
    const std::vector<Tensor>& loop_vars, const WhileLoopOptions& options = {},
    SourceLocation where = SourceLocation::current());

/// The same with one value.
template <std::same_as<Tensor> T>
Tensor while_loop(const std::function<Tensor(const Tensor&)>& condition,
                  const std::function<Tensor(const Tensor&)>& body,
                  const T& loop_var, const WhileLoopOptions& options = {},
                  SourceLocation where = SourceLocation::current()) {
  return while_loop(
      [&](const std::vector<Tensor>& v) { return condition(v[0]); },
      [&](const std::vector<Tensor>& v) { return std::vector{body(v[0])}; },
      std::vector<Tensor>{loop_var}, options, where)[0];
}

/// Runs `body(i)` for i = 0 ... count - 1 on the device (int32; `count` may
/// be a value of the program). What it changes are Variables.
void for_loop(const Arg& count, const std::function<void(const Tensor&)>& body,
              SourceLocation where = SourceLocation::current());

/// `body(i, value)` gives the next value, for i = lower ... upper - 1 (int32).
/// Throws as while_loop.
Tensor fori_loop(
    int64_t lower, int64_t upper,
    const std::function<Tensor(const Tensor&, const Tensor&)>& body,
    const Tensor& init_val, SourceLocation where = SourceLocation::current());

struct ScanOptions {
  /// The number of turns, where no sequence says it.
  std::optional<int64_t> length = {};
  /// From the last row to the first.
  bool reverse = false;
};

/// The last values of what was carried; a stack of what each turn gave.
struct ScanValues {
  std::vector<Tensor> carry;
  std::vector<Tensor> ys;
};

using ScanBody = std::function<ScanValues(const std::vector<Tensor>& carry,
                                          const std::vector<Tensor>& x)>;

/// Runs `f` on the rows of `xs` (along the first axis) one after the other,
/// carrying values from each to the next. Throws ShapeError where the specs of
/// the carried values change or the numbers of rows differ.
ScanValues scan(const ScanBody& f, const std::vector<Tensor>& init,
                const std::vector<Tensor>& xs, const ScanOptions& options = {},
                SourceLocation where = SourceLocation::current());

/// The same with one carried value, one sequence (or an undefined Tensor and
/// .length) and one result, which may be undefined.
template <std::same_as<Tensor> T>
std::pair<Tensor, Tensor> scan(
    const std::function<std::pair<Tensor, Tensor>(const Tensor& carry,
                                                  const Tensor& x)>& f,
    const T& init, const Tensor& xs, const ScanOptions& options = {},
    SourceLocation where = SourceLocation::current()) {
  std::vector<Tensor> sequences;
  if (xs.is_defined()) sequences.push_back(xs);
  const ScanValues found = scan(
      [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& x) {
        auto [next, y] = f(carry[0], x.empty() ? Tensor() : x[0]);
        ScanValues turn{{std::move(next)}, {}};
        if (y.is_defined()) turn.ys.push_back(std::move(y));
        return turn;
      },
      std::vector<Tensor>{init}, sequences, options, where);
  return {found.carry[0], found.ys.empty() ? Tensor() : found.ys[0]};
}

/// `f` of each row of `elems`, stacked.
Tensor map_fn(const std::function<Tensor(const Tensor&)>& f,
              const Tensor& elems,
              SourceLocation where = SourceLocation::current());

/// The results of branch `branch_index` (an int32 value of the program); one
/// that is outside means the last. Throws ShapeError where the results of the
/// branches differ in spec.
std::vector<Tensor> switch_case(
    const Tensor& branch_index,
    const std::vector<std::function<std::vector<Tensor>()>>& branch_fns,
    SourceLocation where = SourceLocation::current());

namespace internal::ops {

std::vector<Tensor> cond(const Arg& pred,
                         const std::function<std::vector<Tensor>()>& true_fn,
                         const std::function<std::vector<Tensor>()>& false_fn,
                         const SourceLocation& where);

// What a branch gives, as a list.
template <class F>
std::vector<Tensor> results_of(F& branch) {
  using Result = std::invoke_result_t<F&>;
  if constexpr (std::is_void_v<Result>) {
    branch();
    return {};
  } else if constexpr (std::convertible_to<Result, std::vector<Tensor>>) {
    return branch();
  } else {
    return {branch()};
  }
}

}  // namespace internal::ops

/// The result of `true_fn` where `pred` (one bool) is true, else that of
/// `false_fn`: a Tensor, a list of them, or nothing. A C++ bool decides when it
/// is recorded. Throws ShapeError where the results differ in spec.
template <class T, class F>
auto cond(const Arg& pred, T true_fn, F false_fn,
          SourceLocation where = SourceLocation::current()) {
  using Result = std::invoke_result_t<T&>;
  std::vector<Tensor> results = internal::ops::cond(
      pred, [&] { return internal::ops::results_of(true_fn); },
      [&] { return internal::ops::results_of(false_fn); }, where);
  if constexpr (std::convertible_to<Result, std::vector<Tensor>>) {
    return results;
  } else if constexpr (!std::is_void_v<Result>) {
    return results[0];
  }
}

}  // namespace systolic
