#include "systolic/array/image_geometry.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/message.h"

namespace systolic::image::detail {

namespace {

// Whether [offset, offset + size) is in [0, whole).
bool inside(int64_t offset, int64_t size, int64_t whole) {
  return offset >= 0 && size > 0 && offset <= whole - size;
}

[[noreturn]] void throw_box(std::string_view who, const TensorSpec& images,
                            const BoundingBox& box,
                            const SourceLocation& where) {
  internal::Message(std::string(who))
      .expected("a box of at least one pixel, inside")
      .got("offsets ", box.offset_height, " and ", box.offset_width, ", size ",
           box.target_height, " x ", box.target_width)
      .detail("images", images)
      .at(where)
      .raise<ValueError>();
}

int64_t half_of_excess(int64_t more, int64_t less) {
  return std::max<int64_t>(more - less, 0) / 2;
}

}  // namespace

void require_images(std::string_view who, const TensorSpec& images,
                    const SourceLocation& where) {
  if (images.shape.rank() == 3 || images.shape.rank() == 4) return;
  internal::Message(std::string(who))
      .expected("images (h, w, c) or (n, h, w, c)")
      .got(images)
      .at(where)
      .raise<ShapeError>();
}

void require_crop(std::string_view who, const TensorSpec& images,
                  const BoundingBox& box, const SourceLocation& where) {
  if (!inside(box.offset_height, box.target_height, images.shape[-3]) ||
      !inside(box.offset_width, box.target_width, images.shape[-2])) {
    throw_box(who, images, box, where);
  }
}

void require_pad(std::string_view who, const TensorSpec& images,
                 const BoundingBox& box, const SourceLocation& where) {
  if (!inside(box.offset_height, images.shape[-3], box.target_height) ||
      !inside(box.offset_width, images.shape[-2], box.target_width)) {
    throw_box(who, images, box, where);
  }
}

BoundingBox central_box(const TensorSpec& images, double central_fraction,
                        const SourceLocation& where) {
  if (!(central_fraction > 0 && central_fraction <= 1)) {
    internal::Message("central_crop")
        .expected("a central_fraction in (0, 1]")
        .got(central_fraction)
        .at(where)
        .raise<ValueError>();
  }
  const auto start = [&](int64_t size) {
    const auto whole = static_cast<double>(size);
    return static_cast<int64_t>((whole - whole * central_fraction) / 2);
  };
  const int64_t height = images.shape[-3], width = images.shape[-2];
  const int64_t top = start(height), left = start(width);
  return {top, left, height - 2 * top, width - 2 * left};
}

CropAndPad crop_or_pad_boxes(const TensorSpec& images, const Size& size) {
  const int64_t height = images.shape[-3], width = images.shape[-2];
  return {{half_of_excess(height, size[0]), half_of_excess(width, size[1]),
           std::min(height, size[0]), std::min(width, size[1])},
          {half_of_excess(size[0], height), half_of_excess(size[1], width),
           size[0], size[1]}};
}

Size resized_size(const TensorSpec& images, const Size& size,
                  bool preserve_aspect_ratio, const SourceLocation& where) {
  const int64_t height = images.shape[-3], width = images.shape[-2];
  if (size[0] < 1 || size[1] < 1 || height < 1 || width < 1) {
    internal::Message("resize")
        .expected("images and a size of at least one pixel")
        .got(images.shape, " and ", size[0], " x ", size[1])
        .at(where)
        .raise<ValueError>();
  }
  if (!preserve_aspect_ratio) return size;
  // In float32 and to the nearest, ties to even, as TensorFlow has it.
  const float scale =
      std::min(static_cast<float>(size[0]) / static_cast<float>(height),
               static_cast<float>(size[1]) / static_cast<float>(width));
  const auto scaled = [&](int64_t from) {
    return std::max<int64_t>(
        std::lrint(std::nearbyint(scale * static_cast<float>(from))), 1);
  };
  return {scaled(height), scaled(width)};
}

ResizeAndPad resize_and_pad(const TensorSpec& images, const Size& size,
                            const SourceLocation& where) {
  resized_size(images, size, false, where);  // checks
  const auto height = static_cast<float>(images.shape[-3]);
  const auto width = static_cast<float>(images.shape[-2]);
  const auto tall = static_cast<float>(size[0]);
  const auto wide = static_cast<float>(size[1]);
  const float ratio = std::max(width / wide, height / tall);
  const auto offset = [](float target, float resized) {
    return std::max<int64_t>(
        static_cast<int64_t>(std::floor((target - resized) / 2)), 0);
  };
  const auto whole = [](float resized) {
    return std::max<int64_t>(static_cast<int64_t>(std::floor(resized)), 1);
  };
  return {{whole(height / ratio), whole(width / ratio)},
          {offset(tall, height / ratio), offset(wide, width / ratio), size[0],
           size[1]}};
}

void require_boxes(const TensorSpec& images, const TensorSpec& boxes,
                   const TensorSpec& box_indices, const Size& crop_size,
                   const CropAndResizeOptions& options,
                   const SourceLocation& where) {
  constexpr const char* kWho = "crop_and_resize";
  require_colors(kWho, images, where);
  if (images.shape.rank() != 4 || boxes.shape.rank() != 2 ||
      boxes.shape[1] != 4 || box_indices.shape.rank() != 1 ||
      box_indices.shape[0] != boxes.shape[0]) {
    internal::Message(kWho)
        .expected(
            "images (n, h, w, c), boxes (count, 4) and box_indices "
            "(count,)")
        .got(images, ", ", boxes, " and ", box_indices)
        .at(where)
        .raise<ShapeError>();
  }
  if (!is_integer(box_indices.dtype)) {
    internal::Message(kWho)
        .expected("box_indices of whole numbers")
        .got(box_indices)
        .at(where)
        .raise<TypeError>();
  }
  if (options.method != "bilinear" && options.method != "nearest") {
    internal::Message(kWho)
        .expected("method to be \"bilinear\" or \"nearest\"")
        .got("\"", options.method, "\"")
        .at(where)
        .raise<ValueError>();
  }
  if (crop_size[0] < 1 || crop_size[1] < 1 || images.shape.elements() == 0) {
    internal::Message(kWho)
        .expected("images and a crop_size of at least one pixel")
        .got(images.shape, " and ", crop_size[0], " x ", crop_size[1])
        .at(where)
        .raise<ValueError>();
  }
}

void require_batch(std::string_view who, const TensorSpec& images,
                   const TensorSpec& labels, const SourceLocation& where) {
  if (images.shape.rank() != 4 || labels.shape.rank() != 2 ||
      labels.shape[0] != images.shape[0]) {
    internal::Message(std::string(who))
        .expected("a batch: images (n, h, w, c) and labels (n, classes)")
        .got(images, " and ", labels)
        .hint("map it after batch(), with one-hot labels")
        .at(where)
        .raise<ShapeError>();
  }
  if (!is_floating(labels.dtype)) {
    internal::Message(std::string(who))
        .expected("labels of floating-point numbers, which can be mixed")
        .got(labels)
        .at(where)
        .raise<TypeError>();
  }
}

void require_colors(std::string_view who, const TensorSpec& images,
                    const SourceLocation& where) {
  if (is_floating(images.dtype) || is_integer(images.dtype)) return;
  internal::Message(std::string(who))
      .expected("colours: whole or floating-point numbers")
      .got(images)
      .at(where)
      .raise<TypeError>();
}

void require_color_dtype(DType dtype, const SourceLocation& where) {
  if (is_floating(dtype) || is_integer(dtype)) return;
  internal::Message("convert_image_dtype")
      .expected("a dtype of whole or floating-point numbers")
      .got(dtype)
      .at(where)
      .raise<TypeError>();
}

void require_range(std::string_view who, const Range& range, double most,
                   const SourceLocation& where) {
  if (range.lower >= 0 && range.lower < range.upper && range.upper <= most) {
    return;
  }
  internal::Message message{std::string(who)};
  if (std::isfinite(most)) {
    message.expected("0 <= lower < upper <= ", most);
  } else {
    message.expected("0 <= lower < upper");
  }
  message.got("{", range.lower, ", ", range.upper, "}")
      .at(where)
      .raise<ValueError>();
}

void require_delta(std::string_view who, double max_delta, double most,
                   const SourceLocation& where) {
  if (max_delta >= 0 && max_delta <= most) return;
  internal::Message message{std::string(who)};
  if (std::isfinite(most)) {
    message.expected("max_delta to be 0 ... ", most);
  } else {
    message.expected("max_delta to be 0 or more");
  }
  message.got(max_delta).at(where).raise<ValueError>();
}

void require_part(std::string_view who, const Shape& whole, const Shape& size,
                  const SourceLocation& where) {
  bool fits = size.rank() == whole.rank();
  for (int i = 0; fits && i < size.rank(); ++i) {
    fits = size[i] >= 0 && size[i] <= whole[i];
  }
  if (fits) return;
  internal::Message(std::string(who))
      .expected("a size within the value's ", whole)
      .got(size)
      .at(where)
      .raise<ValueError>();
}

}  // namespace systolic::image::detail
