// Tested by: systolic/image/decode_test.cc
#include "systolic/image/formats.h"

#include <algorithm>
#include <atomic>

#include "systolic/base/bytes_place.h"
#include "systolic/base/message.h"
#include "systolic/image/decode.h"

namespace systolic::image {

namespace {

std::atomic<int64_t> limit{int64_t{1} << 31};

// Whether bytes that are no picture look like the path of one.
bool looks_like_path(std::string_view bytes) {
  constexpr size_t kLongest = 1000;
  return bytes.size() <= kLongest &&
         bytes.find_first_of("./") != std::string_view::npos &&
         std::all_of(bytes.begin(), bytes.end(),
                     [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

}  // namespace

void set_decode_limit(int64_t bytes) {
  if (bytes < 1) {
    internal::Message("set_decode_limit")
        .expected("at least one byte")
        .got(bytes)
        .raise<ValueError>();
  }
  limit = bytes;
}

int64_t decode_limit() { return limit; }

namespace detail {

Format format_of(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return Format::jpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return Format::png;
  if (bytes.starts_with("GIF8")) return Format::gif;
  if (bytes.starts_with("BM")) return Format::bmp;
  if (bytes.starts_with("RIFF") && bytes.size() > 12 &&
      bytes.substr(8, 4) == "WEBP") {
    return Format::webp;
  }
  return Format::unknown;
}

std::string_view name(Format format) {
  switch (format) {
    case Format::jpeg:
      return "JPEG";
    case Format::png:
      return "PNG";
    case Format::gif:
      return "GIF";
    case Format::bmp:
      return "BMP";
    case Format::webp:
      return "WebP";
    default:
      return "unknown";
  }
}

void throw_bad_picture(const char* who, const Contents& contents,
                       const BadPicture& bad) {
  internal::Message message(who);
  message.expected(bad.rule).got(bad.got);
  if (bad.format != Format::unknown) message.detail("format", name(bad.format));
  if (bad.byte >= 0) {
    message.detail("byte", bad.byte, " of ", contents.bytes().size());
  } else {
    message.detail("size", contents.bytes().size(), " bytes");
  }
  const std::string place = internal::place_of_bytes(contents.bytes());
  if (!place.empty()) message.detail("from", place);
  if (!bad.hint.empty()) {
    message.hint(bad.hint);
  } else if (looks_like_path(contents.bytes())) {
    message.hint("this looks like a path: ", who,
                 "(io::read_file(path)) decodes the file");
  }
  message.at(contents.where()).raise<DataError>();
}

void check_size(const char* who, const Contents& contents, Format format,
                int64_t height, int64_t width, int64_t bytes_of_a_pixel) {
  const int64_t most = decode_limit();
  // Neither side is over 2^32, so that no product is too large.
  if (height > 0 && width > 0 && height <= most / width &&
      height * width <= most / bytes_of_a_pixel) {
    return;
  }
  throw_bad_picture(
      who, contents,
      {.format = format,
       .rule = internal::concatenate_text("a picture of at least a pixel and ",
                                          "at most ", most, " bytes"),
       .got = internal::concatenate_text(height, " x ", width, " pixels of ",
                                         bytes_of_a_pixel, " bytes"),
       .hint = "set_decode_limit() allows larger ones"});
}

void throw_channels(const char* who, const Contents& contents,
                    std::string_view allowed, int channels) {
  internal::Message(who)
      .expected("channels to be ", allowed)
      .got(channels)
      .at(contents.where())
      .raise<ValueError>();
}

}  // namespace detail
}  // namespace systolic::image
