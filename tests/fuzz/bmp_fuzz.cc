// BMP pictures: the first byte is options, the rest is the file.
#include "systolic/image/decode.h"
#include "tests/fuzz/pictures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace systolic;
  if (size == 0) return 0;
  [[maybe_unused]] const int bits = data[0];
  const std::string_view file = fuzz::text(data + 1, size - 1);
  fuzz::decode([&] { image::decode_bmp(file); });
  fuzz::decode(
      [&] { image::decode_bmp(file, {.channels = (bits & 1) != 0 ? 4 : 3}); });
  return 0;
}
