#include "systolic/image/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "systolic/base/log.h"
#include "systolic/image/encode.h"
#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

using golden::Value;
using std::string_view_literals::operator""sv;

JpegOptions jpeg_options(const Value& options) {
  return {.channels = static_cast<int>(options.get("channels", 0)),
          .ratio = static_cast<int>(options.get("ratio", 1)),
          .fancy_upscaling = options.get("fancy_upscaling", true),
          .try_recover_truncated = options.get("try_recover_truncated", false),
          .dct_method = options.get("dct_method", "")};
}

Array decode(const golden::Case& c) {
  const Value& options = c.options();
  const std::string function = options["function"].text();
  const std::string bytes = bytes_of(c.array("bytes"));
  const int channels = static_cast<int>(options.get("channels", 0));
  const DType dtype = dtype_from_name(options.get("dtype", "uint8"));
  if (function == "decode_jpeg") {
    return decode_jpeg(bytes, jpeg_options(options));
  }
  if (function == "decode_and_crop_jpeg") {
    const auto window = options["crop_window"].integers();
    return decode_and_crop_jpeg(bytes,
                                {window[0], window[1], window[2], window[3]},
                                jpeg_options(options));
  }
  if (function == "extract_jpeg_shape") return extract_jpeg_shape(bytes);
  if (function == "decode_png") {
    return decode_png(bytes, {.channels = channels, .dtype = dtype});
  }
  if (function == "decode_bmp") return decode_bmp(bytes);
  if (function == "decode_gif") return decode_gif(bytes);
  if (function == "decode_webp") return decode_webp(bytes);
  return decode_image(
      bytes, {.channels = channels,
              .dtype = dtype,
              .expand_animations = options.get("expand_animations", true)});
}

// The greatest difference of two arrays of one shape.
int worst(const Array& a, const Array& b) {
  return max(abs(cast<int32_t>(a) - cast<int32_t>(b))).item<int>();
}

TEST(Decode, GivesTensorFlowsNumbers) {
  for (const golden::Case& c : golden::load("image_decode")) {
    SCOPED_TRACE(c.name());
    const Array got = decode(c);
    const Array& wanted = c.array("output");
    ASSERT_EQ(got.spec(), wanted.spec());
    if (c.name() == "cut off") {
      // What comes behind the end is the library's; here are the first blocks.
      const Indices sure = {Slice(8), Slice(14), all};
      EXPECT_LE(worst(got[sure], wanted[sure]), 2);
    } else if (c.options()["function"].text().find("jpeg") !=
                   std::string::npos &&
               got.dtype() == DType::uint8) {
      // Another version of the same library may round otherwise.
      EXPECT_LE(worst(got, wanted), 2);
    } else {
      EXPECT_EQ(golden::difference(got, wanted), "");
    }
  }
}

// Each window of a picture, some apart.
void expect_parts(const std::string& bytes, const JpegOptions& options) {
  const Array whole = decode_jpeg(bytes, options);
  const int64_t height = whole.shape()[0], width = whole.shape()[1];
  for (int64_t y = 0; y < height; y += 3) {
    for (int64_t x = 0; x < width; x += 2) {
      const CropWindow window{y, x, std::min<int64_t>(7, height - y),
                              std::min<int64_t>(9, width - x)};
      ASSERT_TRUE(array_equal(decode_and_crop_jpeg(bytes, window, options),
                              whole[{Slice(y, y + window.height),
                                     Slice(x, x + window.width), all}]))
          << "from " << y << ", " << x;
    }
  }
}

// Of pictures with halved colours, whose blocks reach further, too.
TEST(Decode, CropIsThePartOfTheWhole) {
  const Array picture = scene(45, 53);
  for (const bool halved : {true, false}) {
    for (const bool progressive : {false, true}) {
      const std::string bytes = encode_jpeg(
          picture, {.progressive = progressive, .chroma_downsampling = halved});
      for (const bool fancy : {true, false}) {
        for (const int ratio : {1, 2, 4, 8}) {
          SCOPED_TRACE(::testing::Message()
                       << "ratio " << ratio << ", halved " << halved
                       << ", progressive " << progressive << ", fancy "
                       << fancy);
          expect_parts(bytes, {.ratio = ratio, .fancy_upscaling = fancy});
        }
      }
    }
  }
}

// Colours that are halved in one direction only: our encoder makes none.
TEST(Decode, CropOfHalfColumnsIsThePartOfTheWhole) {
  int found = 0;
  for (const golden::Case& c : golden::load("image_decode")) {
    if (c.name() != "4:2:2") continue;
    ++found;
    for (const bool fancy : {true, false}) {
      for (const int ratio : {1, 2, 4, 8}) {
        SCOPED_TRACE(::testing::Message()
                     << "ratio " << ratio << ", fancy " << fancy);
        expect_parts(bytes_of(c.array("bytes")),
                     {.ratio = ratio, .fancy_upscaling = fancy});
      }
    }
  }
  EXPECT_EQ(found, 1);
}

TEST(Decode, TakesTextBytesAndArrays) {
  const std::string bytes = encode_jpeg(scene(4, 6));
  const Array wanted = decode_jpeg(bytes);
  EXPECT_TRUE(array_equal(decode_jpeg(std::string_view(bytes)), wanted));
  EXPECT_TRUE(
      array_equal(decode_jpeg(std::as_bytes(std::span(bytes))), wanted));
  EXPECT_TRUE(array_equal(decode_jpeg(Array::scalar(bytes)), wanted));
  EXPECT_TRUE(is_jpeg(bytes));
  EXPECT_FALSE(is_jpeg("GIF89a"));
}

// As in TensorFlow, where a function of one format takes the others.
TEST(Decode, JpegAndPngTakeOtherFormats) {
  EXPECT_EQ(decode_jpeg(recorded("RGBA"), {.channels = 3}).shape(),
            Shape({6, 7, 3}));
  EXPECT_EQ(decode_png(recorded("a frame")).shape(), Shape({6, 7, 3}));
  EXPECT_EQ(decode_jpeg(recorded("24 bits")).shape(), Shape({6, 7, 3}));
}

TEST(Decode, DamageIsToldWithItsByte) {
  const std::string jpeg = recorded("plain");
  const std::string text = text_of<DataError>(
      [&] { decode_jpeg(jpeg.substr(0, jpeg.size() - 40)); });
  EXPECT_TRUE(
      text.starts_with("decode_jpeg: expected a whole picture, got "
                       "bytes that end in row "))
      << text;
  EXPECT_NE(text.find("of 21\n  format: JPEG\n  byte: "), std::string::npos)
      << text;
  EXPECT_NE(text.find("{.try_recover_truncated = true}"), std::string::npos);
  EXPECT_NE(text.find("decode_test.cc:"), std::string::npos) << text;
  EXPECT_TRUE(
      text_of<DataError>([&] { decode_jpeg(jpeg.substr(0, 30)); })
          .starts_with("decode_jpeg: expected a whole picture, got bytes "
                       "that end in the header\n  format: JPEG\n  byte: "
                       "30 of 30"));
  EXPECT_TRUE(text_of<DataError>([&] { decode_jpeg("no picture"); })
                  .starts_with(
                      "decode_jpeg: expected a picture without damage, got Not "
                      "a JPEG file: starts with 0x6e 0x6f\n  format: JPEG\n"));
  EXPECT_TRUE(
      text_of<DataError>([&] { decode_image("no picture"); })
          .starts_with("decode_image: expected a JPEG, PNG, GIF, BMP or "
                       "WebP picture, got another start\n  byte: 0 of "
                       "10"));
  std::string png = recorded("RGB");
  png[60] = static_cast<char>(png[60] ^ 4);
  EXPECT_TRUE(text_of<DataError>([&] { decode_png(png); })
                  .starts_with("decode_png: expected a picture without damage, "
                               "got IDAT: "))
      << text_of<DataError>([&] { decode_png(png); });
}

TEST(Decode, PathsAreNoPictures) {
  for (const char* path : {"/data/a.jpg", "a.jpg"}) {
    const std::string jpeg = text_of<DataError>([&] { decode_jpeg(path); });
    EXPECT_NE(jpeg.find("\n  hint: this looks like a path: "
                        "decode_jpeg(io::read_file(path)) decodes the file"),
              std::string::npos)
        << jpeg;
    const std::string image = text_of<DataError>([&] { decode_image(path); });
    EXPECT_NE(image.find("decode_image(io::read_file(path))"),
              std::string::npos)
        << image;
  }
  const std::string text = text_of<DataError>([] { decode_png("picture"); });
  EXPECT_EQ(text.find("hint"), std::string::npos) << text;
}

TEST(Decode, EveryTruncationIsAnError) {
  for (const char* name : {"plain", "progressive", "RGB", "24 bits", "frames",
                           "lossy", "lossless", "moving"}) {
    const std::string whole = recorded(name);
    for (size_t size = 0; size < whole.size(); ++size) {
      // A copy of its own, so that a read past the end is found.
      const std::string part = whole.substr(0, size);
      EXPECT_THROW(decode_image(part), DataError)
          << name << ", " << size << " of " << whole.size() << " bytes";
    }
  }
}

// Any byte changed: a picture or an error, and never anything else.
TEST(Decode, ChangedBytesNeverCrash) {
  const LogSink before = set_log_sink([](LogLevel, std::string_view) {});
  int errors = 0;
  for (const char* name :
       {"plain", "progressive", "CMYK", "palette", "32 bits", "8 bits",
        "frames", "lossy", "lossless", "wide", "moving"}) {
    const std::string whole = recorded(name);
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
      try {
        decode_image(changed);
      } catch (const DataError&) {
        ++errors;
      }
    }
  }
  set_log_sink(before);
  EXPECT_GT(errors, 1000);
}

TEST(Decode, DamageThatDecoderCanDoWithoutIsLogged) {
  std::vector<std::string> lines;
  const LogSink before = set_log_sink(
      [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  std::string jpeg = recorded("plain");
  // A byte too many before the end of the picture.
  jpeg.insert(jpeg.size() - 2, "x");
  decode_jpeg(jpeg);
  // Stray bytes behind a table are passed over.
  jpeg.insert(20, "xx");
  decode_jpeg(jpeg);
  set_log_sink(before);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].starts_with("decode_jpeg: a damaged JPEG picture of "))
      << lines[0];
}

// TensorFlow's shapes and pixels: of the largest frame, not of the screen.
TEST(Decode, GifsAreAsLargeAsTheirFrames) {
  // A frame of 4 x 3 on a screen of 2 x 2.
  const Array larger = decode_gif(
      "\x47\x49\x46\x38\x39\x61\x02\x00\x02\x00\x80\x00\x00\x00\x00\x00"
      "\xff\x80\x40\x2c\x00\x00\x00\x00\x04\x00\x03\x00\x00\x02\x0a\x0c"
      "\xc3\x30\x0c\xc3\x30\x0c\xc3\x30\x05\x00\x3b"sv);
  EXPECT_EQ(larger.shape(), Shape({1, 3, 4, 3}));
  // Frames of 2 x 2, and of 3 x 1 from (1, 0) on, on a screen of 4 x 3.
  const Array frames = decode_gif(
      "\x47\x49\x46\x38\x39\x61\x04\x00\x03\x00\x80\x00\x00\x00\x00\x00"
      "\xff\x80\x40\x2c\x00\x00\x00\x00\x02\x00\x02\x00\x00\x02\x04\x0c"
      "\xc3\x30\x05\x00\x2c\x01\x00\x00\x00\x03\x00\x01\x00\x00\x02\x03"
      "\x0c\xc3\x14\x00\x3b"sv);
  ASSERT_EQ(frames.shape(), Shape({2, 2, 3, 3}));
  std::string reds;
  const auto values = frames.span<uint8_t>();
  for (size_t i = 0; i < values.size(); i += 3) {
    reds += values[i] == 255 ? 'x' : '.';
  }
  EXPECT_EQ(reds, "xx.xx.xxxxx.");
}

TEST(Decode, PicturesOverTheLimitAreRefused) {
  const int64_t before = decode_limit();
  set_decode_limit(6 * 7 * 3);
  for (const char* name : {"plain", "progressive", "RGBA", "24 bits", "frames",
                           "lossless", "moving"}) {
    EXPECT_NE(text_of<DataError>([&] { decode_image(recorded(name)); })
                  .find(": expected a picture of at least a pixel and at most "
                        "126 bytes, got "),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(decode_gif(recorded("a frame")).shape(), Shape({1, 6, 7, 3}));
  set_decode_limit(before);
  EXPECT_THROW(set_decode_limit(0), ValueError);
}

TEST(Decode, WrongCallsAreTold) {
  const std::string jpeg = recorded("plain");
  EXPECT_TRUE(
      text_of<ValueError>([&] { decode_jpeg(jpeg, {.channels = 4}); })
          .starts_with("decode_jpeg: expected channels to be 0, 1 or 3, "
                       "got 4"));
  EXPECT_TRUE(
      text_of<ValueError>([&] {
        decode_jpeg(jpeg, {.ratio = 3});
      }).starts_with("decode_jpeg: expected ratio to be 1, 2, 4 or 8, got 3"));
  EXPECT_THROW(JpegOptions{.dct_method = "FLOAT"}, ValueError);
  EXPECT_TRUE(text_of<ValueError>([&] {
                decode_and_crop_jpeg(jpeg, {15, 0, 7, 4});
              })
                  .starts_with(
                      "decode_and_crop_jpeg: expected a window of at least one "
                      "pixel, inside of the picture, got y 15, x 0, size 7 x "
                      "4\n  picture: 21 x 19"));
  EXPECT_TRUE(text_of<TypeError>([&] {
                decode_png(recorded("RGB"), {.dtype = DType::float32});
              })
                  .starts_with("decode_png: expected dtype to be uint8 or "
                               "uint16, got float32"));
  EXPECT_TRUE(
      text_of<ValueError>(
          [&] { decode_image(recorded("frames"), {.channels = 4}); })
          .starts_with("decode_image: expected channels to be 0 or 3 of "
                       "a GIF, got 4"));
  EXPECT_TRUE(
      text_of<TypeError>([&] {
        decode_jpeg(Array::zeros({2, 2}));
      })
          .starts_with("image::decode: expected the bytes of a picture: "
                       "a string, got float32[2, 2]"));
  EXPECT_TRUE(text_of<ValueError>([&] {
                decode_jpeg(Array::from_strings({"a", "b"}));
              })
                  .starts_with("image::decode: expected the bytes of one "
                               "picture, got string[2]"));
}

}  // namespace
}  // namespace systolic::image
