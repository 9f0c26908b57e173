// What the decoders share: which format it is, and how damage is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/image/contents.h"

namespace systolic::image::detail {

// The formats, by their first bytes.
enum class Format { unknown, jpeg, png, gif, bmp, webp };

// The format that the bytes begin as.
Format format_of(std::string_view bytes);

// "JPEG", "PNG", "GIF", "BMP", "WebP" or "unknown".
std::string_view name(Format format);

// What is wrong with a picture.
struct BadPicture {
  Format format = Format::unknown;
  std::string rule;   // what was expected
  std::string got;    // what is there
  int64_t byte = -1;  // where; -1 where that is not known
  std::string hint = {};
};

// Throws the DataError that says so.
[[noreturn]] void throw_bad_picture(const char* who, const Contents& contents,
                                    const BadPicture& bad);

// Throws DataError where a picture of this size is over the decode limit.
void check_size(const char* who, const Contents& contents, Format format,
                int64_t height, int64_t width, int64_t bytes_of_a_pixel);

// Throws ValueError: the format cannot give so many channels.
[[noreturn]] void throw_channels(const char* who, const Contents& contents,
                                 std::string_view allowed, int channels);

}  // namespace systolic::image::detail
