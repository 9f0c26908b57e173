// WebP through libwebp.
// Tested by: systolic/image/decode_test.cc
#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>
#include <memory>

#include "systolic/base/message.h"
#include "systolic/image/decode.h"
#include "systolic/image/formats.h"

namespace systolic::image {

using detail::Format;

namespace {

constexpr const char* kWho = "decode_webp";

[[noreturn]] void fail(const Contents& contents, const std::string& rule,
                       const std::string& got) {
  detail::throw_bad_picture(kWho, contents,
                            {.format = Format::webp, .rule = rule, .got = got});
}

const uint8_t* data_of(const Contents& contents) {
  return reinterpret_cast<const uint8_t*>(contents.bytes().data());
}

const char* text(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "bytes that end too early";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "a feature that libwebp does not know";
    case VP8_STATUS_OUT_OF_MEMORY:
      return "a picture larger than the memory";
    default:
      return "damaged data";
  }
}

// A picture that does not move, as the only frame.
Array decode_still(const Contents& contents, WebPDecoderConfig& config,
                   int channels) {
  const int64_t height = config.input.height, width = config.input.width;
  Array picture =
      Array::uninitialized({DType::uint8, {1, height, width, channels}});
  config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = picture.mutable_span<uint8_t>().data();
  config.output.u.RGBA.stride = static_cast<int>(width * channels);
  config.output.u.RGBA.size = picture.nbytes();
  const VP8StatusCode status =
      WebPDecode(data_of(contents), contents.bytes().size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) {
    fail(contents, "a picture without damage", text(status));
  }
  return picture;
}

struct DeleteDecoder {
  void operator()(WebPAnimDecoder* decoder) const {
    WebPAnimDecoderDelete(decoder);
  }
};

// All frames of one that moves, with alpha.
Array decode_moving(const Contents& contents) {
  const WebPData data{data_of(contents), contents.bytes().size()};
  const std::unique_ptr<WebPAnimDecoder, DeleteDecoder> decoder(
      WebPAnimDecoderNew(&data, nullptr));
  WebPAnimInfo info{};
  if (decoder == nullptr || WebPAnimDecoderGetInfo(decoder.get(), &info) == 0) {
    fail(contents, "an animation without damage", "damaged data");
  }
  const int64_t frames = info.frame_count, height = info.canvas_height;
  detail::check_size(kWho, contents, Format::webp, frames * height,
                     info.canvas_width, 4);
  Array pictures = Array::uninitialized(
      {DType::uint8, {frames, height, info.canvas_width, 4}});
  const size_t bytes = pictures.nbytes() / static_cast<size_t>(frames);
  uint8_t* out = pictures.mutable_span<uint8_t>().data();
  for (int64_t i = 0; i < frames; ++i, out += bytes) {
    uint8_t* frame = nullptr;
    int milliseconds = 0;
    if (WebPAnimDecoderGetNext(decoder.get(), &frame, &milliseconds) == 0) {
      fail(contents, "an animation without damage",
           internal::concatenate_text("damaged data in frame ", i));
    }
    std::memcpy(out, frame, bytes);
  }
  return pictures;
}

}  // namespace

Array decode_webp(const Contents& contents, const ColorOptions& options) {
  if (options.channels != 0 && options.channels != 3 && options.channels != 4) {
    detail::throw_channels(kWho, contents, "0, 3 or 4", options.channels);
  }
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    throw InternalError("decode_webp: libwebp is of another version");
  }
  const VP8StatusCode status = WebPGetFeatures(
      data_of(contents), contents.bytes().size(), &config.input);
  if (status != VP8_STATUS_OK) {
    fail(contents, "a WebP picture", text(status));
  }
  detail::check_size(kWho, contents, Format::webp, config.input.height,
                     config.input.width, 4);
  if (config.input.has_animation != 0) {
    const Array frames = decode_moving(contents);
    return options.channels == 3 ? frames[{ellipsis, Slice(3)}] : frames;
  }
  return decode_still(contents, config,
                      options.channels != 0         ? options.channels
                      : config.input.has_alpha != 0 ? 4
                                                    : 3);
}

}  // namespace systolic::image
