#include "systolic/ops/products.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "systolic/array/axes.h"
#include "systolic/base/message.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/ops/einsum.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"

namespace systolic {

namespace {

using internal::graph::conjugate;
using internal::graph::promote_operands;

// The last two axes change places.
Tensor transposed(const Arg& x, bool yes, const char* who) {
  Tensor in = x.tensor();
  if (!yes) return in;
  if (in.rank() < 2) {
    internal::Message(who)
        .expected("a matrix to transpose")
        .got(in.spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  std::vector<int> order(static_cast<size_t>(in.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return transpose(Arg(in, x.where()), order);
}

std::vector<int> other_axes(int rank, const std::vector<int>& axes) {
  std::vector<int> others;
  for (int i = 0; i < rank; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      others.push_back(i);
    }
  }
  return others;
}

// The pairs of axes that are summed, counted from the front.
std::pair<std::vector<int>, std::vector<int>> pairs_of(
    const TensordotAxes& axes, const Tensor& a, const Tensor& b,
    const SourceLocation& where) {
  std::vector<int> x1 = axes.x1(), x2 = axes.x2();
  for (int i = 0; i < axes.count(); ++i) {
    x1.push_back(a.rank() - axes.count() + i);
    x2.push_back(i);
  }
  const bool too_many = axes.count() > std::min(a.rank(), b.rank());
  bool fits = !too_many && x1.size() == x2.size();
  for (size_t i = 0; fits && i < x1.size(); ++i) {
    x1[i] = resolve_axis(x1[i], a.rank(), "tensordot");
    x2[i] = resolve_axis(x2[i], b.rank(), "tensordot");
    fits = a.shape()[x1[i]] == b.shape()[x2[i]];
  }
  if (!fits) {
    internal::Message("tensordot")
        .expected("pairs of axes of equal sizes")
        .got(a.shape(), " and ", b.shape())
        .at(where)
        .raise<ShapeError>();
  }
  return {x1, x2};
}

Tensor flat(const Tensor& x) { return reshape(x, Shape{-1}); }

}  // namespace

Tensor matmul(const Arg& a, const Arg& b, const MatmulOptions& options) {
  Tensor x = transposed(a, options.transpose_a || options.adjoint_a, "matmul");
  Tensor y = transposed(b, options.transpose_b || options.adjoint_b, "matmul");
  if (options.adjoint_a) x = conjugate(x);
  if (options.adjoint_b) y = conjugate(y);
  return matmul(Arg(x, a.where()), Arg(y, b.where()));
}

Tensor tensordot(const Arg& x1, const Arg& x2,
                 const TensordotOptions& options) {
  const auto [a, b] = promote_operands(x1, x2);
  const auto [left, right] = pairs_of(options.axes, a, b, x1.where());
  Shape result = Shape::scalar();
  int64_t inner = 1;
  for (const int axis : left) inner *= a.shape()[axis];
  std::vector<int> order = other_axes(a.rank(), left);
  int64_t rows = 1, columns = 1;
  for (const int axis : order) {
    result.push_back(a.shape()[axis]);
    rows *= a.shape()[axis];
  }
  order.insert(order.end(), left.begin(), left.end());
  std::vector<int> other_order = right;
  for (const int axis : other_axes(b.rank(), right)) {
    result.push_back(b.shape()[axis]);
    columns *= b.shape()[axis];
    other_order.push_back(axis);
  }
  const Tensor x = reshape(transpose(a, order), Shape{rows, inner});
  const Tensor y = reshape(transpose(b, other_order), Shape{inner, columns});
  return reshape(matmul(Arg(x, x1.where()), y), result);
}

Tensor dot(const Arg& x1, const Arg& x2) {
  if (x1.is_scalar() || x2.is_scalar()) return multiply(x1, x2);
  const Tensor a = x1.tensor(), b = x2.tensor();
  if (a.rank() == 0 || b.rank() == 0) return multiply(x1, x2);
  if (b.rank() == 1) {
    return tensordot(x1, x2, {.axes = {{a.rank() - 1}, {0}}});
  }
  return tensordot(x1, x2, {.axes = {{a.rank() - 1}, {b.rank() - 2}}});
}

Tensor vdot(const Arg& x1, const Arg& x2) {
  return dot(Arg(conjugate(flat(x1.tensor())), x1.where()), flat(x2.tensor()));
}

Tensor inner(const Arg& x1, const Arg& x2) {
  const Tensor a = x1.tensor(), b = x2.tensor();
  if (a.rank() == 0 || b.rank() == 0) return multiply(x1, x2);
  return tensordot(x1, x2, {.axes = {{-1}, {-1}}});
}

Tensor outer(const Arg& x1, const Arg& x2) {
  const auto [a, b] = promote_operands(x1, x2);
  return reshape(a, Shape{-1, 1}) * reshape(b, Shape{1, -1});
}

Tensor kron(const Arg& x1, const Arg& x2) {
  auto [a, b] = promote_operands(x1, x2);
  const int rank = std::max(a.rank(), b.rank());
  Shape first = Shape::scalar(), second = first, result = first;
  for (int i = 0; i < rank; ++i) {
    const int ai = i - (rank - a.rank()), bi = i - (rank - b.rank());
    const int64_t n = ai < 0 ? 1 : a.shape()[ai];
    const int64_t m = bi < 0 ? 1 : b.shape()[bi];
    first.push_back(n);
    first.push_back(1);
    second.push_back(1);
    second.push_back(m);
    result.push_back(n * m);
  }
  return reshape(reshape(a, first) * reshape(b, second), result);
}

Tensor cross(const Arg& x1, const Arg& x2) {
  const auto [a, b] = promote_operands(x1, x2);
  const auto fits = [](const Tensor& x) {
    return x.rank() > 0 && (x.shape()[-1] == 2 || x.shape()[-1] == 3);
  };
  if (!fits(a) || !fits(b)) {
    internal::Message("cross")
        .expected("2 or 3 elements along the last axis")
        .got(a.shape(), " and ", b.shape())
        .at(x1.where())
        .raise<ShapeError>();
  }
  const auto part = [](const Tensor& x, int i) {
    // A plane's vector has no third component.
    if (i >= x.shape()[-1]) return zeros_like(slice(x, {ellipsis, 0}));
    return slice(x, {ellipsis, i});
  };
  const auto component = [&, a = a, b = b](int i, int j) {
    return part(a, i) * part(b, j) - part(a, j) * part(b, i);
  };
  if (a.shape()[-1] == 2 && b.shape()[-1] == 2) return component(0, 1);
  return stack({component(1, 2), component(2, 0), component(0, 1)}, -1);
}

}  // namespace systolic
