#include "systolic/image/decode.h"

#include "systolic/array/cast.h"
#include "systolic/array/elementwise.h"
#include "systolic/base/message.h"
#include "systolic/image/formats.h"

namespace systolic::image {

using detail::Format;

namespace {

constexpr const char* kWho = "decode_image";

void check_options(const Contents& contents, const DecodeImageOptions& options,
                   Format format) {
  if (options.dtype != DType::uint8 && options.dtype != DType::uint16 &&
      options.dtype != DType::float32) {
    internal::Message(kWho)
        .expected("dtype to be uint8, uint16 or float32")
        .got(options.dtype)
        .at(contents.where())
        .raise<TypeError>();
  }
  const int channels = options.channels;
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
    detail::throw_channels(kWho, contents, "0, 1, 3 or 4", channels);
  }
  if (format == Format::gif && channels != 0 && channels != 3) {
    detail::throw_channels(kWho, contents, "0 or 3 of a GIF", channels);
  }
}

// Numbers of 8 bits as another dtype: uint16 are 256 times as large, as
// TensorFlow has it, float32 from 0 to 1.
Array converted(const Array& bytes, DType dtype) {
  if (dtype == DType::uint8) return bytes;
  if (dtype == DType::float32) return cast<float>(bytes) * (1.f / 255);
  return cast(bytes, dtype) * 256;
}

Array decode_bytes(const Contents& contents, const DecodeImageOptions& options,
                   Format format) {
  switch (format) {
    case Format::jpeg:
      return decode_jpeg(contents, {.channels = options.channels});
    case Format::bmp:
      return decode_bmp(contents, {.channels = options.channels});
    default: {
      const Array frames =
          format == Format::webp
              ? decode_webp(contents, {.channels = options.channels})
              : decode_gif(contents);
      return options.expand_animations ? frames : frames[0];
    }
  }
}

}  // namespace

Array decode_image(const Contents& contents,
                   const DecodeImageOptions& options) {
  const Format format = detail::format_of(contents.bytes());
  check_options(contents, options, format);
  if (format == Format::unknown) {
    detail::throw_bad_picture(
        kWho, contents,
        {.rule = "a JPEG, PNG, GIF, BMP or WebP picture",
         .got = contents.bytes().empty() ? "no bytes" : "another start",
         .byte = 0});
  }
  if (format != Format::png) {
    return converted(decode_bytes(contents, options, format), options.dtype);
  }
  if (options.dtype != DType::float32) {
    return decode_png(contents,
                      {.channels = options.channels, .dtype = options.dtype});
  }
  const Array wide = decode_png(
      contents, {.channels = options.channels, .dtype = DType::uint16});
  return cast<float>(wide) * (1.f / 65535);
}

}  // namespace systolic::image
