// BMP: a header, perhaps a table of colours, then rows of pixels.
// Tested by: systolic/image/decode_test.cc
#include <cstring>

#include "systolic/base/message.h"
#include "systolic/image/decode.h"
#include "systolic/image/formats.h"

namespace systolic::image {

using detail::Format;

namespace {

constexpr const char* kWho = "decode_bmp";

// What the header says.
struct Header {
  int64_t pixels = 0;  // where they begin
  int64_t colors = 0;  // where the table of colours begins
  int64_t color_count = 0;
  int64_t width = 0;
  int64_t height = 0;
  bool top_down = false;
  int64_t bytes_of_a_pixel = 0;
};

[[noreturn]] void fail(const Contents& contents, const std::string& rule,
                       const std::string& got, int64_t byte) {
  detail::throw_bad_picture(
      kWho, contents,
      {.format = Format::bmp, .rule = rule, .got = got, .byte = byte});
}

// A little-endian number of the file, which has it.
int64_t number(const Contents& contents, size_t at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(
                 contents.bytes()[at + static_cast<size_t>(i)]))
             << (8 * i);
  }
  return bytes == 4 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
}

// Refuses what is no plain rows of whole bytes.
void check_coding(const Contents& contents, int64_t bits, int64_t coding) {
  using internal::concatenate_text;
  if (bits != 8 && bits != 24 && bits != 32) {
    fail(contents, "8, 24 or 32 bits a pixel", concatenate_text(bits), 28);
  }
  // 3: of 32 bits, with masks, which are those of the plain order.
  if (coding != 0 && !(coding == 3 && bits == 32)) {
    fail(contents, "pixels without compression",
         concatenate_text("compression ", coding), 30);
  }
}

Header read_header(const Contents& contents) {
  using internal::concatenate_text;
  const auto size = static_cast<int64_t>(contents.bytes().size());
  constexpr int64_t kFileHeader = 14, kInfoHeader = 40;
  if (size < kFileHeader + kInfoHeader) {
    fail(contents, "a header of 54 bytes", concatenate_text(size, " bytes"),
         size);
  }
  const int64_t info = number(contents, kFileHeader, 4);
  if (info < kInfoHeader || info > size - kFileHeader) {
    fail(contents, "a second header of at least 40 bytes",
         concatenate_text(info), kFileHeader);
  }
  Header header;
  header.pixels = number(contents, 10, 4);
  header.width = number(contents, 18, 4);
  header.height = number(contents, 22, 4);
  const int64_t bits = number(contents, 28, 2);
  check_coding(contents, bits, number(contents, 30, 4));
  header.top_down = header.height < 0;
  if (header.top_down) header.height = -header.height;
  header.bytes_of_a_pixel = bits / 8;
  detail::check_size(kWho, contents, Format::bmp, header.height, header.width,
                     4);
  header.colors = kFileHeader + info;
  header.color_count = number(contents, 46, 4);
  if (header.color_count == 0) header.color_count = 256;
  if (header.pixels < header.colors || header.pixels > size) {
    fail(contents, "pixels behind the header",
         concatenate_text("byte ", header.pixels), 10);
  }
  return header;
}

// The table of colours as 256 entries of blue, green, red and nothing; missing
// ones are black.
std::array<unsigned char, 1024> colors(const Contents& contents,
                                       const Header& header) {
  std::array<unsigned char, 1024> table{};
  const int64_t there = (header.pixels - header.colors) / 4;
  const int64_t count =
      std::clamp<int64_t>(std::min(header.color_count, there), 0, 256);
  std::memcpy(table.data(), contents.bytes().data() + header.colors,
              static_cast<size_t>(count) * 4);
  return table;
}

// One row of pixels in the order of the result.
void convert_row(const unsigned char* from, unsigned char* to,
                 const Header& header, int channels,
                 const unsigned char* table) {
  for (int64_t x = 0; x < header.width; ++x) {
    const unsigned char* pixel = from + x * header.bytes_of_a_pixel;
    unsigned char* out = to + x * channels;
    if (channels == 1) {
      *out = *pixel;
      continue;
    }
    if (header.bytes_of_a_pixel == 1) pixel = table + 4 * *pixel;
    for (int c = 0; c < 3; ++c) out[c] = pixel[2 - c];
    if (channels == 4) {
      out[3] = header.bytes_of_a_pixel == 4 ? pixel[3] : 255;
    }
  }
}

}  // namespace

Array decode_bmp(const Contents& contents, const ColorOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3 &&
      options.channels != 4) {
    detail::throw_channels(kWho, contents, "0, 1, 3 or 4", options.channels);
  }
  if (detail::format_of(contents.bytes()) != Format::bmp) {
    fail(contents, "\"BM\" at the start", "something else", 0);
  }
  const Header header = read_header(contents);
  const int channels = options.channels != 0
                           ? options.channels
                           : static_cast<int>(header.bytes_of_a_pixel);
  if (channels == 1 && header.bytes_of_a_pixel != 1) {
    detail::throw_channels(kWho, contents, "0, 3 or 4 of a picture in colour",
                           channels);
  }
  const int64_t stride = (header.width * header.bytes_of_a_pixel + 3) / 4 * 4;
  const auto size = static_cast<int64_t>(contents.bytes().size());
  if (size - header.pixels < stride * header.height) {
    fail(contents, "a whole picture",
         internal::concatenate_text("bytes that end in row ",
                                    (size - header.pixels) / stride, " of ",
                                    header.height),
         size);
  }
  const auto table = colors(contents, header);
  Array picture = Array::uninitialized(
      {DType::uint8, {header.height, header.width, channels}});
  const auto out = picture.mutable_span<uint8_t>();
  const auto* pixels =
      reinterpret_cast<const unsigned char*>(contents.bytes().data()) +
      header.pixels;
  for (int64_t y = 0; y < header.height; ++y) {
    const int64_t row = header.top_down ? y : header.height - 1 - y;
    convert_row(pixels + row * stride, out.data() + y * header.width * channels,
                header, channels, table.data());
  }
  return picture;
}

}  // namespace systolic::image
