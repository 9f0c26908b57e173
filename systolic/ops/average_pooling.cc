// Average pooling, by sums over windows.
// Tested by: systolic/ops/pooling_platform_test.cc
#include <algorithm>

#include "systolic/array/arrays.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/windows.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using internal::ops::WindowAxis;

namespace {

// Sums over windows along the axes between the first and the last, of a value
// with `spread - 1` zeros between its elements: so the gradient of one is
// another one.
struct WindowSum {
  std::vector<int64_t> size, strides, low, high, spread;

  int64_t outputs(int64_t elements, size_t axis) const {
    const int64_t reach = elements == 0 ? 0 : (elements - 1) * spread[axis] + 1;
    const int64_t room = reach + low[axis] + high[axis] - size[axis];
    return room < 0 ? 0 : room / strides[axis] + 1;
  }

  template <class V>
  void visit(V&& v) const {
    v("size", size);
    v("strides", strides);
    v("low", low);
    v("high", high);
    v("spread", spread);
  }
};

Shape summed_shape(const WindowSum& o, const Shape& x) {
  Shape shape = x;
  for (size_t i = 0; i < o.size.size(); ++i) {
    const int axis = static_cast<int>(i) + 1;
    shape.set(axis, o.outputs(x[axis], i));
  }
  return shape;
}

// What adds the gradient of a sum of windows to each element of them: windows
// of the same size over the gradient, with the strides as zeros in between.
WindowSum reversed(const WindowSum& o, const Shape& x, const Shape& y) {
  WindowSum back;
  back.size = o.size;
  back.strides = o.spread;
  back.spread = o.strides;
  for (size_t i = 0; i < o.size.size(); ++i) {
    const int axis = static_cast<int>(i) + 1;
    const int64_t low = o.size[i] - 1 - o.low[i];
    const int64_t reach = (y[axis] - 1) * o.strides[i] + 1;
    back.low.push_back(low);
    back.high.push_back((x[axis] - 1) * o.spread[i] + o.size[i] - reach - low);
  }
  return back;
}

Values lower_window_sum(Lower& l, const WindowSum& o);

constexpr Op<WindowSum> kWindowSum{
    .name = "window_sum",
    .infer =
        [](Infer& in, const WindowSum& o) {
          refuse_complex(in);
          refuse_float8(in);
          return Specs(TensorSpec{in.dtype(0), summed_shape(o, in.shape(0))});
        },
    .lower = lower_window_sum,
    .vjp =
        [](Vjp& v, const WindowSum& o) {
          const Tensor dy = v.gradient();
          return Grads{record<kWindowSum>(
              {dy.ref()}, reversed(o, v.input(0).shape(), dy.shape()),
              SourceLocation::current())};
        },
    .residuals = {0, 0}};

Values lower_window_sum(Lower& l, const WindowSum& o) {
  // Zeros are put in before: plugins differ in which dilations a window takes.
  std::vector<stablehlo::EdgePadding> edges{{0, 0}};
  std::vector<int64_t> interior{0};
  stablehlo::Window window;
  window.size = {1};
  window.strides = {1};
  for (size_t i = 0; i < o.size.size(); ++i) {
    edges.push_back({o.low[i], o.high[i]});
    interior.push_back(o.spread[i] - 1);
    window.size.push_back(o.size[i]);
    window.strides.push_back(o.strides[i]);
  }
  edges.push_back({0, 0});
  interior.push_back(0);
  window.size.push_back(1);
  window.strides.push_back(1);
  window.padding.resize(window.size.size());
  const stablehlo::Value zero =
      l.e.splat({l[0].spec.dtype, Shape::scalar()}, 0);
  const stablehlo::Value padded = l.e.pad(l[0], zero, edges, interior);
  return {l.e.reduce_window(stablehlo::Combine::add, padded, window)};
}

constexpr const OpDef* kCatalog[] = {&kDefinition<kWindowSum>};

// One over the number of elements of x in each window, along one axis.
std::vector<double> shares(const WindowAxis& axis, int64_t size,
                           int64_t window) {
  std::vector<double> all;
  for (int64_t i = 0; i < axis.outputs(size, window); ++i) {
    const int64_t start = i * axis.stride - axis.low;
    const int64_t first = std::max<int64_t>(start, 0);
    const int64_t end = std::min(start + window, size);
    all.push_back(1.0 / static_cast<double>(end - first));
  }
  return all;
}

// The shares as a factor of (n, ..., c); a scalar where all are equal.
Tensor divided(Tensor sums, const std::vector<std::vector<double>>& shares) {
  double same = 1;
  for (size_t i = 0; i < shares.size(); ++i) {
    const std::vector<double>& all = shares[i];
    if (std::ranges::all_of(all, [&](double s) { return s == all[0]; })) {
      same *= all[0];
      continue;
    }
    Shape shape = Shape::filled(sums.rank(), 1);
    shape.set(static_cast<int>(i) + 1, static_cast<int64_t>(all.size()));
    sums = sums * constant(cast(Array::from(all, shape), sums.dtype()));
  }
  return same == 1 ? sums : sums * same;
}

}  // namespace

std::span<const OpDef* const> internal::ops::average_pooling_catalog() {
  return kCatalog;
}

Tensor nn::average_pool(const Arg& x, const PoolOptions& options) {
  Tensor in = x.tensor();
  const DType dtype = is_floating(in.dtype()) ? in.dtype() : DType::float32;
  // Sums of many small numbers: half precision would lose them.
  const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
  in = internal::ops::pool_input(in, options, "average_pool", x.where());
  WindowSum sum;
  std::vector<std::vector<double>> parts;
  for (int i = 0; i < in.rank() - 2; ++i) {
    const int64_t size = options.pool_size[i];
    const WindowAxis axis =
        internal::ops::pool_axis(in, i + 1, options, "average_pool", x.where());
    sum.size.push_back(size);
    sum.strides.push_back(axis.stride);
    sum.low.push_back(axis.low);
    sum.high.push_back(axis.high);
    sum.spread.push_back(1);
    parts.push_back(shares(axis, in.shape()[i + 1], size));
  }
  const DType wide = is_half ? DType::float32 : dtype;
  if (in.dtype() != wide) in = cast(in, wide);
  Tensor y = record<kWindowSum>({in.ref()}, std::move(sum), x.where());
  y = internal::ops::pool_output(divided(y, parts), options);
  return wide == dtype ? y : cast(y, dtype);
}

}  // namespace systolic
