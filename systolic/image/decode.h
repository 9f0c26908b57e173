// Pictures from their encoded bytes, as tf.io and tf.image decode them.
//   Array photo = image::decode_jpeg(bytes, {.channels = 3});
//   Array any = image::decode_image(bytes);      // says what it is by itself
// All throw DataError that names the format, what is wrong and the byte where
// it is known; and ValueError for an option that the format does not have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/array/array.h"
#include "systolic/base/choice.h"
#include "systolic/image/contents.h"

namespace systolic::image {

// How the decoder of JPEG computes the cosine transform.
enum class DctMethod { integer_fast, integer_accurate };

}  // namespace systolic::image

namespace systolic {

template <>
struct ChoiceNames<image::DctMethod> {
  static constexpr std::string_view what = "dct_method";
  static constexpr std::array<std::pair<std::string_view, image::DctMethod>, 3>
      names{{{"INTEGER_FAST", image::DctMethod::integer_fast},
             {"INTEGER_ACCURATE", image::DctMethod::integer_accurate},
             {"", image::DctMethod::integer_fast}}};
};

}  // namespace systolic

namespace systolic::image {

// Options of decode_jpeg() and decode_and_crop_jpeg().
struct JpegOptions {
  // 0: as in the file; 1: luminance; 3: RGB.
  int channels = 0;
  // 1, 2, 4 or 8: the picture is made that much smaller while it is decoded,
  // which takes a fraction of the time.
  int ratio = 1;
  // Whether colours of half the size are interpolated and not repeated.
  bool fancy_upscaling = true;
  // Whether a picture whose end is missing is decoded as far as it goes.
  bool try_recover_truncated = false;
  Choice<DctMethod> dct_method = DctMethod::integer_fast;
};

// A JPEG picture: (height, width, channels), uint8. CMYK becomes RGB. The
// bytes may be a PNG, GIF, BMP or WebP picture, too.
Array decode_jpeg(const Contents& contents, const JpegOptions& options = {});

// The rows and columns [y, y + height) x [x, x + width) of a picture.
struct CropWindow {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
};

// The same pixels as decode_jpeg() and a crop give, of which only what is
// needed is decoded. The window counts pixels after `ratio`.
// Throws: ValueError where the window is not inside of the picture.
Array decode_and_crop_jpeg(const Contents& contents, const CropWindow& window,
                           const JpegOptions& options = {});

// Height, width and channels of a JPEG picture, from its header: int32.
Array extract_jpeg_shape(const Contents& contents);

// Whether the bytes begin as a JPEG picture does.
bool is_jpeg(const Contents& contents);

// Options of decode_png().
struct PngOptions {
  // 0: as in the file; 1: gray; 2: gray and alpha; 3: RGB; 4: RGB and alpha.
  int channels = 0;
  // uint8 or uint16.
  DType dtype = DType::uint8;
};
// A PNG picture: (height, width, channels).
Array decode_png(const Contents& contents, const PngOptions& options = {});

// Options of decode_bmp() and decode_webp().
struct ColorOptions {
  // 0: as in the file; 1: gray, of BMP only; 3: RGB; 4: RGB and alpha.
  int channels = 0;
};
// An uncompressed BMP picture of 8, 24 or 32 bits a pixel: (height, width,
// channels), uint8. One channel is the file's numbers, three are its colours.
Array decode_bmp(const Contents& contents, const ColorOptions& options = {});
// All frames of a WebP picture: (frames, height, width, channels), uint8. One
// that moves has alpha, unless three channels are asked for.
Array decode_webp(const Contents& contents, const ColorOptions& options = {});

// All frames of a GIF picture: (frames, height, width, 3), uint8; height and
// width are the largest of the frames, as TensorFlow has them. A frame
// shows what those before left, where it covers only a part; the ground is
// black.
Array decode_gif(const Contents& contents);

// Options of decode_image().
struct DecodeImageOptions {
  // 0: as in the file; 1: gray; 3: RGB; 4: RGB and alpha.
  int channels = 0;
  // uint8, uint16 or float32, which is from 0 to 1.
  DType dtype = DType::uint8;
  // Whether GIF and WebP give all of their frames, or the first.
  bool expand_animations = true;
};
// A picture of any of these formats: (height, width, channels); of GIF and
// WebP (frames, height, width, channels), unless expand_animations is false.
Array decode_image(const Contents& contents,
                   const DecodeImageOptions& options = {});

// The most bytes that a decoded picture may have, 2 GiB at first: a few bytes
// can say that they are a picture larger than the memory. Throws ValueError
// below 1.
void set_decode_limit(int64_t bytes);
int64_t decode_limit();

}  // namespace systolic::image
