// GradientTape::jacobian and batch_jacobian: written with ops, in a loop.
// Tested by: systolic/ops/jacobian_platform_test.cc
#include <functional>
#include <numeric>

#include "systolic/base/message.h"
#include "systolic/graph/tape.h"
#include "systolic/graph/tape_state.h"
#include "systolic/ops/loop.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

using internal::Message;
using internal::graph::TapeState;
using internal::ops::LoopValues;

namespace {

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (const int64_t size : b) shape.push_back(size);
  return shape;
}

int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         std::multiplies<>());
}

// For each of `rows` output gradients, made from the row's number (int32),
// the gradients of all sources; undefined where there is none.
std::vector<Tensor> gradients_by_row(
    const TapeState& tape, const Tensor& target, const Sources& sources,
    const GradientOptions& options, int64_t rows,
    const std::function<Tensor(const Tensor&)>& output_gradient,
    const SourceLocation& where) {
  std::vector<bool> is_found;
  const auto body = [&](const LoopValues& turn) {
    const Tensor& row = turn.carried[0];
    const std::vector<Tensor> found = internal::graph::walk_back(
        tape, target, sources,
        {.output_gradients = {output_gradient(row)},
         .unconnected_gradients = options.unconnected_gradients},
        where);
    LoopValues next{{row + 1}, {}};
    is_found.clear();
    for (const Tensor& gradient : found) {
      is_found.push_back(gradient.is_defined());
      if (gradient.is_defined()) next.stacked.push_back(gradient);
    }
    return next;
  };
  const LoopValues all =
      internal::ops::run_loop({.name = "scan",
                               .carried = {Arg(0).tensor(DType::int32)},
                               .body = body,
                               .length = rows,
                               .where = where});
  std::vector<Tensor> results;
  size_t next = 0;
  for (const bool found : is_found) {
    results.push_back(found ? all.stacked[next++] : Tensor());
  }
  return results;
}

}  // namespace

std::vector<Tensor> GradientTape::jacobian(const Tensor& target,
                                           const Sources& sources,
                                           const GradientOptions& options,
                                           SourceLocation where) {
  const auto tape = use("jacobian", where);
  const int64_t rows = count(target.shape());
  std::vector<Tensor> results = gradients_by_row(
      *tape, target, sources, options, rows,
      [&](const Tensor& row) {
        return reshape(cast(one_hot(row, rows), target.dtype()),
                       target.shape());
      },
      where);
  size_t i = 0;
  for (const Source& source : sources) {
    Tensor& result = results[i++];
    if (!result.is_defined()) continue;
    result = reshape(result, joined(target.shape(), source.spec().shape));
  }
  return results;
}

Tensor GradientTape::batch_jacobian(const Tensor& target, const Tensor& source,
                                    const GradientOptions& options,
                                    SourceLocation where) {
  const bool fits = target.rank() > 0 && source.rank() > 0 &&
                    target.shape()[0] == source.shape()[0];
  if (!fits) {
    Message("GradientTape.batch_jacobian")
        .expected("a target and a source of one batch size")
        .got(target.spec(), " and ", source.spec())
        .at(where)
        .raise<ShapeError>();
  }
  const auto tape = use("batch_jacobian", where);
  const int64_t batch = target.shape()[0];
  Shape row_of_target = Shape::scalar();
  Shape row_of_source = Shape::scalar();
  for (int i = 1; i < target.rank(); ++i) {
    row_of_target.push_back(target.shape()[i]);
  }
  for (int i = 1; i < source.rank(); ++i) {
    row_of_source.push_back(source.shape()[i]);
  }
  const int64_t rows = count(row_of_target);
  const Tensor found = gradients_by_row(
      *tape, target, source, options, rows,
      [&](const Tensor& row) {
        const Tensor one = cast(one_hot(row, rows), target.dtype());
        return broadcast_to(reshape(one, row_of_target), target.shape());
      },
      where)[0];
  if (!found.is_defined()) return found;
  const Tensor flat = reshape(found, {rows, batch, count(row_of_source)});
  return reshape(transpose(flat, {1, 0, 2}),
                 joined(joined({batch}, row_of_target), row_of_source));
}

}  // namespace systolic
