// Resizing: a matrix of weights along each axis, made on the host.
// Tested by: systolic/ops/image_platform_test.cc
#include "systolic/ops/image_resize.h"

#include <algorithm>
#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/ops/image.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

namespace {

double triangle(double x) { return std::max(1 - std::abs(x), 0.0); }

// Keys 1981, with a = -1/2.
double cubic(double distance) {
  const double x = std::abs(distance);
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return ((1.5 * x - 2.5) * x) * x + 1;
}

// Mitchell and Netravali 1988.
double mitchell(double distance) {
  const double x = std::abs(distance);
  if (x >= 2) return 0;
  if (x >= 1) {
    return (((-7.0 / 18) * x + 2) * x - 10.0 / 3) * x + 16.0 / 9;
  }
  return (((7.0 / 6) * x - 2) * x) * x + 8.0 / 9;
}

double lanczos(double x, double radius) {
  if (std::abs(x) > radius) return 0;
  if (std::abs(x) <= 1e-3) return 1;
  return radius * std::sin(M_PI * x) * std::sin(M_PI * x / radius) /
         (M_PI * M_PI * x * x);
}

double lanczos3(double x) { return lanczos(x, 3); }
double lanczos5(double x) { return lanczos(x, 5); }

// As TensorFlow's: cut off at three deviations of a half.
double gaussian(double x) {
  return std::abs(x) >= 1.5 ? 0 : std::exp(-2 * x * x);
}

using Kernel = double (*)(double);

struct NamedKernel {
  std::string_view name;
  Kernel kernel;
};
constexpr NamedKernel kKernels[] = {
    {"bilinear", triangle}, {"bicubic", cubic},
    {"lanczos3", lanczos3}, {"lanczos5", lanczos5},
    {"gaussian", gaussian}, {"mitchellcubic", mitchell}};

Kernel find_kernel(const std::string& name, const SourceLocation& where) {
  for (const NamedKernel& each : kKernels) {
    if (each.name == name) return each.kernel;
  }
  internal::Message("resize")
      .expected(R"("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", )",
                R"("gaussian" or "mitchellcubic")")
      .got("\"", name, "\"")
      .at(where)
      .raise<ValueError>();
}

// Row i: how much each of `from` elements is in the i-th of `to`.
Array weights(int64_t from, int64_t to, Kernel kernel, bool antialias) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double width = antialias ? std::max(step, 1.0) : 1;
  Array matrix = Array::zeros({to, from}, DType::float64);
  const auto values = matrix.mutable_span<double>();
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * step;
    const auto row = values.subspan(static_cast<size_t>(i * from),
                                    static_cast<size_t>(from));
    double total = 0;
    for (int64_t j = 0; j < from; ++j) {
      double& weight = row[static_cast<size_t>(j)];
      weight = kernel((static_cast<double>(j) + 0.5 - centre) / width);
      total += weight;
    }
    for (double& weight : row) weight /= total;
  }
  return matrix;
}

// The nearest of `from` elements for each of `to`.
Array nearest(int64_t from, int64_t to) {
  std::vector<int32_t> places;
  const float step = static_cast<float>(from) / static_cast<float>(to);
  for (int64_t i = 0; i < to; ++i) {
    const auto place =
        static_cast<int64_t>((static_cast<float>(i) + 0.5f) * step);
    places.push_back(static_cast<int32_t>(std::min(place, from - 1)));
  }
  return Array::from(places);
}

// The matrix times every column along `axis`.
Tensor along(const Tensor& x, int axis, const Array& matrix) {
  const Shape& shape = x.shape();
  int64_t before = 1, behind = 1;
  for (int i = 0; i < axis; ++i) before *= shape[i];
  for (int i = axis + 1; i < x.rank(); ++i) behind *= shape[i];
  Shape result = shape;
  result.set(axis, matrix.shape()[0]);
  const Tensor factor = constant(cast(matrix, x.dtype()));
  return reshape(matmul(factor, reshape(x, {before, shape[axis], behind})),
                 result);
}

}  // namespace

Tensor internal::ops::require_images(const Arg& images, const char* who) {
  const Tensor in = images.tensor();
  if (in.rank() == 3 || in.rank() == 4) return in;
  Message(who)
      .expected("images (h, w, c) or (n, h, w, c)")
      .got(in.spec())
      .at(images.where())
      .raise<ShapeError>();
}

Tensor image::resize(const Arg& images, const Size& size,
                     const ResizeOptions& options) {
  Tensor in = internal::ops::require_images(images, "resize");
  const int height = in.rank() - 3;
  if (size[0] < 1 || size[1] < 1 || in.shape()[height] < 1 ||
      in.shape()[height + 1] < 1) {
    internal::Message("resize")
        .expected("images and a size of at least one pixel")
        .got(in.shape(), " and ", size[0], " x ", size[1])
        .at(images.where())
        .raise<ValueError>();
  }
  if (options.interpolation == "nearest") {
    in = take(Arg(in, images.where()), nearest(in.shape()[height], size[0]),
              {.axis = height});
    return take(in, nearest(in.shape()[height + 1], size[1]),
                {.axis = height + 1});
  }
  const Kernel kernel = find_kernel(options.interpolation, images.where());
  const DType dtype = floating_dtype(in.dtype());
  // Many small weights: half precision would lose them.
  in = cast(in, dtype == DType::float64 ? dtype : DType::float32);
  for (int i = 0; i < 2; ++i) {
    const int64_t from = in.shape()[height + i];
    const int64_t to = size[static_cast<size_t>(i)];
    if (from == to) continue;
    in = along(in, height + i, weights(from, to, kernel, options.antialias));
  }
  return cast(in, dtype);
}

}  // namespace systolic
