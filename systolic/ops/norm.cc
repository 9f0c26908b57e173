// Tested by: systolic/ops/linalg_platform_test.cc
#include <cmath>
#include <string>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/ops/linalg.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic {

namespace {

std::string text_of(const NormOrder& order) {
  if (!order.order()) return std::string(order.name());
  const std::string text = std::to_string(*order.order());
  return text.substr(0, text.find_last_not_of("0.") + 1);
}

[[noreturn]] void refuse(const NormOptions& options, int axes, const Arg& x) {
  internal::Message("norm")
      .expected(axes == 2 ? "an order of matrices: fro, nuc, 1, -1, 2, -2, inf "
                            "or -inf"
                          : "a number, for vectors")
      .got("ord = ", text_of(options.ord), " over ", axes, " axes")
      .detail("input", x.tensor().spec())
      .at(x.where())
      .raise<ValueError>();
}

Tensor vector_norm(const Tensor& x, double order, const ReduceOptions& over) {
  const Tensor size = abs(x);
  if (order == INFINITY) return max(size, over);
  if (order == -INFINITY) return min(size, over);
  if (order == 0) return sum(cast(not_equal(x, 0), x.dtype()), over);
  if (order == 1) return sum(size, over);
  if (order == 2) return sqrt(sum(square(x), over));
  return power(sum(power(size, order), over), 1 / order);
}

// Sums along one axis, then the extreme along the other.
Tensor extreme_sum(const Tensor& x, int summed, int other, bool largest,
                   bool keepdims) {
  const Tensor sums = sum(abs(x), {.axis = summed, .keepdims = true});
  const ReduceOptions over{.axis = {summed, other}, .keepdims = keepdims};
  return largest ? max(sums, over) : min(sums, over);
}

// A function of the singular values of the matrices over two axes.
Tensor spectral_norm(const Tensor& x, int rows, int columns, bool keepdims,
                     Tensor (*f)(const Arg&, const ReduceOptions&)) {
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != rows && i != columns) order.push_back(i);
  }
  order.push_back(rows);
  order.push_back(columns);
  Tensor result = f(svdvals(transpose(x, order)), {.axis = -1});
  if (!keepdims) return result;
  result = expand_dims(result, std::min(rows, columns));
  return expand_dims(result, std::max(rows, columns));
}

}  // namespace

Tensor norm(const Arg& x, const NormOptions& options) {
  const Tensor in = cast(x, floating_dtype(x.dtype()));
  const ReduceOptions over{.axis = options.axis, .keepdims = options.keepdims};
  const NormOrder& ord = options.ord;
  const int axes = options.axis.is_set() ? options.axis.size() : in.rank();
  if (!ord.is_set()) return sqrt(sum(square(in), over));
  if (axes != 1 && axes != 2) refuse(options, axes, x);
  if (axes == 1) {
    if (!ord.order()) refuse(options, axes, x);
    return vector_norm(in, *ord.order(), over);
  }
  const Axes both = options.axis.is_set() ? options.axis : Axes({0, 1});
  const int rows = resolve_axis(both[0], in.rank(), "norm");
  const int columns = resolve_axis(both[1], in.rank(), "norm");
  const bool keep = options.keepdims;
  if (ord.name() == "fro") return sqrt(sum(square(in), over));
  if (ord.name() == "nuc") return spectral_norm(in, rows, columns, keep, sum);
  if (!ord.order()) refuse(options, axes, x);
  const double order = *ord.order();
  if (std::abs(order) == 1) {
    return extreme_sum(in, rows, columns, order > 0, keep);
  }
  if (std::isinf(order)) {
    return extreme_sum(in, columns, rows, order > 0, keep);
  }
  if (order == 2) return spectral_norm(in, rows, columns, keep, max);
  if (order == -2) return spectral_norm(in, rows, columns, keep, min);
  refuse(options, axes, x);
}

}  // namespace systolic
