// PNG through libpng.
// Tested by: systolic/image/decode_test.cc
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/image/decode.h"
#include "systolic/image/encode.h"
#include "systolic/image/formats.h"

namespace systolic::image {

using detail::Format;

namespace {

// What an error of libpng says; it has no other way to give it.
struct Failure {
  std::string_view bytes;
  size_t place = 0;
  char text[256] = {};
};

void keep_text(char (&out)[256], const char* text) {
  std::strncpy(out, text, sizeof(out) - 1);
}

void read_bytes(png_structp png, png_bytep out, size_t count) {
  auto* input = static_cast<Failure*>(png_get_io_ptr(png));
  if (input->bytes.size() - input->place < count) {
    input->place = input->bytes.size();
    png_error(png, "the bytes end");
  }
  std::memcpy(out, input->bytes.data() + input->place, count);
  input->place += count;
}

[[noreturn]] void leave(png_structp png, png_const_charp text) {
  keep_text(static_cast<Failure*>(png_get_error_ptr(png))->text, text);
  png_longjmp(png, 1);
}

// Damage of what is not needed for the pixels, such as a colour profile.
void ignore_warning(png_structp, png_const_charp) {}

// One picture's decoder, after its header.
class Reader {
 public:
  explicit Reader(const Contents& contents)
      : contents_(contents), input_{contents.bytes()} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &input_, leave,
                                  ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }
  Failure* input() { return &input_; }

  // Runs a part of the decoding, which must not own anything: libpng's
  // errors leave it without destructors. Throws them as DataError.
  template <class Body>
  void guard(const Body& body) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      detail::throw_bad_picture("decode_png", contents_,
                                {.format = Format::png,
                                 .rule = "a picture without damage",
                                 .got = input_.text,
                                 .byte = static_cast<int64_t>(input_.place)});
    }
    body();
  }

 private:
  const Contents& contents_;
  Failure input_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

// The file's own channels; palettes have colours.
int channels_of(const Reader& reader) {
  if (png_get_color_type(reader.png(), reader.info()) ==
      PNG_COLOR_TYPE_PALETTE) {
    return png_get_valid(reader.png(), reader.info(), PNG_INFO_tRNS) != 0 ? 4
                                                                          : 3;
  }
  return png_get_channels(reader.png(), reader.info());
}

// Asks for the channels and, of 16-bit files, for the bits.
void set_transforms(Reader& reader, int channels, bool wide) {
  png_structp png = reader.png();
  const int color = png_get_color_type(png, reader.info());
  const int bits = png_get_bit_depth(png, reader.info());
  const bool alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  const bool transparent =
      png_get_valid(png, reader.info(), PNG_INFO_tRNS) != 0;
  if (channels % 2 == 1) {
    if (alpha || transparent) png_set_strip_alpha(png);
  } else if (transparent && !alpha) {
    png_set_tRNS_to_alpha(png);
  } else if (!alpha) {
    png_set_add_alpha(png, bits == 16 ? 0xffff : 0xff, PNG_FILLER_AFTER);
  }
  if (bits == 16 && !wide) png_set_strip_16(png);
  if (bits == 16 && wide) png_set_swap(png);  // the file's are big-endian
  png_set_packing(png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  const bool gray = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (gray && bits < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (channels < 3 && !gray) {
    // The weights of red and green in JPEG's luminance.
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  } else if (channels >= 3 && gray) {
    png_set_gray_to_rgb(png);
  }
}

// The rows of all passes of an interlaced file.
void read_rows(Reader& reader, int64_t height, size_t stride, png_bytep out) {
  int passes = 1;
  reader.guard([&] {
    passes = png_set_interlace_handling(reader.png());
    png_read_update_info(reader.png(), reader.info());
  });
  if (png_get_rowbytes(reader.png(), reader.info()) != stride) {
    throw InternalError("decode_png: rows of another size than asked for");
  }
  reader.guard([&] {
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t row = 0; row < height; ++row) {
        png_read_row(reader.png(), out + static_cast<size_t>(row) * stride,
                     nullptr);
      }
    }
    png_read_end(reader.png(), nullptr);
  });
}

Array widened(const Array& narrow) {
  Array wide = Array::uninitialized({DType::uint16, narrow.shape()});
  const auto from = narrow.span<uint8_t>();
  const auto to = wide.mutable_span<uint16_t>();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<uint16_t>(from[i] * 257);
  }
  return wide;
}

void check_options(const Contents& contents, const PngOptions& options) {
  if (options.channels < 0 || options.channels > 4) {
    detail::throw_channels("decode_png", contents, "0 ... 4", options.channels);
  }
  if (options.dtype == DType::uint8 || options.dtype == DType::uint16) return;
  internal::Message("decode_png")
      .expected("dtype to be uint8 or uint16")
      .got(options.dtype)
      .at(contents.where())
      .raise<TypeError>();
}

}  // namespace

Array decode_png(const Contents& contents, const PngOptions& options) {
  check_options(contents, options);
  const Format format = detail::format_of(contents.bytes());
  if (format != Format::png && format != Format::unknown) {
    return decode_image(contents, {.channels = options.channels,
                                   .dtype = options.dtype,
                                   .expand_animations = false});
  }
  Reader reader(contents);
  reader.guard([&] {
    png_set_read_fn(reader.png(), reader.input(), read_bytes);
    png_read_info(reader.png(), reader.info());
  });
  const int64_t height = png_get_image_height(reader.png(), reader.info());
  const int64_t width = png_get_image_width(reader.png(), reader.info());
  detail::check_size("decode_png", contents, Format::png, height, width, 8);
  const int channels =
      options.channels != 0 ? options.channels : channels_of(reader);
  const bool wide = options.dtype == DType::uint16 &&
                    png_get_bit_depth(reader.png(), reader.info()) == 16;
  reader.guard([&] { set_transforms(reader, channels, wide); });
  Array picture = Array::uninitialized(
      {wide ? DType::uint16 : DType::uint8, {height, width, channels}});
  read_rows(reader, height,
            static_cast<size_t>(width * channels) * (wide ? 2 : 1),
            reinterpret_cast<png_bytep>(picture.mutable_data()));
  return wide || options.dtype == DType::uint8 ? picture : widened(picture);
}

namespace {

void append_bytes(png_structp png, png_bytep bytes, size_t count) {
  // May throw std::bad_alloc, which libpng's frames let through as ours do
  // own nothing.
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(bytes), count);
}

// One picture's encoder.
class Writer {
 public:
  Writer() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure_, leave,
                                   ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
  }
  ~Writer() { png_destroy_write_struct(&png_, &info_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  std::string write(const Array& picture, int compression) {
    std::string out;
    constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                               PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const bool wide = picture.dtype() == DType::uint16;
    const int64_t height = picture.shape()[0], width = picture.shape()[1];
    const int64_t channels = picture.shape()[2];
    const auto stride = static_cast<size_t>(width * channels) * (wide ? 2 : 1);
    const auto* rows = reinterpret_cast<png_const_bytep>(picture.data());
    if (setjmp(png_jmpbuf(png_)) != 0) {
      throw InternalError(std::string("encode_png: ") + failure_.text);
    }
    png_set_write_fn(png_, &out, append_bytes, [](png_structp) {});
    png_set_compression_level(png_, compression);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width),
                 static_cast<png_uint_32>(height), wide ? 16 : 8,
                 kColors[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    if (wide) png_set_swap(png_);
    for (int64_t row = 0; row < height; ++row) {
      png_write_row(png_, rows + static_cast<size_t>(row) * stride);
    }
    png_write_end(png_, nullptr);
    return out;
  }

 private:
  Failure failure_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

std::string encode_png(const Array& image, const EncodePngOptions& options) {
  const bool bytes = image.dtype() == DType::uint8;
  if (!bytes && image.dtype() != DType::uint16) {
    internal::Message("encode_png")
        .expected("uint8 or uint16")
        .got(image.spec())
        .hint("convert_image_dtype(x, DType::uint8)")
        .raise<TypeError>();
  }
  if (image.rank() != 3 || image.shape()[2] < 1 || image.shape()[2] > 4 ||
      image.size() == 0 || image.shape()[0] > PNG_USER_HEIGHT_MAX ||
      image.shape()[1] > PNG_USER_WIDTH_MAX) {
    internal::Message("encode_png")
        .expected("one image (h, w, c) of 1 to 4 channels and up to ",
                  PNG_USER_WIDTH_MAX, " pixels a side")
        .got(image.spec())
        .raise<ShapeError>();
  }
  if (options.compression < -1 || options.compression > 9) {
    internal::Message("encode_png")
        .expected("compression to be -1 (zlib's own) ... 9")
        .got(options.compression)
        .raise<ValueError>();
  }
  return Writer().write(image, options.compression);
}

}  // namespace systolic::image
