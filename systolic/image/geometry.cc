// Tested by: systolic/image/operations_test.cc
#include "systolic/image/geometry.h"

#include <cstring>

#include "systolic/base/message.h"
#include "systolic/image/mirror_row.h"
#include "systolic/image/pixels.h"

namespace systolic::image {

namespace detail {

namespace {

// With the bytes of a pixel known to the compiler, which then copies in one
// instruction.
template <size_t kBytes>
void walk_image(const std::byte* from, std::byte* to, int64_t height,
                int64_t width, const Walk& walk) {
  const auto step = walk.right * static_cast<int64_t>(kBytes);
  for (int64_t y = 0; y < height; ++y) {
    const std::byte* pixel =
        from + (walk.origin + y * walk.down) * static_cast<int64_t>(kBytes);
    for (int64_t x = 0; x < width; ++x, pixel += step, to += kBytes) {
      std::memcpy(to, pixel, kBytes);
    }
  }
}

void walk_any(const std::byte* from, std::byte* to, int64_t height,
              int64_t width, const Walk& walk, size_t bytes) {
  const auto size = static_cast<int64_t>(bytes);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x, to += size) {
      std::memcpy(to,
                  from + (walk.origin + y * walk.down + x * walk.right) * size,
                  bytes);
    }
  }
}

void walk_pixels(const std::byte* from, std::byte* to, int64_t height,
                 int64_t width, const Walk& walk, size_t bytes) {
  switch (bytes) {
    case 1:
      return walk_image<1>(from, to, height, width, walk);
    case 3:
      return walk_image<3>(from, to, height, width, walk);
    case 4:
      return walk_image<4>(from, to, height, width, walk);
    case 12:
      return walk_image<12>(from, to, height, width, walk);
    default:
      return walk_any(from, to, height, width, walk, bytes);
  }
}

// Rows that lie in one piece, in either direction.
void walk_rows(const std::byte* from, std::byte* to, int64_t height,
               int64_t width, const Walk& walk, size_t bytes) {
  const auto size = static_cast<int64_t>(bytes);
  const size_t row_bytes = static_cast<size_t>(width) * bytes;
  for (int64_t y = 0; y < height; ++y, to += row_bytes) {
    const std::byte* row = from + (walk.origin + y * walk.down) * size;
    if (walk.right == 1) {
      std::memcpy(to, row, row_bytes);
    } else {
      mirror_row(row - (width - 1) * size, to, width, bytes);
    }
  }
}

}  // namespace

Pixels pixels_of(const char* who, const Array& images) {
  require_images(who, images.spec(), SourceLocation::current());
  if (!is_numeric(images.dtype())) {
    internal::Message(who)
        .expected("images of numbers")
        .got(images.spec())
        .raise<TypeError>();
  }
  const Shape& shape = images.shape();
  return {
      .count = shape.rank() == 4 ? shape[0] : 1,
      .height = shape[-3],
      .width = shape[-2],
      .channels = shape[-1],
      .pixel_bytes = static_cast<size_t>(shape[-1]) * size_of(images.dtype())};
}

Shape with_size(const Array& images, int64_t height, int64_t width) {
  Shape shape = images.shape();
  shape.set(-3, height);
  shape.set(-2, width);
  return Shape(shape.dims());  // throws for more elements than there can be
}

Array walked(const char* who, const Array& images, int64_t height,
             int64_t width, const Walk& walk) {
  const Pixels in = pixels_of(who, images);
  Array result =
      Array::uninitialized({images.dtype(), with_size(images, height, width)});
  const std::byte* from = images.data();
  std::byte* to = result.mutable_data();
  const size_t bytes = static_cast<size_t>(height * width) * in.pixel_bytes;
  for (int64_t i = 0; i < in.count; ++i) {
    if (walk.right == 1 || walk.right == -1) {
      walk_rows(from, to, height, width, walk, in.pixel_bytes);
    } else {
      walk_pixels(from, to, height, width, walk, in.pixel_bytes);
    }
    from += in.image_bytes();
    to += bytes;
  }
  return result;
}

}  // namespace detail

using detail::Pixels;

namespace {

// A call inside of the library has no line to show.
SourceLocation nowhere() { return SourceLocation::current(); }

// Copies the overlapping rows of two sizes of image, from their offsets on.
struct Part {
  size_t from_offset = 0;  // in bytes, of the first row
  size_t to_offset = 0;
  int64_t rows = 0;
  size_t bytes = 0;  // of a row
};

void copy_parts(const Array& images, const Pixels& in, Array& result,
                const Pixels& out, const Part& part) {
  const std::byte* from = images.data() + part.from_offset;
  std::byte* to = result.mutable_data() + part.to_offset;
  for (int64_t i = 0; i < in.count; ++i) {
    for (int64_t row = 0; row < part.rows; ++row) {
      std::memcpy(to + static_cast<size_t>(row) * out.row_bytes(),
                  from + static_cast<size_t>(row) * in.row_bytes(), part.bytes);
    }
    from += in.image_bytes();
    to += out.image_bytes();
  }
}

size_t offset_in(const Pixels& pixels, const BoundingBox& box) {
  return static_cast<size_t>(box.offset_height) * pixels.row_bytes() +
         static_cast<size_t>(box.offset_width) * pixels.pixel_bytes;
}

}  // namespace

Array crop_to_bounding_box(const Array& images, const BoundingBox& box) {
  constexpr const char* kWho = "crop_to_bounding_box";
  const Pixels in = detail::pixels_of(kWho, images);
  detail::require_crop(kWho, images.spec(), box, nowhere());
  if (box == BoundingBox{0, 0, in.height, in.width}) return images;
  Array result = Array::uninitialized(
      {images.dtype(),
       detail::with_size(images, box.target_height, box.target_width)});
  const Pixels out = detail::pixels_of(kWho, result);
  copy_parts(images, in, result, out,
             {.from_offset = offset_in(in, box),
              .to_offset = 0,
              .rows = out.height,
              .bytes = out.row_bytes()});
  return result;
}

Array pad_to_bounding_box(const Array& images, const BoundingBox& box) {
  constexpr const char* kWho = "pad_to_bounding_box";
  const Pixels in = detail::pixels_of(kWho, images);
  detail::require_pad(kWho, images.spec(), box, nowhere());
  if (box == BoundingBox{0, 0, in.height, in.width}) return images;
  Array result = Array::zeros(
      detail::with_size(images, box.target_height, box.target_width),
      images.dtype());
  const Pixels out = detail::pixels_of(kWho, result);
  copy_parts(images, in, result, out,
             {.from_offset = 0,
              .to_offset = offset_in(out, box),
              .rows = in.height,
              .bytes = in.row_bytes()});
  return result;
}

Array central_crop(const Array& images, double central_fraction) {
  detail::pixels_of("central_crop", images);
  return crop_to_bounding_box(
      images, detail::central_box(images.spec(), central_fraction, nowhere()));
}

Array resize_with_crop_or_pad(const Array& images, const Size& size) {
  detail::pixels_of("resize_with_crop_or_pad", images);
  const detail::CropAndPad boxes =
      detail::crop_or_pad_boxes(images.spec(), size);
  return pad_to_bounding_box(crop_to_bounding_box(images, boxes.crop),
                             boxes.pad);
}

Array flip_left_right(const Array& images) {
  const Pixels in = detail::pixels_of("flip_left_right", images);
  return detail::walked("flip_left_right", images, in.height, in.width,
                        {in.width - 1, in.width, -1});
}

Array flip_up_down(const Array& images) {
  const Pixels in = detail::pixels_of("flip_up_down", images);
  return detail::walked("flip_up_down", images, in.height, in.width,
                        {(in.height - 1) * in.width, -in.width, 1});
}

Array rot90(const Array& images, int k) {
  const Pixels in = detail::pixels_of("rot90", images);
  const int64_t last = in.height * in.width - 1;
  switch ((k % 4 + 4) % 4) {
    case 1:
      return detail::walked("rot90", images, in.width, in.height,
                            {in.width - 1, -1, in.width});
    case 2:
      return detail::walked("rot90", images, in.height, in.width,
                            {last, -in.width, -1});
    case 3:
      return detail::walked("rot90", images, in.width, in.height,
                            {last - in.width + 1, 1, -in.width});
    default:
      return images;
  }
}

Array transpose(const Array& images) {
  const Pixels in = detail::pixels_of("transpose", images);
  return detail::walked("transpose", images, in.width, in.height,
                        {0, 1, in.width});
}

}  // namespace systolic::image
