// JPEG through libjpeg-turbo: encoding.
// Tested by: systolic/image/encode_test.cc
#include <cstdio>
// After cstdio, whose types it needs.
#include <jpeglib.h>
// After jpeglib.h.
#include <jerror.h>

#include <array>
#include <csetjmp>
#include <exception>
#include <string>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/image/encode.h"

namespace systolic::image {

namespace {

struct ErrorManager : jpeg_error_mgr {
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> text{};
};

// Where libjpeg writes to. Not its own jpeg_mem_dest(), which after an error
// leaves a pointer to memory that it has freed.
struct Destination : jpeg_destination_mgr {
  std::string bytes;
};

// Frees the memory that libjpeg holds.
struct Compressor {
  Compressor() = default;
  ~Compressor() { jpeg_destroy_compress(&info); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  jpeg_compress_struct info{};
  Destination out{};
};

[[noreturn]] void leave(j_common_ptr info) {
  auto* error = static_cast<ErrorManager*>(info->err);
  error->format_message(info, error->text.data());
  std::longjmp(error->jump, 1);
}

// Makes room for `size` bytes in all and has libjpeg write behind those that
// are there. No exception may cross libjpeg: no memory is an error of its own.
void grow(j_compress_ptr info, size_t size) {
  auto* out = static_cast<Destination*>(info->dest);
  const size_t filled = out->bytes.size() - out->free_in_buffer;
  bool grown = true;
  try {
    out->bytes.resize(size);
  } catch (const std::exception&) {
    grown = false;
  }
  if (!grown) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  out->next_output_byte = reinterpret_cast<JOCTET*>(out->bytes.data()) + filled;
  out->free_in_buffer = size - filled;
}

void start_output(j_compress_ptr info) {
  constexpr size_t kFirstBytes = size_t{16} << 10;
  grow(info, kFirstBytes);
}

// libjpeg calls it when all is full, whatever it says is free.
boolean grow_output(j_compress_ptr info) {
  info->dest->free_in_buffer = 0;
  grow(info, 2 * static_cast<Destination*>(info->dest)->bytes.size());
  return TRUE;
}

void end_output(j_compress_ptr info) {
  auto* out = static_cast<Destination*>(info->dest);
  out->bytes.resize(out->bytes.size() - out->free_in_buffer);
}

void set_options(jpeg_compress_struct& info, const Array& image,
                 const EncodeJpegOptions& options) {
  const bool gray = image.shape()[2] == 1;
  info.image_height = static_cast<JDIMENSION>(image.shape()[0]);
  info.image_width = static_cast<JDIMENSION>(image.shape()[1]);
  info.input_components = gray ? 1 : 3;
  info.in_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, options.quality, TRUE);
  info.optimize_coding = options.optimize_size ? TRUE : FALSE;
  if (options.progressive) jpeg_simple_progression(&info);
  if (!gray && !options.chroma_downsampling) {
    info.comp_info[0].h_samp_factor = 1;
    info.comp_info[0].v_samp_factor = 1;
  }
}

// In a function of its own, which owns nothing that an error would leak.
bool compress(Compressor& out, ErrorManager& error, const Array& image,
              const EncodeJpegOptions& options) {
  out.info.err = jpeg_std_error(&error);
  error.error_exit = leave;
  if (setjmp(error.jump) != 0) return false;
  jpeg_create_compress(&out.info);
  out.out.init_destination = start_output;
  out.out.empty_output_buffer = grow_output;
  out.out.term_destination = end_output;
  out.info.dest = &out.out;
  set_options(out.info, image, options);
  jpeg_start_compress(&out.info, TRUE);
  const auto stride = static_cast<size_t>(image.shape()[1] * image.shape()[2]);
  while (out.info.next_scanline < out.info.image_height) {
    // libjpeg only reads the row, though its type does not say so.
    JSAMPROW row =
        const_cast<JSAMPROW>(reinterpret_cast<const JSAMPLE*>(image.data()) +
                             out.info.next_scanline * stride);
    jpeg_write_scanlines(&out.info, &row, 1);
  }
  jpeg_finish_compress(&out.info);
  return true;
}

void check(const Array& image, const EncodeJpegOptions& options) {
  if (image.dtype() != DType::uint8) {
    internal::Message("encode_jpeg")
        .expected("uint8")
        .got(image.spec())
        .hint("convert_image_dtype(x, DType::uint8)")
        .raise<TypeError>();
  }
  const int64_t channels = image.rank() == 3 ? image.shape()[2] : 0;
  if ((channels != 1 && channels != 3) || image.size() == 0 ||
      image.shape()[0] > JPEG_MAX_DIMENSION ||
      image.shape()[1] > JPEG_MAX_DIMENSION) {
    internal::Message("encode_jpeg")
        .expected("one image (h, w, 1) or (h, w, 3) of up to ",
                  JPEG_MAX_DIMENSION, " pixels a side")
        .got(image.spec())
        .raise<ShapeError>();
  }
  if (options.quality < 0 || options.quality > 100) {
    internal::Message("encode_jpeg")
        .expected("quality to be 0 ... 100")
        .got(options.quality)
        .raise<ValueError>();
  }
  if (options.format.empty() ||
      options.format == (channels == 1 ? "grayscale" : "rgb")) {
    return;
  }
  internal::Message("encode_jpeg")
      .expected(
          "format to be \"\", \"grayscale\" of one channel or \"rgb\" "
          "of three")
      .got("\"", options.format, "\" and ", channels, " channels")
      .raise<ValueError>();
}

}  // namespace

std::string encode_jpeg(const Array& image, const EncodeJpegOptions& options) {
  check(image, options);
  ErrorManager error{};
  Compressor out;
  if (!compress(out, error, image, options)) {
    throw InternalError(std::string("encode_jpeg: ") + error.text.data());
  }
  return std::move(out.out.bytes);
}

}  // namespace systolic::image
