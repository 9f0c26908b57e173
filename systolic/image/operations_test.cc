#include <gtest/gtest.h>

#include <map>
#include <string>

#include "systolic/image/test_calls.h"
#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

Calls<Array> calls() {
  Calls<Array> all = calls_of_places<Array>();
  all.merge(calls_of_colors<Array>());
  // The host's alone: it codes a JPEG.
  all["adjust_jpeg_quality"] = [](const golden::Case& c, const Array& x) {
    return adjust_jpeg_quality(
        x, static_cast<int>(c.options()["jpeg_quality"].integer()));
  };
  return all;
}

TEST(Operations, GiveTensorFlowsNumbers) {
  const Calls<Array> all = calls();
  std::map<std::string, int> found;
  for (const golden::Case& c : golden::load("image_ops")) {
    SCOPED_TRACE(c.name());
    const std::string function = c.options()["function"].text();
    ASSERT_TRUE(all.contains(function)) << function;
    ++found[function];
    const Array& wanted = c.array("output");
    EXPECT_EQ(golden::difference(all.at(function)(c, c.array("input")), wanted,
                                 tolerance_of(wanted)),
              "");
  }
  EXPECT_EQ(found.size(), all.size());
}

// The upper half of uint64 is no negative int64.
TEST(Operations, LargeIntegersKeepTheirUpperBits) {
  const Array x = Array::from(std::vector<uint64_t>{
      ~uint64_t{0}, uint64_t{1} << 63, uint64_t{3} << 56});
  for (const bool saturate : {false, true}) {
    EXPECT_EQ(convert_image_dtype(x, DType::uint8, {.saturate = saturate})
                  .to_string(),
              "[255 128   3]");
    EXPECT_EQ(
        convert_image_dtype(x, DType::int8, {.saturate = saturate}).to_string(),
        "[127  64   1]");
  }
  EXPECT_EQ(
      convert_image_dtype(Array::from(std::vector<uint8_t>{255}), DType::uint64)
          .to_string(),
      "[18374686479671623680]");
}

// TensorFlow's numbers: it divides down.
TEST(Operations, NegativeIntegersAreConvertedDown) {
  const Array x = Array::from(
      std::vector<int16_t>{-1, -2, -256, -257, -255, 255, 256, -32768, 32767});
  EXPECT_EQ(convert_image_dtype(x, DType::int8).to_string(),
            "[  -1   -1   -1   -2   -1    0    1 -128  127]");
  EXPECT_EQ(convert_image_dtype(x, DType::uint8).to_string(),
            "[255 255 254 253 254   1   2   0 255]");
}

// Each dtype of pixel has its own way through the rows.
TEST(Operations, TurnsAreTheSameForEveryDtype) {
  const Array picture = scene(5, 7);
  for (const DType dtype : {DType::uint8, DType::float32, DType::float64,
                            DType::float16, DType::int32}) {
    for (const int64_t channels : {1, 2, 3, 4}) {
      const Array bytes = scene(5, 7, channels);
      const Array x = cast(bytes, dtype);
      EXPECT_TRUE(array_equal(flip_left_right(x), flip_left_right(bytes)));
      EXPECT_TRUE(
          array_equal(flip_left_right(x), x[{all, Slice({}, {}, -1), all}]));
      EXPECT_TRUE(array_equal(flip_up_down(x), x[Slice({}, {}, -1)]));
      EXPECT_TRUE(
          array_equal(image::transpose(x), systolic::transpose(x, {1, 0, 2})));
      EXPECT_TRUE(array_equal(rot90(rot90(x)), rot90(x, 2)));
      EXPECT_TRUE(array_equal(rot90(rot90(x, 3)), x));
      EXPECT_EQ(rot90(x).dtype(), dtype);
    }
  }
}

// Rows are turned several pixels at a time, with a rest.
TEST(Operations, RowsOfEveryWidthAreTurned) {
  for (int64_t width = 1; width < 40; ++width) {
    const Array x = scene(2, width);
    const Array batch = stack(std::vector<Array>{x, flip_up_down(x)});
    for (const DType dtype : {DType::uint8, DType::float32}) {
      EXPECT_TRUE(array_equal(flip_left_right(cast(batch, dtype)),
                              batch[{all, all, Slice({}, {}, -1), all}]))
          << width;
    }
  }
}

TEST(Operations, ResizeKeepsFloatsAndShares) {
  const Array picture = scene(6, 8);
  EXPECT_EQ(resize(cast(picture, DType::bfloat16), {3, 4}).dtype(),
            DType::bfloat16);
  EXPECT_EQ(resize(cast(picture, DType::float64), {3, 4}).dtype(),
            DType::float64);
  EXPECT_EQ(resize(picture, {3, 4}).dtype(), DType::float32);
  EXPECT_EQ(resize(picture, {6, 8}).dtype(), DType::float32);
  EXPECT_EQ(crop_to_bounding_box(picture, {0, 0, 6, 8}).data(), picture.data());
}

// Before memory is taken for them.
TEST(Operations, SizesWithoutEndAreRefused) {
  const Array picture = Array::zeros({4, 4, 3}, DType::uint8);
  constexpr int64_t kLong = int64_t{1} << 40;
  for (const char* method : {"nearest", "bilinear", "bicubic", "area"}) {
    EXPECT_THROW(resize(picture, {kLong, kLong}, {.method = method}),
                 ShapeError)
        << method;
  }
  EXPECT_THROW(resize_with_pad(picture, {kLong, kLong}), ShapeError);
  EXPECT_THROW(resize_with_crop_or_pad(picture, {kLong, kLong}), ShapeError);
  EXPECT_EQ(text_of<ShapeError>([&] {
              pad_to_bounding_box(picture, {0, 0, kLong, kLong});
            }),
            "Shape: expected at most 2^58 elements, got (1099511627776, "
            "1099511627776, 3)");
}

TEST(Operations, JpegQualityIsThatOfAFile) {
  const Array picture = scene(17, 13);
  EXPECT_TRUE(array_equal(adjust_jpeg_quality(picture, 60),
                          decode_jpeg(encode_jpeg(picture, {.quality = 60}))));
  EXPECT_EQ(adjust_jpeg_quality(cast<float>(picture) / 255.f, 60).dtype(),
            DType::float32);
}

TEST(Operations, WrongCallsAreTold) {
  EXPECT_TRUE(text_of<ShapeError>([] {
                flip_left_right(Array::zeros({2, 2}));
              })
                  .starts_with("flip_left_right: expected images (h, w, c) or "
                               "(n, h, w, c), got float32[2, 2]"));
  EXPECT_TRUE(text_of<ValueError>([] {
                crop_to_bounding_box(scene(4, 4), {1, 0, 4, 4});
              })
                  .starts_with("crop_to_bounding_box: expected a box of at "
                               "least one pixel, inside, got offsets 1 and 0, "
                               "size 4 x 4\n  images: uint8[4, 4, 3]"));
  EXPECT_TRUE(text_of<TypeError>([] { rgb_to_hsv(scene(4, 4)); })
                  .starts_with("rgb_to_hsv: expected floating-point colours, "
                               "got uint8"));
  EXPECT_TRUE(
      text_of<ShapeError>([] { adjust_hue(scene(4, 4, 4), 0.5); })
          .starts_with("adjust_hue: expected a last axis of 3 channels, "
                       "got (4, 4, 4)"));
  EXPECT_THROW(adjust_gamma(scene(2, 2), -1), ValueError);
  EXPECT_THROW(adjust_brightness(Array::zeros({2, 2, 3}, DType::boolean), 1),
               TypeError);
  EXPECT_THROW(convert_image_dtype(scene(2, 2), DType::boolean), TypeError);
  EXPECT_THROW(resize(scene(2, 2), {0, 2}), ValueError);
  EXPECT_THROW(resize(scene(2, 2), {3, 2}, {.method = "linear"}), ValueError);
  const Array batch = Array::zeros({1, 4, 4, 3});
  const Array boxes = Array::from({0.f, 0.f, 1.f, 1.f}, {1, 4});
  EXPECT_TRUE(text_of<OutOfRangeError>([&] {
                crop_and_resize(batch, boxes, Array::from({1}), {2, 2});
              })
                  .starts_with("crop_and_resize: expected box_indices in 0 "
                               "... 0, got 1"));
  EXPECT_THROW(crop_and_resize(batch, boxes, Array::from({-1}), {2, 2}),
               OutOfRangeError);
  EXPECT_TRUE(text_of<TypeError>([&] {
                crop_and_resize(batch, boxes, Array::from({0.7f}), {2, 2});
              })
                  .starts_with("crop_and_resize: expected box_indices of whole "
                               "numbers, got float32[1]"));
  EXPECT_THROW(crop_and_resize(batch, boxes, Array::from({0, 0}), {2, 2}),
               ShapeError);
}

}  // namespace
}  // namespace systolic::image
