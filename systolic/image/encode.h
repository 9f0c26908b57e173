// Pictures to bytes, as tf.io encodes them.
//   std::string bytes = image::encode_jpeg(photo, {.quality = 90});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/array/array.h"

namespace systolic::image {

// Options of encode_jpeg().
struct EncodeJpegOptions {
  // "" (by the channels), "grayscale" or "rgb".
  std::string_view format = "";
  // 0 ... 100; larger is better, and longer.
  int quality = 95;
  // Whether the rows come coarse first, then finer.
  bool progressive = false;
  // Whether the codes are made for this picture: smaller, and slower.
  bool optimize_size = false;
  // Whether colours have half the height and width.
  bool chroma_downsampling = true;
};
// A JPEG picture of an image (h, w, 1) or (h, w, 3) of uint8.
// Throws: TypeError, ShapeError, ValueError.
std::string encode_jpeg(const Array& image,
                        const EncodeJpegOptions& options = {});

// Options of encode_png().
struct EncodePngOptions {
  // 0 (fast) ... 9 (small); -1: zlib's own choice.
  int compression = -1;
};
// A PNG picture of an image (h, w, 1 ... 4) of uint8 or uint16.
// Throws: TypeError, ShapeError, ValueError.
std::string encode_png(const Array& image,
                       const EncodePngOptions& options = {});

}  // namespace systolic::image
