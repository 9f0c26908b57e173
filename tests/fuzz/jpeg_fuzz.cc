// JPEG pictures: the first byte is options, the rest is the file.
#include "systolic/base/log.h"
#include "systolic/image/decode.h"
#include "tests/fuzz/pictures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace systolic;
  if (size == 0) return 0;
  const unsigned bits = data[0];
  const std::string_view file = fuzz::text(data + 1, size - 1);
  const image::JpegOptions options{
      .channels = (bits & 1) != 0   ? 1
                  : (bits & 2) != 0 ? 3
                                    : 0,
      .ratio = 1 << ((bits >> 2) & 3),
      .fancy_upscaling = (bits & 16) == 0,
      .try_recover_truncated = (bits & 32) != 0,
      .dct_method = (bits & 64) != 0 ? "INTEGER_ACCURATE" : ""};
  fuzz::decode([&] {
    const Array whole = image::decode_jpeg(file, options);
    const int64_t height = whole.shape()[0], width = whole.shape()[1];
    if (!image::is_jpeg(file) || height < 3 || width < 3) return;
    const image::CropWindow window{height / 3, width / 3, height / 3,
                                   width / 3};
    image::decode_and_crop_jpeg(file, window, options);
  });
  fuzz::decode([&] { image::extract_jpeg_shape(file); });
  return 0;
}
