// JPEG through libjpeg-turbo: decoding.
// Tested by: systolic/image/decode_test.cc
#include <cstdio>
// After cstdio, whose types it needs.
#include <jpeglib.h>
// After jpeglib.h.
#include <jerror.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <optional>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/image/decode.h"
#include "systolic/image/formats.h"

namespace systolic::image {

using detail::Format;

namespace {

// A progressive picture of more scans than this was made to keep us busy.
constexpr int kMostScans = 200;

// More than libjpeg ever has ready.
constexpr int64_t kRowsAtOnce = 16;

const JOCTET kEnd[] = {0xff, JPEG_EOI};

// libjpeg's way to report errors: back to where the call was made.
struct ErrorManager : jpeg_error_mgr {
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> text{};
};

// The bytes, and whether their end was met.
struct Source : jpeg_source_mgr {
  bool recover = false;
  bool ended = false;
};

// Frees what libjpeg holds.
struct Decompressor {
  Decompressor() = default;
  ~Decompressor() { jpeg_destroy_decompress(&info); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  jpeg_decompress_struct info{};
};

[[noreturn]] void leave(j_common_ptr info) {
  auto* error = static_cast<ErrorManager*>(info->err);
  error->format_message(info, error->text.data());
  std::longjmp(error->jump, 1);
}

void count_warning(j_common_ptr info, int level) {
  if (level < 0) ++info->err->num_warnings;
}

void limit_scans(j_common_ptr info) {
  if (info->is_decompressor != 0 &&
      reinterpret_cast<j_decompress_ptr>(info)->input_scan_number >
          kMostScans) {
    ERREXIT(info, JERR_BAD_PROGRESSION);
  }
}

// There are never more bytes: an error, or a mark of the end.
boolean refill(j_decompress_ptr info) {
  auto* source = static_cast<Source*>(info->src);
  source->ended = true;
  if (!source->recover) ERREXIT(info, JERR_INPUT_EOF);
  source->next_input_byte = kEnd;
  source->bytes_in_buffer = sizeof(kEnd);
  return TRUE;
}

void skip(j_decompress_ptr info, long count) {
  jpeg_source_mgr* source = info->src;
  if (count <= 0) return;
  // Past the end, which the next read meets.
  const size_t bytes =
      std::min(static_cast<size_t>(count), source->bytes_in_buffer);
  source->next_input_byte += bytes;
  source->bytes_in_buffer -= bytes;
}

// One picture's decoder, after its header.
class Reader {
 public:
  Reader(const char* who, const Contents& contents, bool recover)
      : who_(who), contents_(contents) {
    info().err = jpeg_std_error(&error_);
    error_.error_exit = leave;
    error_.emit_message = count_warning;
    guard([&] { jpeg_create_decompress(&info()); });
    progress_.progress_monitor = limit_scans;
    info().progress = &progress_;
    source_.init_source = [](j_decompress_ptr) {};
    source_.term_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = refill;
    source_.skip_input_data = skip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.next_input_byte = begin();
    source_.bytes_in_buffer = contents.bytes().size();
    source_.recover = recover;
    info().src = &source_;
    guard([&] { jpeg_read_header(&info(), TRUE); });
  }

  jpeg_decompress_struct& info() { return decompressor_.info; }

  // Runs a part of the decoding, which must not own anything: libjpeg's
  // errors leave it without destructors. Throws them as DataError.
  template <class Body>
  void guard(const Body& body) {
    if (setjmp(error_.jump) != 0) throw_error();
    body();
  }

  // Tells of damage that libjpeg could do without.
  void log_warnings() const {
    if (error_.num_warnings == 0 || source_.ended) return;
    log(LogLevel::warning,
        internal::concatenate_text(
            who_, ": a damaged JPEG picture of ", contents_.bytes().size(),
            " bytes was decoded as far as it makes sense"));
  }

 private:
  const JOCTET* begin() const {
    return reinterpret_cast<const JOCTET*>(contents_.bytes().data());
  }

  [[noreturn]] void throw_error() {
    const auto size = static_cast<int64_t>(contents_.bytes().size());
    const bool rows = info().output_height > 0;
    if (source_.ended) {
      detail::throw_bad_picture(
          who_, contents_,
          {.format = Format::jpeg,
           .rule = "a whole picture",
           .got = rows ? internal::concatenate_text(
                             "bytes that end in row ", info().output_scanline,
                             " of ", info().output_height)
                       : std::string("bytes that end in the header"),
           .byte = size,
           .hint = rows ? "{.try_recover_truncated = true} decodes what is "
                          "there"
                        : ""});
    }
    detail::throw_bad_picture(who_, contents_,
                              {.format = Format::jpeg,
                               .rule = "a picture without damage",
                               .got = error_.text.data(),
                               .byte = source_.next_input_byte - begin()});
  }

  const char* who_;
  const Contents& contents_;
  ErrorManager error_{};
  Source source_{};
  jpeg_progress_mgr progress_{};
  Decompressor decompressor_;
};

void check_options(const char* who, const Contents& contents,
                   const JpegOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3) {
    detail::throw_channels(who, contents, "0, 1 or 3", options.channels);
  }
  if (options.ratio == 1 || options.ratio == 2 || options.ratio == 4 ||
      options.ratio == 8) {
    return;
  }
  internal::Message(who)
      .expected("ratio to be 1, 2, 4 or 8")
      .got(options.ratio)
      .at(contents.where())
      .raise<ValueError>();
}

void check_window(const char* who, const Contents& contents,
                  const CropWindow& window, int64_t height, int64_t width) {
  if (window.height > 0 && window.width > 0 && window.y >= 0 && window.x >= 0 &&
      window.y <= height - window.height && window.x <= width - window.width) {
    return;
  }
  internal::Message(who)
      .expected("a window of at least one pixel, inside of the picture")
      .got("y ", window.y, ", x ", window.x, ", size ", window.height, " x ",
           window.width)
      .detail("picture", height, " x ", width)
      .at(contents.where())
      .raise<ValueError>();
}

// Colours of four inks as RGB; Adobe's files have them inverted.
void cmyk_to_rgb(const JSAMPLE* from, JSAMPLE* to, int64_t pixels,
                 bool inverted) {
  for (int64_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    const int key = inverted ? from[3] : 255 - from[3];
    for (int c = 0; c < 3; ++c) {
      const int ink = inverted ? from[c] : 255 - from[c];
      to[c] = static_cast<JSAMPLE>(key * ink / 255);
    }
  }
}

// All rows of a picture, straight to where they belong: as many at once as
// libjpeg has, which is quicker than one by one.
void read_whole_rows(Reader& reader, int64_t height, size_t stride,
                     JSAMPLE* out) {
  reader.guard([&] {
    std::array<JSAMPROW, kRowsAtOnce> rows;
    jpeg_decompress_struct& info = reader.info();
    for (int64_t row = 0; row < height;) {
      const int64_t count = std::min<int64_t>(height - row, kRowsAtOnce);
      for (int64_t i = 0; i < count; ++i) {
        rows[static_cast<size_t>(i)] =
            out + static_cast<size_t>(row + i) * stride;
      }
      row += jpeg_read_scanlines(&info, rows.data(),
                                 static_cast<JDIMENSION>(count));
    }
  });
}

// The rows of a window. libjpeg gives columns from a multiple of its blocks
// on, so that they go through `line`.
void read_rows(Reader& reader, const CropWindow& window, int channels,
               int64_t first_column, JSAMPLE* out) {
  jpeg_decompress_struct& info = reader.info();
  const bool inks = info.out_color_space == JCS_CMYK;
  const auto stride = static_cast<size_t>(window.width * channels);
  if (!inks && info.output_width == window.width) {
    return read_whole_rows(reader, window.height, stride, out);
  }
  std::vector<JSAMPLE> line(size_t{info.output_width} *
                            static_cast<size_t>(info.output_components));
  const JSAMPLE* wanted =
      line.data() + (window.x - first_column) * info.output_components;
  const bool inverted = info.saw_Adobe_marker != 0;
  reader.guard([&] {
    for (int64_t row = 0; row < window.height; ++row, out += stride) {
      JSAMPROW target = line.data();
      jpeg_read_scanlines(&info, &target, 1);
      if (inks) {
        cmyk_to_rgb(wanted, out, window.width, inverted);
      } else {
        std::memcpy(out, wanted, stride);
      }
    }
  });
}

// Has libjpeg decode only the blocks of the window, and returns the first
// column that it will give. One column more at each side is decoded, from
// which the colours inside are interpolated as in the whole picture.
int64_t narrow(Reader& reader, const CropWindow& window) {
  jpeg_decompress_struct& info = reader.info();
  const int64_t width = info.output_width;
  const int64_t left = std::max<int64_t>(window.x - 1, 0);
  const int64_t right = std::min(window.x + window.width + 1, width);
  auto first = static_cast<JDIMENSION>(left);
  auto columns = static_cast<JDIMENSION>(right - left);
  reader.guard([&] {
    if (right - left < width) jpeg_crop_scanline(&info, &first, &columns);
    if (window.y > 0) {
      jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(window.y));
    }
  });
  return right - left < width ? first : 0;
}

Array decode(const char* who, const Contents& contents,
             const std::optional<CropWindow>& crop,
             const JpegOptions& options) {
  check_options(who, contents, options);
  Reader reader(who, contents, options.try_recover_truncated);
  jpeg_decompress_struct& info = reader.info();
  const int channels = options.channels != 0      ? options.channels
                       : info.num_components == 1 ? 1
                                                  : 3;
  const bool inks =
      info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = channels == 1 ? JCS_GRAYSCALE
                         : inks        ? JCS_CMYK
                                       : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(options.ratio);
  info.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
  info.dct_method = options.dct_method == DctMethod::integer_accurate
                        ? JDCT_ISLOW
                        : JDCT_IFAST;
  reader.guard([&] { jpeg_calc_output_dimensions(&info); });
  const int64_t height = info.output_height, width = info.output_width;
  detail::check_size(who, contents, Format::jpeg, height, width, 4);
  const CropWindow window = crop.value_or(CropWindow{0, 0, height, width});
  check_window(who, contents, window, height, width);
  // A progressive picture is kept as a whole, in numbers of two bytes.
  info.mem->max_memory_to_use = static_cast<long>(4 * decode_limit());
  reader.guard([&] { jpeg_start_decompress(&info); });
  const int64_t first = narrow(reader, window);
  Array picture = Array::uninitialized(
      {DType::uint8, {window.height, window.width, channels}});
  read_rows(reader, window, channels, first,
            reinterpret_cast<JSAMPLE*>(picture.mutable_data()));
  reader.log_warnings();
  return picture;
}

}  // namespace

Array decode_jpeg(const Contents& contents, const JpegOptions& options) {
  const Format format = detail::format_of(contents.bytes());
  if (format == Format::jpeg || format == Format::unknown) {
    return decode("decode_jpeg", contents, std::nullopt, options);
  }
  return decode_image(
      contents, {.channels = options.channels, .expand_animations = false});
}

Array decode_and_crop_jpeg(const Contents& contents, const CropWindow& window,
                           const JpegOptions& options) {
  return decode("decode_and_crop_jpeg", contents, window, options);
}

Array extract_jpeg_shape(const Contents& contents) {
  Reader reader("extract_jpeg_shape", contents, false);
  const jpeg_decompress_struct& info = reader.info();
  return Array::from({static_cast<int32_t>(info.image_height),
                      static_cast<int32_t>(info.image_width),
                      static_cast<int32_t>(info.num_components)});
}

bool is_jpeg(const Contents& contents) {
  return detail::format_of(contents.bytes()) == Format::jpeg;
}

}  // namespace systolic::image
