// GIF through giflib.
// Tested by: systolic/image/decode_test.cc
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "systolic/base/message.h"
#include "systolic/image/decode.h"
#include "systolic/image/formats.h"

namespace systolic::image {

using detail::Format;

namespace {

constexpr const char* kWho = "decode_gif";

struct Input {
  std::string_view bytes;
  size_t place = 0;
};

int read_bytes(GifFileType* file, GifByteType* out, int count) {
  auto* input = static_cast<Input*>(file->UserData);
  const size_t some = std::min(static_cast<size_t>(std::max(count, 0)),
                               input->bytes.size() - input->place);
  std::memcpy(out, input->bytes.data() + input->place, some);
  input->place += some;
  return static_cast<int>(some);
}

struct Close {
  void operator()(GifFileType* file) const { DGifCloseFile(file, nullptr); }
};
using File = std::unique_ptr<GifFileType, Close>;

[[noreturn]] void fail(const Contents& contents, const std::string& got,
                       int64_t byte) {
  detail::throw_bad_picture(kWho, contents,
                            {.format = Format::gif,
                             .rule = "a picture without damage",
                             .got = got,
                             .byte = byte});
}

// The sizes of all frames are checked while giflib only skips their pixels:
// it would make room for whatever a damaged header says.
void check_frames(const Contents& contents) {
  Input input{contents.bytes()};
  int code = 0;
  const File file(DGifOpen(&input, read_bytes, &code));
  if (file == nullptr) {
    const char* text = GifErrorString(code);
    fail(contents, text == nullptr ? "no header" : text,
         static_cast<int64_t>(input.place));
  }
  detail::check_size(kWho, contents, Format::gif, file->SHeight, file->SWidth,
                     3);
  GifRecordType type = UNDEFINED_RECORD_TYPE;
  int64_t frames = 0, pixels = 0, height = 1, width = 1;
  while (DGifGetRecordType(file.get(), &type) == GIF_OK &&
         type != TERMINATE_RECORD_TYPE) {
    int skipped = 0;
    GifByteType* block = nullptr;
    if (type == IMAGE_DESC_RECORD_TYPE) {
      if (DGifGetImageDesc(file.get()) != GIF_OK ||
          DGifGetCode(file.get(), &skipped, &block) != GIF_OK) {
        return;  // reading it says what is wrong
      }
      pixels += int64_t{file->Image.Height} * file->Image.Width;
      ++frames;
      height = std::max<int64_t>(height, file->Image.Height);
      width = std::max<int64_t>(width, file->Image.Width);
      if (pixels > decode_limit() / 3) break;
    } else if (type != EXTENSION_RECORD_TYPE ||
               DGifGetExtension(file.get(), &skipped, &block) != GIF_OK) {
      return;
    }
    while (block != nullptr) {
      const int status = type == IMAGE_DESC_RECORD_TYPE
                             ? DGifGetCodeNext(file.get(), &block)
                             : DGifGetExtensionNext(file.get(), &block);
      if (status != GIF_OK) return;
    }
  }
  detail::check_size(kWho, contents, Format::gif,
                     std::max({frames * height, pixels / width, int64_t{1}}),
                     width, 3);
}

// Height and width of the pictures: as TensorFlow has it those of the largest
// frame, not of the screen that the header names.
struct Canvas {
  int height = 0;
  int width = 0;
};

Canvas canvas_of(const GifFileType& file) {
  Canvas canvas;
  for (int i = 0; i < file.ImageCount; ++i) {
    const GifImageDesc& frame = file.SavedImages[i].ImageDesc;
    canvas.height = std::max(canvas.height, frame.Height);
    canvas.width = std::max(canvas.width, frame.Width);
  }
  return canvas;
}

// Draws a frame over what is there; `out` is the whole canvas.
void draw(const Contents& contents, const GifFileType& file, int index,
          const Canvas& canvas, uint8_t* out) {
  const SavedImage& frame = file.SavedImages[index];
  const GifImageDesc& place = frame.ImageDesc;
  const ColorMapObject* colors =
      place.ColorMap != nullptr ? place.ColorMap : file.SColorMap;
  if (colors == nullptr) {
    fail(contents, internal::concatenate_text("no colours for frame ", index),
         -1);
  }
  GraphicsControlBlock control{};
  control.TransparentColor = NO_TRANSPARENT_COLOR;
  DGifSavedExtensionToGCB(const_cast<GifFileType*>(&file), index, &control);
  const int bottom = std::min(canvas.height, place.Top + place.Height);
  const int right = std::min(canvas.width, place.Left + place.Width);
  for (int y = std::max(place.Top, 0); y < bottom; ++y) {
    for (int x = std::max(place.Left, 0); x < right; ++x) {
      const int color = frame.RasterBits[int64_t{y - place.Top} * place.Width +
                                         x - place.Left];
      if (color == control.TransparentColor) continue;
      if (color >= colors->ColorCount) {
        fail(
            contents,
            internal::concatenate_text("colour ", color, " of ",
                                       colors->ColorCount, " in frame ", index),
            -1);
      }
      const GifColorType& rgb = colors->Colors[color];
      uint8_t* pixel = out + (int64_t{y} * canvas.width + x) * 3;
      pixel[0] = rgb.Red;
      pixel[1] = rgb.Green;
      pixel[2] = rgb.Blue;
    }
  }
}

}  // namespace

Array decode_gif(const Contents& contents) {
  const Format format = detail::format_of(contents.bytes());
  if (format != Format::gif) {
    detail::throw_bad_picture(
        kWho, contents,
        {.format = Format::gif,
         .rule = "\"GIF8\" at the start",
         .got = std::string(detail::name(format)) + " data",
         .byte = 0,
         .hint = format == Format::unknown ? "" : "decode_image(x)"});
  }
  check_frames(contents);
  Input input{contents.bytes()};
  int code = 0;
  const File file(DGifOpen(&input, read_bytes, &code));
  if (file == nullptr || DGifSlurp(file.get()) != GIF_OK) {
    const char* text = GifErrorString(file == nullptr ? code : file->Error);
    fail(contents, text == nullptr ? "no picture" : text,
         static_cast<int64_t>(input.place));
  }
  if (file->ImageCount < 1) fail(contents, "no frame", -1);
  const Canvas canvas = canvas_of(*file);
  const int64_t bytes = int64_t{canvas.height} * canvas.width * 3;
  Array picture = Array::zeros(
      {file->ImageCount, canvas.height, canvas.width, 3}, DType::uint8);
  uint8_t* out = picture.mutable_span<uint8_t>().data();
  for (int i = 0; i < file->ImageCount; ++i, out += bytes) {
    if (i > 0) std::memcpy(out, out - bytes, static_cast<size_t>(bytes));
    draw(contents, *file, i, canvas, out);
  }
  return picture;
}

}  // namespace systolic::image
