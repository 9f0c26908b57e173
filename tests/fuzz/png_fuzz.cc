// PNG pictures: the first byte is options, the rest is the file.
#include "systolic/image/decode.h"
#include "tests/fuzz/pictures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace systolic;
  if (size == 0) return 0;
  [[maybe_unused]] const int bits = data[0];
  const std::string_view file = fuzz::text(data + 1, size - 1);
  const DType dtype = (bits & 8) != 0 ? DType::uint16 : DType::uint8;
  fuzz::decode([&] {
    image::decode_png(
        file, {.channels = (bits & 4) != 0 ? 4 : bits & 3, .dtype = dtype});
  });
  return 0;
}
