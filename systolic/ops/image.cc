#include "systolic/ops/image.h"

#include <cmath>

#include "systolic/base/message.h"
#include "systolic/ops/image_resize.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"

namespace systolic::image {

using internal::ops::require_images;

namespace {

// Images with this many channels; 0: with any.
Tensor require_channels(const Arg& images, int64_t channels, const char* who) {
  const Tensor in = images.tensor();
  if (channels == 0 || (in.rank() > 0 && in.shape()[-1] == channels)) return in;
  internal::Message(who)
      .expected("a last axis of ", channels, " channels")
      .got(in.shape())
      .at(images.where())
      .raise<ShapeError>();
}

// Floating-point colours of three channels.
Tensor require_floats(const Arg& images, const char* who) {
  if (!is_floating(images.dtype())) {
    internal::Message(who)
        .expected("floating-point colours")
        .got(images.dtype())
        .hint("convert_image_dtype(x, DType::float32)")
        .at(images.where())
        .raise<TypeError>();
  }
  return require_channels(images, 3, who);
}

// Colours to compute with: whole numbers as parts of 1.
Tensor floats_of(const Arg& images, int64_t channels, const char* who) {
  detail::require_colors(who, images.tensor().spec(), images.where());
  const Tensor in = require_channels(images, channels, who);
  return is_floating(in.dtype()) ? in : convert_image_dtype(in, DType::float32);
}

// Back to the dtype that the images had.
Tensor finished(const Tensor& floats, const Arg& images) {
  if (is_floating(images.dtype())) return floats;
  return convert_image_dtype(floats, images.dtype(), {.saturate = true});
}

// One number, beside Tensors of `dtype`.
Tensor one_number(const Arg& factor, const char* who, DType dtype) {
  const Tensor in = factor.tensor(dtype);
  if (factor.is_scalar()) return in;
  if (in.shape().elements() == 1) {
    return cast(reshape(in, Shape::scalar()), dtype);
  }
  internal::Message(who)
      .expected("one number as factor or delta")
      .got(in.spec())
      .at(factor.where())
      .raise<ShapeError>();
}

Tensor channel(const Tensor& x, int64_t i) { return x[{ellipsis, i}]; }

}  // namespace

Tensor crop_to_bounding_box(const Arg& images, const BoundingBox& box) {
  const Tensor in = require_images(images, "crop_to_bounding_box");
  detail::require_crop("crop_to_bounding_box", in.spec(), box, images.where());
  return slice(
      Arg(in, images.where()),
      {ellipsis,
       Slice(box.offset_height, box.offset_height + box.target_height),
       Slice(box.offset_width, box.offset_width + box.target_width), all});
}

Tensor pad_to_bounding_box(const Arg& images, const BoundingBox& box) {
  const Tensor in = require_images(images, "pad_to_bounding_box");
  detail::require_pad("pad_to_bounding_box", in.spec(), box, images.where());
  PadWidth widths(static_cast<size_t>(in.rank()), {0, 0});
  const auto height = static_cast<size_t>(in.rank() - 3);
  widths[height] = {box.offset_height,
                    box.target_height - box.offset_height - in.shape()[-3]};
  widths[height + 1] = {box.offset_width,
                        box.target_width - box.offset_width - in.shape()[-2]};
  return pad(Arg(in, images.where()), widths);
}

Tensor central_crop(const Arg& images, double central_fraction) {
  const Tensor in = require_images(images, "central_crop");
  return crop_to_bounding_box(
      Arg(in, images.where()),
      detail::central_box(in.spec(), central_fraction, images.where()));
}

Tensor resize_with_crop_or_pad(const Arg& images, const Size& size) {
  const Tensor in = require_images(images, "resize_with_crop_or_pad");
  const detail::CropAndPad boxes = detail::crop_or_pad_boxes(in.spec(), size);
  const Tensor part = crop_to_bounding_box(Arg(in, images.where()), boxes.crop);
  return pad_to_bounding_box(Arg(part, images.where()), boxes.pad);
}

Tensor flip_left_right(const Arg& images) {
  const Tensor in = require_images(images, "flip_left_right");
  return flip(Arg(in, images.where()), -2);
}

Tensor flip_up_down(const Arg& images) {
  const Tensor in = require_images(images, "flip_up_down");
  return flip(Arg(in, images.where()), -3);
}

Tensor rot90(const Arg& images, int k) {
  const Tensor in = require_images(images, "rot90");
  return systolic::rot90(Arg(in, images.where()), k, {-3, -2});
}

Tensor transpose(const Arg& images) {
  const Tensor in = require_images(images, "transpose");
  const Axes axes = in.rank() == 3 ? Axes{1, 0, 2} : Axes{0, 2, 1, 3};
  return systolic::transpose(Arg(in, images.where()), axes);
}

Tensor rgb_to_grayscale(const Arg& images) {
  const Tensor in = floats_of(images, 3, "rgb_to_grayscale");
  const Tensor weights =
      cast(constant(Array::from({0.2989, 0.587, 0.114})), in.dtype());
  return finished(sum(in * weights, {.axis = -1, .keepdims = true}), images);
}

Tensor grayscale_to_rgb(const Arg& images) {
  const Tensor in = images.tensor();
  if (in.rank() < 1 || in.shape()[-1] != 1) {
    internal::Message("grayscale_to_rgb")
        .expected("a last axis of 1 channels")
        .got(in.shape())
        .at(images.where())
        .raise<ShapeError>();
  }
  return repeat(Arg(in, images.where()), 3, -1);
}

Tensor rgb_to_hsv(const Arg& images) {
  const Tensor in = require_floats(images, "rgb_to_hsv");
  const Tensor r = channel(in, 0), g = channel(in, 1), b = channel(in, 2);
  const Tensor value = maximum(maximum(r, g), b);
  const Tensor range = value - minimum(minimum(r, g), b);
  const Tensor gray = equal(range, 0);
  // Where a quotient is not used it must not be infinite, nor its gradient.
  const Tensor saturation =
      where(value > 0, range / where(value > 0, value, 1), 0);
  const Tensor sixth = 1 / (where(gray, 1, range) * 6);
  Tensor hue = where(equal(g, value), (b - r) * sixth + 2. / 6,
                     (r - g) * sixth + 4. / 6);
  hue = where(equal(r, value), (g - b) * sixth, hue);
  hue = where(gray, 0, where(hue < 0, hue + 1, hue));
  return stack({hue, saturation, value}, -1);
}

Tensor hsv_to_rgb(const Arg& images) {
  const Tensor in = require_floats(images, "hsv_to_rgb");
  const Tensor place = channel(in, 0) * 6, saturation = channel(in, 1);
  const Tensor value = channel(in, 2);
  const auto mixed = [&](const Tensor& part) {
    return (1 - saturation + saturation * clip(part, 0, 1)) * value;
  };
  return stack({mixed(abs(place - 3) - 1), mixed(2 - abs(place - 2)),
                mixed(2 - abs(place - 4))},
               -1);
}

Tensor adjust_brightness(const Arg& images, const Arg& delta) {
  constexpr const char* kWho = "adjust_brightness";
  const Tensor in = floats_of(images, 0, kWho);
  return finished(in + one_number(delta, kWho, in.dtype()), images);
}

Tensor adjust_contrast(const Arg& images, const Arg& contrast_factor) {
  constexpr const char* kWho = "adjust_contrast";
  require_images(images, kWho);
  const Tensor in = floats_of(images, 0, kWho);
  const Tensor factor = one_number(contrast_factor, kWho, in.dtype());
  const Tensor middle = mean(in, {.axis = {-3, -2}, .keepdims = true});
  return finished((in - middle) * factor + middle, images);
}

Tensor adjust_gamma(const Arg& images, double gamma, double gain) {
  if (!(gamma >= 0)) {
    internal::Message("adjust_gamma")
        .expected("a gamma of at least 0")
        .got(gamma)
        .at(images.where())
        .raise<ValueError>();
  }
  const Tensor in = floats_of(images, 0, "adjust_gamma");
  return finished(power(in, gamma) * gain, images);
}

Tensor adjust_saturation(const Arg& images, const Arg& saturation_factor) {
  constexpr const char* kWho = "adjust_saturation";
  const Tensor hsv = rgb_to_hsv(floats_of(images, 3, kWho));
  const Tensor factor = one_number(saturation_factor, kWho, hsv.dtype());
  const Tensor saturation = clip(channel(hsv, 1) * factor, 0, 1);
  return finished(
      hsv_to_rgb(stack({channel(hsv, 0), saturation, channel(hsv, 2)}, -1)),
      images);
}

Tensor adjust_hue(const Arg& images, const Arg& delta) {
  constexpr const char* kWho = "adjust_hue";
  const Tensor hsv = rgb_to_hsv(floats_of(images, 3, kWho));
  const Tensor turn = one_number(delta, kWho, hsv.dtype());
  const Tensor hue = mod(channel(hsv, 0) + turn, 1);
  return finished(
      hsv_to_rgb(stack({hue, channel(hsv, 1), channel(hsv, 2)}, -1)), images);
}

Tensor per_image_standardization(const Arg& images) {
  Tensor in = require_images(images, "per_image_standardization");
  in = cast(in, floating_dtype(in.dtype()));
  const ReduceOptions whole{.axis = {-3, -2, -1}, .keepdims = true};
  const double pixels =
      static_cast<double>(in.shape()[-3] * in.shape()[-2] * in.shape()[-1]);
  const Tensor deviation = maximum(sqrt(var(in, whole)), 1 / std::sqrt(pixels));
  return (in - mean(in, whole)) / deviation;
}

}  // namespace systolic::image
