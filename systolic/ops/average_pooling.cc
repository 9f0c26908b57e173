// Average pooling and its gradient, which are linear: each is the other's.
// Tested by: systolic/ops/pooling_platform_test.cc
#include <algorithm>

#include "systolic/array/arrays.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/pooling.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using internal::ops::PoolAttributes;
using internal::ops::WindowAxis;

namespace {

// A pooling of images of `image` pixels.
struct AverageAttributes {
  PoolAttributes pool;
  std::vector<int64_t> image;

  int axes() const { return static_cast<int>(image.size()); }

  template <class V>
  void visit(V&& v) const {
    pool.visit(v);
    v("image", image);
  }
};

// Whether the kernel is quicker than XLA's own code
// (docs/design/0010-cpu-kernels.md): where windows overlap, and it is not
// over before XLA has called it. Of few channels oneDNN's gradient is slow.
bool use_kernel(const Lower& l, const AverageAttributes& o,
                std::string_view kernel, int64_t least_channels) {
  constexpr int64_t kLeastProducts = 2'000;
  if (!internal::ops::has_pool_kernel(l, kernel)) return false;
  const Shape& x = l.result().shape;
  int64_t products = std::min(x.elements(), l[0].spec.shape.elements());
  bool overlap = false;
  for (size_t i = 0; i < o.pool.size.size(); ++i) {
    overlap = overlap || o.pool.window.strides[i] < o.pool.size[i];
    products *= o.pool.size[i];
  }
  return overlap && x[-1] >= least_channels && products >= kLeastProducts;
}

// One over the number of pixels of the image in each window along `i`.
std::vector<double> shares(const AverageAttributes& o, int i) {
  const auto at = static_cast<size_t>(i);
  const int64_t size = o.image[at], window = o.pool.size[at];
  const WindowAxis axis = o.pool.window.axis(i);
  std::vector<double> all;
  for (int64_t k = 0; k < axis.outputs(size, window); ++k) {
    const int64_t start = k * axis.stride - axis.low;
    const int64_t first = std::max<int64_t>(start, 0);
    const int64_t end = std::min(start + window, size);
    all.push_back(1.0 / static_cast<double>(end - first));
  }
  return all;
}

// A value of each window times its share; one factor where all are equal.
stablehlo::Value times_shares(Lower& l, const AverageAttributes& o,
                              stablehlo::Value value) {
  const TensorSpec spec = value.spec;
  double same = 1;
  for (int i = 0; i < o.axes(); ++i) {
    const std::vector<double> all = shares(o, i);
    if (std::ranges::all_of(all, [&](double s) { return s == all[0]; })) {
      same *= all.empty() ? 1 : all[0];
      continue;
    }
    Shape shape = Shape::filled(spec.shape.rank(), 1);
    shape.set(i + 1, static_cast<int64_t>(all.size()));
    const stablehlo::Value factor =
        l.e.constant(cast(Array::from(all, shape), spec.dtype));
    value = l.e.binary("multiply", value, l.e.broadcast(factor, spec.shape));
  }
  return same == 1 ? value
                   : l.e.binary("multiply", value, l.e.splat(spec, same));
}

Values lower_average(Lower& l, const AverageAttributes& o) {
  constexpr std::string_view kKernel = "systolic_average_pool2d_forward";
  if (use_kernel(l, o, kKernel, 1)) {
    return internal::ops::call_pool_kernel(l, o.pool, kKernel);
  }
  return {times_shares(
      l, o,
      l.e.reduce_window(stablehlo::Combine::add, l[0], o.pool.stablehlo()))};
}

// Windows of the same size over the shares of the gradient, with the strides
// as zeros in between: those are put in before, since plugins differ in which
// dilations a window takes.
Values lower_average_gradient(Lower& l, const AverageAttributes& o) {
  constexpr std::string_view kKernel = "systolic_average_pool2d_gradient";
  if (use_kernel(l, o, kKernel, 16)) {
    return internal::ops::call_pool_kernel(l, o.pool, kKernel);
  }
  const stablehlo::Value parts = times_shares(l, o, l[0]);
  const Shape& y = parts.spec.shape;
  std::vector<stablehlo::EdgePadding> edges{{0, 0}};
  std::vector<int64_t> interior{0};
  stablehlo::Window window = o.pool.stablehlo();
  std::ranges::fill(window.strides, 1);
  std::ranges::fill(window.padding, stablehlo::EdgePadding{0, 0});
  for (int i = 0; i < o.axes(); ++i) {
    const auto at = static_cast<size_t>(i);
    const WindowAxis axis = o.pool.window.axis(i);
    const int64_t reach = y[i + 1] == 0 ? 0 : (y[i + 1] - 1) * axis.stride + 1;
    const int64_t low = o.pool.size[at] - 1 - axis.low;
    edges.push_back({low, o.image[at] + o.pool.size[at] - 1 - reach - low});
    interior.push_back(axis.stride - 1);
  }
  edges.push_back({0, 0});
  interior.push_back(0);
  const stablehlo::Value zero =
      l.e.splat({parts.spec.dtype, Shape::scalar()}, 0);
  return {l.e.reduce_window(stablehlo::Combine::add,
                            l.e.pad(parts, zero, edges, interior), window)};
}

Grads average_gradient(Vjp& v, const AverageAttributes& o);
Grads gradient_gradient(Vjp& v, const AverageAttributes& o);

constexpr Op<AverageAttributes> kAveragePool{
    .name = "average_pool",
    .infer =
        [](Infer& in, const AverageAttributes& o) {
          refuse_complex(in);
          refuse_float8(in);
          return Specs(TensorSpec{
              in.dtype(0), internal::ops::pooled_shape(o.pool, in.shape(0))});
        },
    .lower = lower_average,
    .vjp = average_gradient,
    .residuals = {0, 0}};

constexpr Op<AverageAttributes> kAveragePoolGradient{
    .name = "average_pool_gradient",
    .infer =
        [](Infer& in, const AverageAttributes& o) {
          Shape shape = in.shape(0);
          for (int i = 0; i < o.axes(); ++i) {
            shape.set(i + 1, o.image[static_cast<size_t>(i)]);
          }
          return Specs(TensorSpec{in.dtype(0), shape});
        },
    .lower = lower_average_gradient,
    .vjp = gradient_gradient,
    .residuals = {0, 0}};

Grads average_gradient(Vjp& v, const AverageAttributes& o) {
  return {record<kAveragePoolGradient>({v.gradient().ref()}, o,
                                       SourceLocation::current())};
}

Grads gradient_gradient(Vjp& v, const AverageAttributes& o) {
  return {
      record<kAveragePool>({v.gradient().ref()}, o, SourceLocation::current())};
}

constexpr const OpDef* kCatalog[] = {&kDefinition<kAveragePool>,
                                     &kDefinition<kAveragePoolGradient>};

}  // namespace

std::span<const OpDef* const> internal::ops::average_pooling_catalog() {
  return kCatalog;
}

Tensor nn::average_pool(const Arg& x, const PoolOptions& options) {
  const SourceLocation& where = x.where();
  const DType given = x.tensor().dtype();
  const DType dtype = is_floating(given) ? given : DType::float32;
  // Sums of many small numbers: half precision would lose them.
  const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
  const DType wide = is_half ? DType::float32 : dtype;
  const Tensor y =
      internal::ops::pool(x.tensor(), options, "average_pool", where,
                          [&](Tensor images, PoolAttributes pool) {
                            AverageAttributes attributes{std::move(pool), {}};
                            for (int i = 1; i < images.rank() - 1; ++i) {
                              attributes.image.push_back(images.shape()[i]);
                            }
                            if (given != wide) images = cast(images, wide);
                            return record<kAveragePool>(
                                {images.ref()}, std::move(attributes), where);
                          });
  return wide == dtype ? y : cast(y, dtype);
}

}  // namespace systolic
