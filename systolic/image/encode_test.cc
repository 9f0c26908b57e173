#include "systolic/image/encode.h"

#include <gtest/gtest.h>

#include "systolic/image/decode.h"
#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

double error_of(const Array& picture, const EncodeJpegOptions& options) {
  const Array back = decode_jpeg(encode_jpeg(picture, options));
  EXPECT_EQ(back.shape(), picture.shape());
  return mean(abs(cast<float>(back) - cast<float>(picture))).item<double>();
}

TEST(EncodeJpeg, ComesBackNearly) {
  const Array picture = scene(33, 47);
  const double fine =
      error_of(picture, {.quality = 100, .chroma_downsampling = false});
  EXPECT_LT(fine, 6);
  EXPECT_LT(fine, error_of(picture, {.quality = 30}));
  EXPECT_LT(error_of(scene(33, 47, 1), {.quality = 100}), 6);
  EXPECT_EQ(encode_jpeg(picture, {.quality = 20}).size() <
                encode_jpeg(picture, {.quality = 90}).size(),
            true);
}

// The options change the file and not the picture.
TEST(EncodeJpeg, OptionsChangeTheFile) {
  const Array picture = scene(64, 64);
  const std::string plain = encode_jpeg(picture);
  const std::string small = encode_jpeg(picture, {.optimize_size = true});
  const std::string steps = encode_jpeg(picture, {.progressive = true});
  EXPECT_LT(small.size(), plain.size());
  EXPECT_NE(steps.find("\xff\xc2"), std::string::npos);
  EXPECT_TRUE(array_equal(decode_jpeg(small), decode_jpeg(plain)));
  EXPECT_TRUE(array_equal(decode_jpeg(steps), decode_jpeg(plain)));
}

TEST(EncodePng, ComesBackToTheLastBit) {
  for (const int64_t channels : {1, 2, 3, 4}) {
    const Array picture = scene(9, 11, channels);
    EXPECT_TRUE(array_equal(decode_png(encode_png(picture)), picture));
    const Array wide = cast(picture, DType::uint16) * 250;
    EXPECT_TRUE(array_equal(
        decode_png(encode_png(wide), {.dtype = DType::uint16}), wide));
  }
  const Array picture = scene(64, 64);
  EXPECT_LT(encode_png(picture, {.compression = 9}).size(),
            encode_png(picture, {.compression = 0}).size());
}

TEST(Encode, WrongCallsAreTold) {
  EXPECT_TRUE(text_of<TypeError>([] {
                encode_jpeg(Array::zeros({2, 2, 3}));
              })
                  .starts_with("encode_jpeg: expected uint8, got float32[2, 2, "
                               "3]"));
  EXPECT_TRUE(
      text_of<ShapeError>([] { encode_jpeg(scene(2, 2, 4)); })
          .starts_with("encode_jpeg: expected one image (h, w, 1) or (h, w, 3) "
                       "of up to 65500 pixels a side, got uint8[2, 2, 4]"));
  EXPECT_TRUE(
      text_of<ValueError>([] { encode_jpeg(scene(2, 2), {.quality = 101}); })
          .starts_with("encode_jpeg: expected quality to be 0 ... 100, "
                       "got 101"));
  EXPECT_TRUE(
      text_of<ValueError>(
          [] { encode_jpeg(scene(2, 2), {.format = "grayscale"}); })
          .starts_with("encode_jpeg: expected format to be \"\", \"grayscale\" "
                       "of one channel or \"rgb\" of three, got \"grayscale\" "
                       "and 3 channels"));
  EXPECT_THROW(encode_png(Array::zeros({2, 2, 3})), TypeError);
  EXPECT_THROW(encode_png(scene(2, 2, 5)), ShapeError);
  EXPECT_THROW(encode_png(scene(2, 2), {.compression = 10}), ValueError);
}

}  // namespace
}  // namespace systolic::image
