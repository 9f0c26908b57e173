// Resizing: a matrix of weights along each axis, made on the host.
// Tested by: systolic/ops/image_platform_test.cc
#include "systolic/ops/image_resize.h"

#include <algorithm>

#include "systolic/array/arrays.h"
#include "systolic/array/resize_weights.h"
#include "systolic/ops/image.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

namespace {

// Row i: how much each of `from` elements is in the i-th of `to`.
Array matrix_of(const internal::ResizeWeights& table, int64_t from) {
  const auto to = static_cast<int64_t>(table.starts.size());
  Array matrix = Array::zeros({to, from}, DType::float64);
  double* row = matrix.mutable_span<double>().data();
  for (int64_t i = 0; i < to; ++i, row += from) {
    std::copy_n(table.weights.data() + i * table.taps, table.taps,
                row + table.starts[static_cast<size_t>(i)]);
  }
  return matrix;
}

// The nearest of `from` elements for each of `to`.
Array nearest(int64_t from, int64_t to) {
  return cast<int32_t>(Array::from(internal::nearest_pixels(from, to)));
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
  image::detail::require_images(who, in.spec(), images.where());
  return in;
}

Tensor image::resize(const Arg& images, const Size& size,
                     const ResizeOptions& options) {
  Tensor in = internal::ops::require_images(images, "resize");
  const int height = in.rank() - 3;
  const Size target = detail::resized_size(
      in.spec(), size, options.preserve_aspect_ratio, images.where());
  if (options.method == "nearest") {
    in = take(Arg(in, images.where()), nearest(in.shape()[height], target[0]),
              {.axis = height});
    return take(in, nearest(in.shape()[height + 1], target[1]),
                {.axis = height + 1});
  }
  const DType dtype = floating_dtype(in.dtype());
  if (target == Size{in.shape()[height], in.shape()[height + 1]}) {
    return cast(in, dtype);
  }
  // Many small weights: half precision would lose them.
  in = cast(in, dtype == DType::float64 ? dtype : DType::float32);
  for (int i = 0; i < 2; ++i) {
    const int64_t from = in.shape()[height + i];
    const int64_t to = target[static_cast<size_t>(i)];
    const internal::ResizeWeights table = internal::resize_weights(
        from, to, options.method, options.antialias, images.where());
    if (from != to || !table.is_identity()) {
      in = along(in, height + i, matrix_of(table, from));
    }
  }
  return cast(in, dtype);
}

Tensor image::resize_with_pad(const Arg& images, const Size& size,
                              const ResizeWithPadOptions& options) {
  const Tensor in = internal::ops::require_images(images, "resize_with_pad");
  const detail::ResizeAndPad boxes =
      detail::resize_and_pad(in.spec(), size, images.where());
  const Tensor resized =
      resize(Arg(in, images.where()), boxes.resized,
             {.method = options.method, .antialias = options.antialias});
  return pad_to_bounding_box(Arg(resized, images.where()), boxes.pad);
}

}  // namespace systolic
