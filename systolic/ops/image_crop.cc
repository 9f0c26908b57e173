// Parts of images, sampled between pixels.
// Tested by: systolic/ops/image_platform_test.cc
#include <cstdint>
#include <limits>

#include "systolic/array/arrays.h"
#include "systolic/ops/gather.h"
#include "systolic/ops/image.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/positions.h"

namespace systolic::image {

namespace {

// Where `count` pixels between two places along an axis of `size` pixels are,
// for each box: (boxes,), (boxes,) -> (boxes, count).
//
// Rounded step by step as TensorFlow does it, since the last bit decides
// whether a pixel at the edge is inside. XLA would take the constant divisor's
// reciprocal and contract the sum of products, so the one is made to depend on
// the input, and the others are cut off far outside.
Tensor places(const Tensor& low, const Tensor& high, int64_t count,
              int64_t size) {
  const auto last = static_cast<double>(size - 1);
  if (count == 1) return expand_dims((low + high) * 0.5 * last, -1);
  const Tensor steps = where(equal(low, low), static_cast<double>(count - 1),
                             std::numeric_limits<double>::quiet_NaN());
  const Tensor step = expand_dims((high - low) * last / steps, -1);
  const auto product = [](const Tensor& x) { return clip(x, -1e9, 1e9); };
  return product(expand_dims(low * last, -1)) +
         product(step * arange(count, DType::float32));
}

// The nearest whole number, halves away from zero.
Tensor nearest(const Tensor& x) {
  const Tensor down = floor(x);
  return where(x - down < 0.5, down, down + 1);
}

// One axis of the samples of each box: which are inside of the image, where
// they are, and the pixels around them.
struct Axis {
  Tensor inside;
  Tensor place;

  Axis(const Tensor& all, int64_t size)
      : inside(logical_and(all >= 0, all <= static_cast<double>(size - 1))),
        place(where(inside, all, 0)) {}
};

// Pixels of images (n, h, w, c) at whole rows (boxes, h') and columns
// (boxes, w') of the box's image: (boxes, h', w', c) of float32.
class Pixels {
 public:
  Pixels(Tensor images, const Tensor& indices, int64_t rows, int64_t columns)
      : images_(std::move(images)),
        grid_{indices.shape()[0], rows, columns},
        indices_(grid(indices, {-1, 1, 1})) {}

  Tensor at(const Tensor& rows, const Tensor& columns) const {
    const auto whole = [](const Tensor& x) { return cast(x, DType::int32); };
    return cast(gather_nd(images_,
                          stack({indices_, grid(whole(rows), {-1, grid_[1], 1}),
                                 grid(whole(columns), {-1, 1, grid_[2]})},
                                -1)),
                DType::float32);
  }

 private:
  Tensor grid(const Tensor& x, const Shape& shape) const {
    return broadcast_to(reshape(x, shape), grid_);
  }

  Tensor images_;
  Shape grid_;
  Tensor indices_;
};

// Between the four pixels around each place.
Tensor interpolated(const Pixels& pixels, const Axis& y, const Axis& x) {
  const Tensor top = floor(y.place), bottom = ceil(y.place);
  const Tensor left = floor(x.place), right = ceil(x.place);
  const Tensor down = expand_dims(expand_dims(y.place - top, -1), -1);
  const Tensor along = expand_dims(expand_dims(x.place - left, 1), -1);
  const auto mixed = [](const Tensor& a, const Tensor& b, const Tensor& part) {
    return a + (b - a) * part;
  };
  return mixed(mixed(pixels.at(top, left), pixels.at(top, right), along),
               mixed(pixels.at(bottom, left), pixels.at(bottom, right), along),
               down);
}

}  // namespace

Tensor crop_and_resize(const Arg& images, const Arg& boxes,
                       const Arg& box_indices, const Size& crop_size,
                       const CropAndResizeOptions& options) {
  constexpr const char* kWho = "crop_and_resize";
  Tensor in = images.tensor();
  const Tensor corners = cast(boxes.tensor(), DType::float32);
  const Tensor indices = box_indices.tensor();
  detail::require_boxes(in.spec(), corners.spec(), indices.spec(), crop_size,
                        options, images.where());
  internal::ops::check_positions(
      kWho, indices, {0, in.shape()[0] - 1, "box_indices"}, images.where());
  // Gradients add up in float32; of whole numbers there are none.
  if (is_floating(in.dtype())) in = cast(in, DType::float32);
  const auto corner = [&](int64_t i) { return corners[{all, i}]; };
  const Axis y(places(corner(0), corner(2), crop_size[0], in.shape()[1]),
               in.shape()[1]);
  const Axis x(places(corner(1), corner(3), crop_size[1], in.shape()[2]),
               in.shape()[2]);
  // Below 0 a device would count from the end.
  const Tensor wide = cast(indices, DType::int64);
  const Tensor numbers = cast(clip(wide, 0, in.shape()[0] - 1), DType::int32);
  const Pixels pixels(in, numbers, crop_size[0], crop_size[1]);
  const Tensor sampled = options.method == "nearest"
                             ? pixels.at(nearest(y.place), nearest(x.place))
                             : interpolated(pixels, y, x);
  const Tensor inside =
      logical_and(expand_dims(y.inside, -1), expand_dims(x.inside, 1));
  return where(expand_dims(inside, -1), sampled, options.extrapolation_value);
}

}  // namespace systolic::image
